#include <harmonium/framework/inference/flip_symmetry.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool lies_about_zero(const UnitType& unit) {
  if (unit.width() != 1 || unit.num_states() == 0 || unit.has_base()) return false;
  const UnitStates states(unit);
  for (Index s = 0; s < states.size(); ++s)
    if (states[s][0] != -states[states.size() - 1 - s][0]) return false;
  return true;
}

bool is_even(const ParameterBlock& block, std::span<const Real> parameters) {
  if (is_coupling(block) || is_curvature(block)) return true;
  return block.role == ParameterRole::bias &&
         std::ranges::all_of(parameters.subspan(block.offset, block.size()), [](Real b) { return b == Real(0); });
}

/// A plugin's energy may have terms that no parameter tells of.
bool energies_agree(const EnergyModel& model) {
  constexpr Index num_states = 16;
  constexpr double rounding = 1e-9;
  Chains states(model.layout(), num_states);
  AnnealingBase::uniform(model).draw(nullptr, RandomSource{}.child("flip symmetry"), states);
  Chains flipped = states;
  for (const LayerId l : model.layout().ids()) {
    const MatrixRef x = flipped.write(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Real& value : x[r]) value = -value;
  }
  std::vector<double> here(num_states), there(num_states);
  model.energy({states, 0, num_states}, here);
  model.energy({flipped, 0, num_states}, there);
  for (Index r = 0; r < num_states; ++r)
    if (!(std::abs(here[r] - there[r]) <= rounding * (1.0 + std::abs(here[r])))) return false;
  return true;
}

}  // namespace

FlipSymmetry flip_symmetry_of(const EnergyModel& model) {
  const bool even =
      std::ranges::all_of(model.layout().layers(), [](const Layer& l) { return lies_about_zero(*l.unit); }) &&
      std::ranges::all_of(model.parameter_layout().blocks(),
                          [&](const ParameterBlock& b) { return is_even(b, model.parameters()); });
  return even && energies_agree(model) ? FlipSymmetry::exact : FlipSymmetry::none;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
