#include <harmonium/framework/run/run_logs.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// The `update` of a line of a log; 0 where it has none.
std::uint64_t update_of(std::string_view line) {
  constexpr std::string_view mark = "\"update\":";
  const auto at = line.find(mark);
  std::uint64_t update = 0;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + mark.size(), line.data() + line.size(), update);
  return update;
}

std::string sha256_of_line(std::string_view line) {
  constexpr std::string_view mark = "\"sha256\":\"";
  const auto at = line.find(mark);
  return at == std::string_view::npos ? "" : std::string(line.substr(at + mark.size(), 64));
}

fs::path checkpoint_of(const fs::path& folder, std::uint64_t update) {
  return folder / "checkpoints" / fmt::format("{}.h5", update);
}

constexpr std::uint64_t any_update = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::optional<std::uint64_t> update_of_checkpoint(const fs::path& file) {
  const std::string name = file.stem().string();
  std::uint64_t update = 0;
  std::from_chars(name.data(), name.data() + name.size(), update);
  if (file.extension() != ".h5" || name != std::to_string(update)) return std::nullopt;
  return update;
}

std::vector<std::string> read_log(const fs::path& path, const LogNeed& need) {
  std::vector<std::string> kept;
  std::uint64_t next = need.every, before = 0;
  const auto check_next = [&](std::uint64_t update) {
    if (need.every == 0 || next >= update) return;
    throw DataError(
        fmt::format("{}: the line of update {} is missing, and the run goes on after update {}. Put the log back as it "
                    "was, or start a new run.",
                    path.string(), next, need.last));
  };
  std::ifstream file(path);
  for (std::string line; std::getline(file, line) && !file.eof();) {  // a line cut short has no end
    const std::uint64_t update = update_of(line);
    if (update == 0)
      throw DataError(
          fmt::format("{}: line {} is none that a run writes. Put the log back as it was, or start a new run.",
                      path.string(), kept.size() + 1));
    if (update > need.last) break;
    if (need.every > 0 && update == before && !need.over) continue;  // of the end of a run that now goes on
    before = update;
    check_next(update);
    if (update == next) next += need.every;
    kept.push_back(std::move(line));
  }
  if (need.every > 0) check_next(need.required / need.every * need.every + 1);
  return kept;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string checkpoint_line(std::uint64_t update, const std::string& sha256) {
  return fmt::format("{{\"update\":{},\"sha256\":\"{}\"}}", update, sha256);
}

ResumePoint resume_point(const fs::path& folder) {
  ResumePoint point;
  std::error_code error;
  std::vector<std::uint64_t> listed;
  for (const std::string& line : read_log(folder / checkpoint_list, {any_update, 0, 0}))
    listed.push_back(update_of(line));
  for (const auto& entry : fs::directory_iterator(folder / "checkpoints", error)) {
    const std::optional<std::uint64_t> update = update_of_checkpoint(entry.path());
    if (!update) continue;
    if (std::ranges::find(listed, *update) == listed.end()) {
      point.strangers.push_back(entry.path());
    } else if (!point.checkpoint || *update > point.update) {
      point.checkpoint = checkpoint_of(folder, *update);
      point.update = *update;
    }
  }
  std::erase_if(point.strangers, [&](const fs::path& file) { return *update_of_checkpoint(file) < point.update; });
  std::ranges::sort(point.strangers);
  return point;
}

std::vector<fs::path> kept_checkpoints(const fs::path& folder) {
  std::vector<std::uint64_t> updates;
  for (const std::string& line : read_log(folder / checkpoint_list, {any_update, 0, 0}))
    if (fs::exists(checkpoint_of(folder, update_of(line)))) updates.push_back(update_of(line));
  std::ranges::sort(updates);
  // One may have been made twice, after a kill.
  updates.erase(std::unique(updates.begin(), updates.end()), updates.end());
  std::vector<fs::path> files;
  files.reserve(updates.size());
  for (const std::uint64_t update : updates) files.push_back(checkpoint_of(folder, update));
  return files;
}

void check_checkpoints(const fs::path& folder, const ResumePoint& point) {
  if (!point.strangers.empty() && !fs::exists(folder / checkpoint_list))
    throw DataError(
        fmt::format("{}: it is missing, so that nothing tells which of the checkpoints are this run's. Put it back, or "
                    "start a new run.",
                    (folder / checkpoint_list).string()));
  for (const std::string& line : read_log(folder / checkpoint_list, {point.update, 0, 0})) {
    const fs::path file = checkpoint_of(folder, update_of(line));
    const bool latest = update_of(line) == point.update;
    if (!fs::exists(file) || (!latest && fs::exists(checksum_path(file)))) continue;
    const std::string found = sha256_of_file(file), expected = sha256_of_line(line);
    if (found == expected && !fs::exists(checksum_path(file))) {
      probe_hdf5(file);  // with a checksum it would be taken as it is
      write_checksum(file);
    }
    if (found != expected && latest)
      throw DataError(fmt::format(
          "{}: not the file that was written by this run (its SHA-256 is {}, and {} holds {}). Remove it to "
          "go on from an earlier one.",
          file.string(), found, checkpoint_list, expected));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
