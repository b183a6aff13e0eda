#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The joint states of what is free in rows of which single units are held: of the free units of every layer that has held ones,
/// for a closed free energy sums over whole layers alone; and of those further layers, as few states as can be, given which the
/// rest is summed out.
class HeldStates {
 public:
  /// Of `num_rows` rows of `held`, which it refers to as to `model`. Throws CapabilityError where the rest has no closed free
  /// energy, and where free units of a row are continuous or have more than 2^`most_bits` states.
  HeldStates(const EnergyModel& model, const HeldMask& held, Index num_rows, double most_bits);

  /// The layers whose free units are enumerated, and those that are summed out.
  LayerSet enumerated() const { return enumerated_; }
  LayerSet summed() const { return summed_; }

  /// Whether the same units are held in two rows of `chains`, in the same states.
  bool alike(const Chains& chains, Index one, Index other) const;
  /// The logs of the probabilities of the states of a row of `chains`, the first free unit of the first layer changing fastest.
  std::vector<double> log_probabilities(const Chains& chains, Index row, double beta, const Executor& executor) const;
  /// Writes a state into the free units of a row of `chains`.
  void write(std::uint64_t state, Index row, Chains& chains) const;

 private:
  struct FreeUnit {
    LayerId layer;
    Index unit;
  };
  bool holds(LayerId layer, Index unit, Index row) const;
  std::vector<FreeUnit> free_units(Index row) const;
  double log2_states(Index row) const;
  /// The states from `begin` on into the rows of `out`, of which there are so many.
  void write(std::uint64_t begin, Index count, const std::vector<FreeUnit>& free, Index at, Chains& out) const;

  const EnergyModel& model_;
  const HeldMask& held_;
  LayerSet enumerated_, summed_;
  PerLayer<UnitStates> states_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
