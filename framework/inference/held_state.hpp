#pragma once

#include <vector>

#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Units that are held in the same state in all rows, so that all rows follow one law p(x | held).
struct HeldState {
  Chains state;    ///< one row, in which these units are in that state
  HeldMask units;  ///< of that row

  bool holds(LayerId layer, Index unit) const;
  /// Writes the state of the held units into every row.
  void write(Chains& chains) const;
  HeldMask mask(Index rows) const { return units.of_rows(std::vector<Index>(rows, 0)); }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
