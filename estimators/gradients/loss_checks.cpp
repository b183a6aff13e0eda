#include <harmonium/estimators/gradients/loss_checks.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void check_complete(const char* name, const DataOutline& data) {
  if (data.missing)
    throw CapabilityError(
        fmt::format("estimator '{}': it needs complete rows, and entries of the data are missing. Try 'pcd', whose "
                    "positive phase takes them as latent units.",
                    name));
}

void check_summed_out(const char* name, const EnergyModel& model) {
  if (!model.free_energy() || !model.free_energy()->closed(model.layout().observed()))
    throw CapabilityError(fmt::format(
        "estimator '{}': the latent units cannot be summed out in closed form, as they are coupled given the observed "
        "ones. Try 'pcd' or 'cd'.",
        name));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
