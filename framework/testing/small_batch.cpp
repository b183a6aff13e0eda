#include <harmonium/framework/testing/small_batch.hpp>

#include <numeric>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

SmallBatch::SmallBatch(const Layout& layout, Chains rows, std::vector<double> weights)
    : rows_(std::move(rows)), weights_(std::move(weights)), indices_(weights_.size()) {
  std::iota(indices_.begin(), indices_.end(), Index{0});
  for (const LayerId l : layout.ids()) {
    if (layout[l].role != Role::observed) continue;
    const ConstMatrixRef x = std::as_const(rows_).read(l);
    for (Index c = 0; c < x.cols; ++c) {
      double sum = 0.0;
      for (Index r = 0; r < x.rows; ++r) sum += weights_[r] * static_cast<double>(x(r, c));
      marginals_.push_back(sum);
    }
  }
}

SmallBatch SmallBatch::random(const Layout& layout, Index num) {
  std::vector<double> weights(num);
  for (Index r = 0; r < num; ++r) weights[r] = static_cast<double>(1 + r % 3);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : weights) w /= total;
  return {layout, random_rows(layout, num, 51), std::move(weights)};
}

SmallBatch SmallBatch::of_law(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const StateSpace space(layout);
  const Law law = law_of(model_energies(model, space));
  const auto observed = [&](std::size_t state) {  // the same, every latent unit in its first state
    for (std::size_t u = 0; u < space.num_units(); ++u)
      if (layout[space.layer_of(u)].role == Role::latent) state -= space.digit(state, u) * space.stride(u);
    return state;
  };
  std::vector<double> mass(space.size(), 0.0);
  for (std::size_t s = 0; s < space.size(); ++s) mass[observed(s)] += law[s];
  std::vector<std::size_t> states;
  std::vector<double> weights;
  for (std::size_t s = 0; s < space.size(); ++s)
    if (observed(s) == s) {
      states.push_back(s);
      weights.push_back(mass[s]);
    }
  Chains rows(layout, states.size());
  space.put(states, rows);
  return {layout, std::move(rows), std::move(weights)};
}

DataOutline SmallBatch::outline() const {
  return {rows_.size(), false, [this](Index) { return rows_; }};
}

DataBatch SmallBatch::view() {
  posterior_.reset();
  return {rows_, weights_, posterior_, nullptr, marginals_, indices_};
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
