#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <harmonium/framework/inference/machine_path.hpp>
#include <harmonium/models/layered.hpp>

namespace harmonium::testing {

/// A folder that looks like that of a run which kept these machines.
void write_trajectory(const std::filesystem::path& folder, const EnergyModel& model,
                      const std::vector<KeptMachine>& kept);

/// Machines that a training might have passed on its way to `model`: after updates 10, 20, 40, … its couplings are grown to equal
/// parts, and all parameters are a little off.
std::vector<KeptMachine> made_trajectory(const EnergyModel& model, Index num, std::uint64_t seed);

/// A copy with other parameters.
std::unique_ptr<EnergyModel> with_parameters(const EnergyModel& model, std::span<const Real> theta);

}  // namespace harmonium::testing
