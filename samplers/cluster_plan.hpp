#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/pair_bonds.hpp>

/// What cluster moves of many chains share. Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What fields of single units do. `sum`: a cluster is drawn by the sum of its units' fields. `ghost`: a unit that agrees with its
/// field is bonded to a ghost spin, which never turns, with probability 1 − exp(−2|h|). The first is the second with the bonds to
/// the ghost summed out.
enum class ClusterFields : std::uint8_t { sum, ghost };

/// What the moves of all chains of a call share.
struct ClusterPlan {
  /// The target at one temperature.
  struct AtBeta {
    std::vector<double> factors;  ///< of each part: β, 1 − β
    std::vector<double> single;   ///< Σ over parts of factor · g, of each state of each unit
    /// Of each part, of each bond: 2³² (1 − exp(−2 factor |J|)), below which a word makes the bond. Where clusters are recolored, of
    /// each pair: 2³² (1 − exp(−factor w)).
    std::vector<std::vector<std::uint32_t>> thresholds;
  };

  ClusterPlan(const Target& of, ClusterFields by, RandomSource words);
  const AtBeta& at(std::uint32_t rung) const { return rungs[target.ladder.empty() ? 0 : rung]; }

  const Target& target;
  ClusterFields fields;
  RandomSource random;
  CountedUnits units;
  std::vector<PairBonds> parts;  ///< the model's, and the base's where it plays a part
  /// Of each part, of each pair the w of w δ(a, b), where clusters are recolored: units of one layer, of more than two states, which
  /// wherever they are coupled want to be alike (Potts models), at fields that are summed. Else empty.
  std::vector<std::vector<double>> alike;
  std::vector<AtBeta> rungs;

  bool recolors() const { return !alike.empty(); }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
