#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// body(row, unit) for the units of a layer that are not seen.
template <class Body>
void for_each_hole(const HeldMask& seen, LayerId layer, Index units, Index rows, const Body& body) {
  if (seen.holds(layer)) return;
  const MatrixView<const std::uint8_t> held = seen.units(layer, 0, rows);
  for (Index r = 0; r < rows; ++r)
    for (Index u = 0; u < units; ++u)
      if (held.empty() || held(r, u) == 0) body(r, u);
}

/// Some rows as they are filled in.
struct FilledRows {
  const Chains& rows;
  std::span<const Index> places;        ///< of the rows that were named, the one that each is of
  std::span<const double> log_weights;  ///< −F(x) of each in nats
};

/// Calls `body` for all ways to fill in the rows of `which`, in order, some at a time. `ways` are those of all rows, finite of
/// these.
void for_each_way(const EnergyModel& model, const Chains& rows, const HeldMask& seen, std::span<const Index> which,
                  std::span<const double> ways, double beta, const Executor& executor,
                  FunctionRef<void(const FilledRows&)> body);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
