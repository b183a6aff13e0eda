#pragma once

#include <random>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Independent rows that come to follow exp(−beta E) by means that share nothing with what is under test: Metropolis moves of
/// one unit after another, by the model's energies alone and the standard library's generator. For checks of small
/// models whose law cannot be enumerated; how well the rows follow it is for the caller to find out.
class ReferenceRows {
 public:
  /// Columns of all layers up to which a check takes seconds.
  static constexpr Index most_columns = 32;
  /// Layers and units of `held` keep the values that they start with.
  ReferenceRows(const EnergyModel& model, double beta, HeldMask held, Chains start, std::uint64_t seed);

  /// Proposes for every unit of every row, `num` times: of a discrete unit any state, of a continuous one a normal step
  /// whose width is drawn anew from 1/16 to 4.
  void sweep(Index num);
  const Chains& rows() const { return rows_; }
  /// Whether all energies are finite, and no unit is beyond 10⁶: where there is no density, rows run away.
  bool finite() const;

 private:
  void propose(LayerId layer, Index unit);

  const EnergyModel& model_;
  double beta_;
  HeldMask held_;
  std::mt19937_64 random_;
  Chains rows_;
  std::vector<double> energy_, proposed_;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
