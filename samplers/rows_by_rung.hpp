#pragma once

#include <string_view>
#include <vector>

#include <harmonium/framework/inference/machine_ladder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The rows of logical chains as a MachineLadder has them, a batch of rows at each rung, and back. Which row of the chains stands
/// at a rung is known by its number.
class RowsByRung {
 public:
  /// Throws in the name of `who` where a logical chain has not a row at each rung. `layout` must outlive it.
  RowsByRung(const Layout& layout, const Chains& chains, Index rungs, std::string_view who);
  /// Hands the rows over to a ladder.
  MachineLadder ladder(std::vector<const EnergyModel*> machines, const HeldMask* held);
  void put_back(const MachineLadder& from, Chains& chains) const;

 private:
  const Layout& layout_;
  Index rungs_;
  std::vector<Chains> rows_;
  std::vector<Index> places_;  ///< of each ladder, the rows by rung
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
