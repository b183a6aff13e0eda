#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/run_logs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The updates that the run was to have when the file of its model was written; none where that does not say.
std::optional<std::uint64_t> length_in_file(const std::filesystem::path& file, std::uint64_t updates_per_epoch);

/// The end that a run came to.
struct RunEnd {
  std::uint64_t made = 0;   ///< updates at which its model is
  std::uint64_t meant = 0;  ///< updates that it was to have; it stopped early where these are more
};
/// That of the run in `folder`, as its model.h5 has it; none where there is none. `fallback`: what it was to have, where the file
/// does not say.
std::optional<RunEnd> end_of_run(const std::filesystem::path& folder, std::uint64_t updates_per_epoch,
                                 std::uint64_t fallback);

/// Where a run in `folder` goes on. Throws DataError where that is not the file that this run wrote.
ResumePoint checked_point(const std::filesystem::path& folder, Display* display);

/// Puts the model and all that the components remember back as a checkpoint has them. Throws DataError, with the file's
/// name, where they cannot be of this run.
void restore(const ResumePoint& from, const Registries& registries, Experiment& experiment, TrainingPosition& position);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
