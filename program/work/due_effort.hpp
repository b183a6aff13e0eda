#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The request with the usual effort in place of its own, where log Z of the model then takes no more operations than `effort_beyond`
/// says; else with the bound alone of rows whose latent units are coupled. Operations are counted, so that the figures of a model
/// do not depend on the machine.
EvaluateRequest with_due_effort(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                                const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
