#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/per_layer.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

/// A model as cluster moves see it. Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The units of all layers in their order, and the states of each in the order of its kind.
struct CountedUnits {
  explicit CountedUnits(const Layout& layout);

  Index size() const { return first_state.size() - 1; }
  Index num_states(Index unit) const { return first_state[unit + 1] - first_state[unit]; }
  bool any_of_several() const { return most_states > 2; }

  PerLayer<Index> first;           ///< the number of each layer's first unit
  PerLayer<UnitStates> states;     ///< of each layer's kind
  std::vector<Index> first_state;  ///< of each unit, where its states begin among those of all; of all of them, last
  Index most_states = 0;           ///< that a unit has
};

/// The pairs of units that a model couples, and what is left to single units, in double and at β = 1:
///   −E(x) = c + Σ_i g_i(x_i) + Σ_bonds J_ij s_i s_j + Σ_tables w_ij t(x_i, x_j).
/// A unit of two states is a spin, s = −1 in the first of them and 1 in the second; a pair of such is a bond, whatever its states are
/// (of bits J = w/4, and a field of w/4 on either). Any other pair has a table.
struct PairBonds {
  struct Bond {
    std::uint32_t a, b;
    double coupling;
  };
  struct Table {
    std::uint32_t a, b;
    Index at;      ///< of states of a × states of b, in `tables`
    double scale;  ///< w
  };

  /// Of a model of units with a few states each whose tensors are of biases, curvatures and couplings.
  PairBonds(const EnergyModel& model, const CountedUnits& units);

  /// −E − c of units in these of their states.
  double log_weight(const CountedUnits& units, std::span<const std::uint32_t> states) const;

  std::vector<double> single;  ///< g of each state of each unit
  std::vector<Bond> bonds;
  std::vector<Table> pairs;
  std::vector<double> tables;
};

/// Throws CapabilityError, which begins with `who`, where a model's units are not of a few states each, or its energy is no sum over
/// units and pairs of units: by its tensors, and at states spread over all of them.
void check_pair_bonds(const EnergyModel& model, const char* who);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
