#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which lines of a run's log a run goes on with.
struct LogNeed {
  std::uint64_t last = 0;      ///< update: later lines are dropped
  std::uint64_t every = 0;     ///< updates between two lines; 0: any lines will do
  std::uint64_t required = 0;  ///< no line up to this update may be missing
  bool over = false;           ///< the run is: the line stays that judges its last model, once more of the same update
};

/// The lines of a log that are kept, without their ends; none where there is no file. A line cut short, as a kill leaves
/// it, is dropped. Throws DataError where one is missing among those kept, or is none that a run writes.
std::vector<std::string> read_log(const std::filesystem::path& path, const LogNeed& need);
std::string text_of(const std::vector<std::string>& lines);

/// Says which checkpoints are the run's.
inline constexpr const char* checkpoint_list = "checkpoints.jsonl";

/// The update that a checkpoint is named after: N.h5. None of another file.
std::optional<std::uint64_t> update_of_checkpoint(const std::filesystem::path& file);

/// A line of it: that the run wrote the checkpoint of an update, and what is in it.
std::string checkpoint_line(std::uint64_t update, const std::string& sha256);

/// Where a run goes on.
struct ResumePoint {
  std::optional<std::filesystem::path> checkpoint = {};  ///< none: from the first update
  std::uint64_t update = 0;
  std::vector<std::filesystem::path> strangers = {};  ///< later checkpoints, which checkpoints.jsonl does not name
};

/// The latest checkpoint of those that checkpoints.jsonl names and that are there.
ResumePoint resume_point(const std::filesystem::path& folder);
/// The checkpoints that checkpoints.jsonl names and that are there, by ascending update.
std::vector<std::filesystem::path> kept_checkpoints(const std::filesystem::path& folder);
/// Throws DataError where that checkpoint is not the file that the run wrote, or where there are checkpoints and no
/// checkpoints.jsonl. Gives each of the run's up to this one the checksum beside it, where that is missing.
void check_checkpoints(const std::filesystem::path& folder, const ResumePoint& point);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
