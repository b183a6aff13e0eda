#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/inference/column_drift.hpp>
#include <harmonium/framework/inference/energy_drift.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is said of rows whose energy, or else mean of some column, still moves between half of the steps and the end, and what to do;
/// nothing where they rest, or were not looked at. `request` names its sampler; `name_of` has the names of columns.
std::optional<std::string> drift_words(const EnergyDrift& drift, const ColumnDrift& columns,
                                       const SampleRequest& request, FunctionRef<std::string(Index column)> name_of);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
