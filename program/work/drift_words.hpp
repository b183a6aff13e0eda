#pragma once

#include <optional>
#include <string>

#include <harmonium/framework/inference/energy_drift.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is said of rows whose energy still moves between half of the steps and the end, and what to do; nothing where it rests, or was
/// not looked at. `request` names its sampler.
std::optional<std::string> drift_words(const EnergyDrift& drift, const SampleRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
