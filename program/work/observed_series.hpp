#pragma once

#include <harmonium/framework/inference/layer_observables.hpp>
#include <harmonium/framework/inference/thermal_series.hpp>
#include <harmonium/program/work/observation.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws before any work where `--series FILE` could not be written or is of no known kind.
void check_series_output(const ObserveRequest& request);

/// What writing the series takes while it works.
double bytes_of_series(const ThermalPlan& plan);

/// Writes `--series FILE`: beta, chain, step, energy and the order of the layer, its magnetization, mean or Potts order, a row for
/// each measurement: temperature by temperature from the hottest, chain by chain, in the order of time. `found` has the
/// temperatures as they were given, and is told of the file.
void write_series(const ObserveRequest& request, const ThermalRecord& record, const LayerObservables& what,
                  Observation& found);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
