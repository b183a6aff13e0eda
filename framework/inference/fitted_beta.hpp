#pragma once

#include <optional>

#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The inverse temperature between 1/20 and 20 at which the pseudo likelihood of the rows under the model is greatest (Besag
/// 1975): of draws at β it tends to β as they become many. At most 20 units of each layer of a row are looked at, more of few rows. Nothing where
/// the model has no pseudo likelihood, or where it grows up to an end.
std::optional<double> fitted_beta(const EnergyModel& model, const Chains& rows, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
