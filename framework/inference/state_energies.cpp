#include <harmonium/framework/inference/state_energies.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/domain.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

LayerSet layers_of_states(const Layout& layout) {
  LayerSet counted;
  for (const LayerId l : layout.ids())
    if (layout[l].unit->num_states() > 0) counted.add(l);
  return counted;
}

}  // namespace

double StateEnergies::log2_states(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const LayerSet counted = layers_of_states(layout), others = layout.all() - counted;
  const bool served = others.empty() ||
                      (model.free_energy() && model.free_energy()->closed(counted) &&
                       std::ranges::all_of(layout.ids(others), [&](LayerId l) { return is_normal(*layout[l].unit); }));
  return served ? layout.log2_states(counted) : std::numeric_limits<double>::infinity();
}

StateEnergies::StateEnergies(const EnergyModel& model) : model_(model), counted_(layers_of_states(model.layout())) {
  const Layout& layout = model.layout();
  if (std::isinf(log2_states(model)))
    throw CapabilityError(
        "a sum over all states needs discrete units, or Gaussian ones beside these, and the model has continuous ones. "
        "Run chains.");
  for (const LayerId l : layout.ids(layout.all() - counted_)) num_normal_ += layout[l].columns();
  if (num_normal_ == 0) return;
  Chains first(layout, 1);
  JointStates(layout, counted_).write(0, 1, first);
  double one = 0.0, two = 0.0;
  model.free_energy()->evaluate(counted_, 1.0, {first, 0, 1}, {&one, 1});
  model.free_energy()->evaluate(counted_, 2.0, {first, 0, 1}, {&two, 1});
  constant_ = 2.0 * one - two + 0.5 * static_cast<double>(num_normal_) * std::numbers::ln2;
}

void StateEnergies::evaluate(const Chains& rows, std::span<double> out) const {
  if (num_normal_ == 0) {
    model_.energy({rows, 0, out.size()}, out);
    return;
  }
  std::vector<double> one(out.size());
  model_.free_energy()->evaluate(counted_, 1.0, {rows, 0, out.size()}, one);
  model_.free_energy()->evaluate(counted_, 2.0, {rows, 0, out.size()}, out);
  for (Index r = 0; r < out.size(); ++r) {
    const double size = 1.0 + std::abs(one[r]) + std::abs(out[r]);
    out[r] -= one[r] + 0.5 * static_cast<double>(num_normal_) * std::numbers::ln2;
    if (std::abs(one[r] - out[r] - constant_) > 1e-9 * size)
      throw CapabilityError(
          "a sum over all states takes Gaussian units whose precision is the same in all of these. Run chains.");
  }
}

void check_finite(std::span<const double> energies) {
  if (!std::ranges::all_of(energies, [](double e) { return std::isfinite(e); }))
    throw NumericalError(
        "the energy of a state is no number, so that no average is one. Look at the parameters of the model.");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
