#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/normal_units.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A model of units with a few states each as a sum over units and pairs of units,
///   E(x) = c + Σ_i θ_i(x_i) + Σ_(i,j) θ_ij(x_i, x_j),
/// in double. Units are numbered over all layers in their order, states as their kind lists them. Of units that are normal given the
/// others, and independent of each other, E(x) is the least energy (normal_units.hpp); they have one state here, without energy.
struct PairwiseFactors {
  struct Pair {
    std::array<Index, 2> units;
    std::vector<double> energy;  ///< states of the first × states of the second
  };
  double constant = 0.0;
  std::vector<std::vector<double>> single;  ///< of each unit, one number a state
  /// Those with a coupling that is not 0: each once, and once more where normal units couple it.
  std::vector<Pair> pairs;
  NormalUnits normal;

  /// Throws CapabilityError where other units are continuous, normal ones are coupled with each other, or the energy is no such sum: it is compared at states spread over
  /// the model's.
  static PairwiseFactors of(const EnergyModel& model);

  /// Leaves units that are held the one state whose number is given, and adds what they are coupled with to the energies of the
  /// others alone. `held` has an entry for each unit.
  void hold(const std::vector<std::optional<Index>>& held);

  Index size() const { return single.size(); }
  double energy(std::span<const std::uint32_t> states) const;
};

/// Row `row` of `x` becomes the state in which the units, numbered so, are in these of theirs; continuous ones are left alone. From one
/// thread only.
void write_states(const Layout& layout, std::span<const std::uint32_t> states, Chains& x, Index row);

/// Of each unit, over all layers in their order, the number of the state that it is held in; none where it is free. Throws
/// CapabilityError where a continuous one is held.
std::vector<std::optional<Index>> numbers_of_held(const Layout& layout, const HeldState& held);

enum class Couplings { not_zero, that_exist };

/// Of each unit, over all layers in their order, those that it has a coupling with that is not 0, or may be other than 0, ascending.
std::vector<std::vector<Index>> coupling_graph(const EnergyModel& model, Couplings which = Couplings::not_zero);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
