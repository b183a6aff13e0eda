#pragma once

#include <random>
#include <string>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/mean_changes.hpp>

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
  /// Sweeps before the rows are used; the second number for those that have not settled after the first.
  static constexpr Index burn_ins[] = {100, 400};
  /// Sweeps between two uses of the rows.
  static constexpr Index between = 6;
  /// Layers and units of `held` keep the values that they start with.
  ReferenceRows(const EnergyModel& model, double beta, HeldMask held, Chains start, std::uint64_t seed);

  /// Proposes for every unit of every row, `num` times: of a discrete unit any state, of a continuous one a normal step
  /// whose width is drawn anew from 1/16 to 4.
  void sweep(Index num);
  const Chains& rows() const { return rows_; }
  /// Why the rows do not follow the law, as far as can be seen: they have run away (energies are not finite, or units beyond
  /// 10⁶), or `drift`, of their own sweeps, is no accident.
  std::string complaint(const MeanChanges& drift) const;

 private:
  bool finite() const;
  void propose(LayerId layer, Index unit);

  const EnergyModel& model_;
  double beta_;
  HeldMask held_;
  std::mt19937_64 random_;
  Index swept_ = 0;
  Chains rows_;
  std::vector<double> energy_, proposed_;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
