#pragma once

#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// What estimators of a loss ask for, each with the reason and what to try; `name` is the estimator's. They throw
// CapabilityError.

/// That no entry of the data is missing.
void check_complete(const char* name, const DataOutline& data);
/// That the latent units can be summed out in closed form.
void check_summed_out(const char* name, const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
