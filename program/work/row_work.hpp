#pragma once

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the sums over latent units of rows at β go through their states, row by row: they are coupled and few, and those of no
/// stack, whose states are gone through once for all rows.
bool sums_states_row_by_row(const EnergyModel& model, double beta);
/// Seconds of one core that the sums over latent units of a row take, and its pseudo likelihood, about; 0 where it has neither.
double seconds_of_row(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
