#pragma once

#include <string>

#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The name of the sampler that is `given`, or, where that is empty, of the one that is usual for the model.
inline std::string sampler_name(const std::string& given, const EnergyModel& model) {
  if (!given.empty()) return given;
  return stacked_machines(model) ? "top_down" : "gibbs";
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
