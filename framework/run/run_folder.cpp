#include <harmonium/framework/run/run_folder.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* doing, const fs::path& path, const std::string& why) {
  throw FileError(fmt::format("cannot {} {}: {}", doing, path.string(), why));
}

constexpr const char* run_files[] = {"config.toml",
                                     "metrics.jsonl",
                                     "timing.jsonl",
                                     "model.h5",
                                     "model.h5.sha256",
                                     "pictures/data.png",
                                     "pictures/filters.png",
                                     "pictures/chains.png",
                                     "pictures/reconstructions.png",
                                     "pictures/samples.png"};

/// Folders that were made for a run, taken away again where they are still empty and nobody kept them.
class MadeFolders {
 public:
  explicit MadeFolders(const fs::path& path) {
    std::error_code error;
    for (fs::path p = path; !p.empty() && !fs::exists(p, error) && p != p.parent_path(); p = p.parent_path())
      made_.push_back(p);
  }
  ~MadeFolders() {
    std::error_code error;
    for (const fs::path& p : made_) fs::remove(p, error);  // which leaves a folder that holds anything
  }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;  // the deepest first
};

/// The `update` of a line of a log.
std::uint64_t update_of(const std::string& line) {
  constexpr std::string_view mark = "\"update\":";
  const auto at = line.find(mark);
  std::uint64_t update = 0;
  if (at != std::string::npos) std::from_chars(line.data() + at + mark.size(), line.data() + line.size(), update);
  return update;
}

/// Whether a run writes files of this name to its checkpoints/: N.h5, last_good.h5, and their checksums.
bool is_checkpoint_file(std::string name) {
  if (name.ends_with(".sha256")) name.resize(name.size() - 7);
  if (!name.ends_with(".h5")) return false;
  name.resize(name.size() - 3);
  return name == "last_good" || (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
}

}  // namespace

RunFolder::RunFolder(fs::path path) : path_(std::move(path)), lock_(path_, "trains") {}

void RunFolder::check(const fs::path& path, bool overwrite) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error))
    throw ConfigError(
        fmt::format("--output {}: a file of this name exists. Give the name of a folder.", path.string()));
  if (overwrite) return;
  for (const char* file : run_files)
    if (fs::exists(path / file, error))
      throw ConfigError(
          fmt::format("--output {}: the folder holds a run already ({}). Take another folder, or add "
                      "--overwrite to replace it.",
                      path.string(), file));
  if (!fs::is_empty(path / "checkpoints", error) && !error)
    throw ConfigError(
        fmt::format("--output {}: its folder 'checkpoints' is not empty. Take another folder, or add --overwrite to "
                    "replace what a run left there.",
                    path.string()));
}

RunFolder RunFolder::create(const fs::path& path, const Value& effective) {
  std::error_code error;
  MadeFolders made(path / "checkpoints");
  fs::create_directories(path / "checkpoints", error);
  if (error) fail("create the folder", path, error.message());
  // The new configuration is on the disk before anything of an earlier run goes, and takes its name after: where it cannot
  // be written the earlier run is whole, and no moment shows it beside another run's checkpoints.
  RunFolder folder(path);
  AtomicFile config(path / "config.toml");
  config.write(write_toml(effective));
  made.keep();
  for (const char* file : run_files)
    if (std::strcmp(file, "config.toml") != 0) fs::remove(path / file, error);
  for (const auto& entry : fs::directory_iterator(path / "checkpoints", error))
    if (is_checkpoint_file(entry.path().filename().string())) fs::remove(entry.path(), error);
  if (fs::is_directory(path / "pictures", error)) fs::remove(path / "pictures", error);  // where it is empty
  config.commit();
  folder.append("metrics.jsonl", "");
  folder.append("timing.jsonl", "");
  return folder;
}

RunFolder RunFolder::create_next(const std::string& name, const Value& effective) {
  const fs::path runs = fs::current_path() / "runs";
  MadeFolders made(runs);
  std::error_code error;
  fs::create_directories(runs, error);
  if (error) fail("create the folder", runs, error.message());
  for (int n = 1;; ++n) {
    const fs::path path = runs / fmt::format("{}-{}", name, n);
    MadeFolders claimed(path);
    // Of several runs that start at once, this lets one have the name.
    if (!fs::create_directory(path, error)) {
      claimed.keep();
      if (error && !fs::exists(path)) fail("create the folder", path, error.message());
      continue;
    }
    RunFolder folder = create(path, effective);
    claimed.keep();
    made.keep();
    return folder;
  }
}

RunFolder RunFolder::reopen(const fs::path& path, const TrainingPosition& position) {
  RunFolder folder(path);
  for (const char* name : {"metrics.jsonl", "timing.jsonl"}) {
    std::ifstream file(path / name);
    std::string kept, line;
    while (std::getline(file, line))
      if (!file.eof() && update_of(line) <= position.update) kept += line + "\n";  // a line cut short has no end
    file.close();
    write_file_atomically(path / name, kept);
  }
  std::error_code error;
  fs::create_directories(path / "checkpoints", error);
  if (error) fail("create the folder", path / "checkpoints", error.message());
  return folder;
}

std::optional<fs::path> RunFolder::latest_checkpoint(const fs::path& path) {
  std::optional<fs::path> latest;
  std::uint64_t most = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path / "checkpoints", error)) {
    const std::string name = entry.path().stem().string();
    std::uint64_t update = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), update);
    if (entry.path().extension() != ".h5" || failed != std::errc{} || end != name.data() + name.size()) continue;
    if (latest && update <= most) continue;
    most = update;
    latest = entry.path();
  }
  return latest;
}

fs::path RunFolder::checkpoint_path(std::uint64_t update) const {
  return path_ / "checkpoints" / fmt::format("{}.h5", update);
}

fs::path RunFolder::picture_path(const std::string& name) const {
  std::error_code error;
  fs::create_directories(path_ / "pictures", error);
  if (error) fail("create the folder", path_ / "pictures", error.message());
  return path_ / "pictures" / (name + ".png");
}

void RunFolder::append(const char* name, const std::string& line) const {
  const fs::path file = path_ / name;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) fail("write", file, std::strerror(errno));
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  const std::string text = line.empty() ? "" : line + "\n";
  const ssize_t written = ::write(descriptor, text.data(), text.size());
  const int reason = errno;
  if (written != static_cast<ssize_t>(text.size())) {
    // A line is there whole or not at all. Where even that fails, the reader skips what has no end.
    if (::ftruncate(descriptor, before) != 0) errno = reason;
    ::close(descriptor);
    fail("write", file, std::strerror(written < 0 ? reason : ENOSPC));
  }
  ::close(descriptor);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
