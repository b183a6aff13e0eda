#pragma once

#include <vector>

#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a unit of a row is held, by its layer or alone.
bool holds_unit(const HeldMask& mask, LayerId layer, Index row, Index unit);

/// Units that are held in the same state in all rows, so that all rows follow one law p(x | held).
struct HeldState {
  Chains state;    ///< one row, in which these units are in that state
  HeldMask units;  ///< of that row

  bool holds(LayerId layer, Index unit) const { return holds_unit(units, layer, 0, unit); }
  /// Writes the state of the held units into every row.
  void write(Chains& chains) const;
  HeldMask mask(Index rows) const { return units.of_rows(std::vector<Index>(rows, 0)); }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
