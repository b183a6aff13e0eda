#pragma once

#include <span>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/thermal_series.hpp>
#include <harmonium/program/work/observation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What log Z of each temperature differs by from that of the hottest and of the next hotter one (log_z_along.hpp). An error is not
/// to be believed where that of the energy is not, at any of the temperatures between, or where few draws say how neighbors
/// differ. Nothing is told where none of them does. `found` has the averages of the record, the hottest first.
void tell_log_z(const ThermalRecord& record, const Executor& executor, Observation& found);

/// The same by sums over all states: log Z of each temperature but for a constant, in the order of `found`. What is infinite is left out.
void tell_exact_log_z(std::span<const double> log_z, Observation& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
