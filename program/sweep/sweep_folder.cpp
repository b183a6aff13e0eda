#include <harmonium/program/sweep/sweep_folder.hpp>

#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/files/output_folder.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

constexpr SweepEnd::State sweep_states[] = {SweepEnd::State::finished, SweepEnd::State::diverged,
                                            SweepEnd::State::failed};

/// A file of a run that ended so; null where there need be none.
const char* what_is_left(SweepEnd::State state) {
  switch (state) {
    case SweepEnd::State::finished: return "model.h5";
    case SweepEnd::State::diverged: return "metrics.jsonl";
    case SweepEnd::State::failed: return nullptr;
  }
  return nullptr;
}

/// The last error that a run said; empty where it said none.
std::string last_error(const fs::path& log) {
  constexpr std::string_view mark = "harmonium: ", note = "harmonium: note: ";
  std::string last;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(mark) && !line.starts_with(note)) last = line.substr(mark.size());
  return last;
}

/// What is the same wherever the sweep lies, and however often the run was broken off.
std::string without_places(std::string error, const fs::path& folder) {
  // A run that went on has another last good model than one that never was broken off.
  if (const auto at = error.find(" The model as it was at update "); at != std::string::npos) error.resize(at);
  const std::string own = folder.string() + "/";
  for (auto at = error.find(own); at != std::string::npos; at = error.find(own)) error.erase(at, own.size());
  return error;
}

}  // namespace

std::string name_of(SweepEnd::State state) {
  switch (state) {
    case SweepEnd::State::finished: return "finished";
    case SweepEnd::State::diverged: return "diverged";
    case SweepEnd::State::failed: return "failed";
  }
  return "";
}

void SweepFolder::check() const {
  std::error_code error;
  if (fs::is_directory(path_ / "ends", error)) return;
  for (const auto& entry : fs::directory_iterator(path_, error))
    if (const std::string name = entry.path().filename().string();
        name == "sweep.csv" || (name.starts_with("by_") && name.ends_with(".svg")))
      throw ConfigError(fmt::format(
          "--output {}: the folder holds a file '{}' and no sweep (no folder 'ends') that it is of, and the "
          "sweep would replace it. Give another folder, or move that file.",
          path_.string(), name));
}

void SweepFolder::create() const {
  for (const char* part : {"configs", "runs", "logs", "ends"}) create_folders(path_ / part);
}

std::optional<SweepEnd> SweepFolder::end(const std::string& run) const {
  std::ifstream file(end_path(run));
  SweepEnd end;
  std::string state;
  if (!file || !std::getline(file, state)) return {};
  std::getline(file, end.error);
  for (const SweepEnd::State known : sweep_states) {
    if (state != name_of(known)) continue;
    end.state = known;
    // Whoever takes a run away has it made again.
    if (const char* left = what_is_left(known); left && !fs::exists(this->run(run) / left)) return {};
    return end;
  }
  throw DataError(
      fmt::format("{}: '{}' is none of finished, diverged and failed. Remove the file: the sweep looks at "
                  "the run again.",
                  end_path(run).string(), state));
}

bool SweepFolder::over(const std::string& run) const {
  const std::optional<SweepEnd> known = end(run);
  return known && known->state != SweepEnd::State::failed;
}

void SweepFolder::write_end(const std::string& run, const SweepEnd& end) const {
  write_file_atomically(end_path(run), fmt::format("{}\n{}\n", name_of(end.state), end.error));
}

SweepEnd SweepFolder::end_of(const std::string& name, int status) const {
  if (status == 0) return {};
  const fs::path folder = run(name);
  std::error_code unknown;
  const bool diverged = status > 0 && fs::exists(folder / "checkpoints" / "last_good.h5", unknown) &&
                        !fs::exists(folder / "model.h5", unknown);
  std::string error = status > 0 ? last_error(log(name)) : "";
  if (error.empty())
    error = status < 0 ? fmt::format("killed by signal {} ({}){}", -status, ::strsignal(-status),
                                     status == -9 ? "; where memory was short, give --memory" : "")
                       : fmt::format("ended with status {}", status);
  return {diverged ? SweepEnd::State::diverged : SweepEnd::State::failed, without_places(error, path_)};
}

bool SweepFolder::busy(const std::string& name) const {
  std::error_code unknown;
  if (!fs::is_directory(run(name), unknown)) return false;
  try {
    const FolderLock lock(run(name), "trains");
    return false;
  } catch (const FileError&) {
    return true;
  }
}

}  // namespace v1
}  // namespace harmonium
