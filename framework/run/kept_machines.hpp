#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <harmonium/framework/inference/machine_path.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The machines of the checkpoints that a run kept, by ascending update; none where `run` is empty. Throws ConfigError where the
/// folder holds no run or no checkpoints, CapabilityError where the model cannot be copied, DataError where a checkpoint is
/// damaged or of another model.
std::vector<KeptMachine> kept_machines(const std::filesystem::path& run, const EnergyModel& model);
/// What tells the machines that `run` keeps from any others: four words of a checksum of their updates and files. Throws FileError
/// and DataError where these cannot be read.
std::vector<std::uint64_t> mark_of_kept(const std::filesystem::path& run);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
