#include <harmonium/estimators/gradients/conditional_slopes.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index rows_of_a_task = 64;

/// Units with a density that is normal: Var, and 2 m Var.
void respond_normal(const UnitType& unit, ConstFields fields, MatrixRef direction, MatrixRef by_curvature) {
  UnitBuffer moments(unit, direction.rows, direction.cols);
  unit.moments(fields, moments.first(), {});
  for (Index r = 0; r < direction.rows; ++r) {
    in_place(direction[r]) /= as_xtensor(fields.curvature[r]);
    in_place(by_curvature[r]) = 2 * as_xtensor(moments.first()[r]) * as_xtensor(direction[r]);
  }
}

/// One unit of a few states, its columns starting at `at`.
class DiscreteResponse {
 public:
  explicit DiscreteResponse(const UnitType& unit)
      : states_(unit), p_(states_.size()), moved_(unit.width()), moved_squares_(unit.width()) {}

  void operator()(const ConstFields& fields, Index r, Index at, MatrixRef direction, MatrixRef by_curvature) {
    for (Index s = 0; s < p_.size(); ++s) p_[s] = log_weight(fields, r, at, states_[s]);
    const double total = logsumexp(p_);
    const std::span<const Real> towards = direction[r].subspan(at, moved_.size());
    double mean_along = 0.0;
    for (Index s = 0; s < p_.size(); ++s) mean_along += (p_[s] = std::exp(p_[s] - total)) * along(s, towards);
    std::ranges::fill(moved_, 0.0);
    std::ranges::fill(moved_squares_, 0.0);
    for (Index s = 0; s < p_.size(); ++s) {
      const double by = p_[s] * (along(s, towards) - mean_along);
      for (Index c = 0; c < moved_.size(); ++c) {
        const auto v = static_cast<double>(states_[s][c]);
        moved_[c] += by * v;
        moved_squares_[c] += by * v * v;
      }
    }
    for (Index c = 0; c < moved_.size(); ++c) {
      direction(r, at + c) = static_cast<Real>(moved_[c]);
      if (!by_curvature.empty()) by_curvature(r, at + c) = static_cast<Real>(moved_squares_[c]);
    }
  }

 private:
  double along(Index state, std::span<const Real> direction) const {
    return std::inner_product(direction.begin(), direction.end(), states_[state].begin(), 0.0, std::plus(),
                              [](Real a, Real b) { return static_cast<double>(a) * static_cast<double>(b); });
  }

  UnitStates states_;
  std::vector<double> p_, moved_, moved_squares_;
};

}  // namespace

std::vector<double> log_conditionals(const EnergyModel& model, const Chains& rows, LayerSet given,
                                     const Executor& executor) {
  const ConstChainView x = rows.real();
  std::vector<double> result(rows.size());
  executor.for_each_piece(rows.size(), rows_of_a_task, [&](Index begin, Index end) {
    std::vector<double> energy(end - begin);
    model.energy(x.slice(begin, end), energy);
    const std::span<double> out = std::span(result).subspan(begin, end - begin);
    model.free_energy()->evaluate(given, 1.0, x.slice(begin, end), out);
    in_place(out) -= as_xtensor(std::span(energy));
  });
  return result;
}

void add_slope(const EnergyModel& model, const Chains& rows, LayerSet free, std::span<const double> weights,
               std::span<Real> gradient, const Executor& executor) {
  Posterior conditional(free);
  model.factorized_expectation()->add_gradient(conditional.moments(model, rows, executor), weights, gradient, executor);
  model.add_gradient(rows, scaled(weights, -1.0), gradient, executor);
}

UnitBuffer fields_of(const EnergyModel& model, LayerId layer, const Chains& rows, const Executor& executor) {
  UnitBuffer buffer(*model.layout()[layer].unit, rows.size(), model.layout()[layer].columns());
  const Fields fields = buffer.fields();
  const ConstChainView x = rows.real();
  for (const Block& block : model.block_conditionals()->blocks()) {
    if (block.layer != layer) continue;
    executor.for_each_piece(rows.size(), rows_of_a_task, [&](Index begin, Index end) {
      model.block_conditionals()->fields(block, 0, block.size, x.slice(begin, end), fields.slice(begin, end));
    });
  }
  return buffer;
}

void respond(const UnitType& unit, ConstFields fields, MatrixRef direction, MatrixRef by_curvature) {
  if (unit.num_states() == 0) {
    respond_normal(unit, fields, direction, by_curvature);
    return;
  }
  DiscreteResponse respond_of(unit);
  for (Index r = 0; r < direction.rows; ++r)
    for (Index at = 0; at < direction.cols; at += unit.width()) respond_of(fields, r, at, direction, by_curvature);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
