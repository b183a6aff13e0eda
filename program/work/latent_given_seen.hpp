#pragma once

#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/model/held_mask.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which rows lack more than a class that is summed out of complete rows in closed form, and so have holes.
std::vector<bool> rows_with_holes(const EnergyModel& model, const HeldMask& seen, Index rows);
/// E[h | what was seen] of a latent layer, rows × columns, by sums. A row without holes has its numbers in closed form, whatever
/// rows are beside it: the same bits as where no row has holes. Throws CapabilityError where a sum cannot be had.
Matrix<double> latent_given_seen(const EnergyModel& model, LayerId layer, const Chains& rows, const HeldMask& seen,
                                 const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
