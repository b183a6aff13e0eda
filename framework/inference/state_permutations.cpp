#include <harmonium/framework/inference/state_permutations.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool has_a_column_a_state(const UnitType& unit) {
  return has_gauge(unit) && unit.num_states() == unit.width() && !unit.has_base() && !unit.has_curvature();
}

bool are_alike(std::span<const Real> values) {
  return std::ranges::all_of(values, [&](Real v) { return v == values.front(); });
}

/// u + v δ(s, t), the states of one site by those of another.
bool tells_only_whether_alike(ConstMatrixRef w, Index row, Index column, Index q) {
  for (Index s = 0; s < q; ++s)
    for (Index t = 0; t < q; ++t)
      if (w(row + s, column + t) != (s == t ? w(row, column) : w(row, column + 1))) return false;
  return true;
}

bool treats_alike(const EnergyModel& model, Index position, Index q) {
  const ParameterBlock& block = model.parameter_layout()[position];
  const ConstMatrixRef values = model.parameter_layout().view(position, model.parameters().data());
  if (block.role == ParameterRole::edges) return true;  // w Σ_s x_s y_s = w δ
  if (block.role == ParameterRole::bias) {
    const std::span<const Real> biases(values.data, block.size());
    for (Index i = 0; i < biases.size(); i += q)
      if (!are_alike(biases.subspan(i, q))) return false;
    return true;
  }
  if (block.role != ParameterRole::coupling) return false;
  for (Index r = 0; r < block.rows; r += q)
    for (Index c = 0; c < block.cols; c += q)
      if (!tells_only_whether_alike(values, r, c, q)) return false;
  return true;
}

}  // namespace

bool treats_states_alike(const EnergyModel& model) {
  const Index q = model.layout().layers().front().unit->width();
  for (const Layer& layer : model.layout().layers())
    if (layer.unit->width() != q || !has_a_column_a_state(*layer.unit)) return false;
  for (Index k = 0; k < model.parameter_layout().blocks().size(); ++k)
    if (!treats_alike(model, k, q)) return false;
  return true;
}

bool keeps_energies(const EnergyModel& model, FunctionRef<void(Chains&)> change, double slack) {
  constexpr Index num_states = 16;
  constexpr double rounding = 1e-9;
  Chains states(model.layout(), num_states);
  AnnealingBase::uniform(model).draw(nullptr, RandomSource{}.child("flip symmetry"), states);
  Chains changed = states;
  change(changed);
  std::vector<double> here(num_states), there(num_states);
  model.energy({states, 0, num_states}, here);
  model.energy({changed, 0, num_states}, there);
  for (Index r = 0; r < num_states; ++r)
    if (!(std::abs(here[r] - there[r]) <= rounding * (1.0 + std::abs(here[r])) + slack)) return false;
  return true;
}

void permute_states(const Layout& layout, std::span<const Index> to, Chains& states) {
  std::vector<Real> site(to.size());
  for (const LayerId l : layout.ids()) {
    const MatrixRef x = states.write(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index first = 0; first < x.cols; first += to.size()) {
        for (Index s = 0; s < to.size(); ++s) site[to[s]] = x(r, first + s);
        std::ranges::copy(site, x.row(r) + first);
      }
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
