#include <harmonium/framework/run/run_folder.hpp>

#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/control_characters.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/kept_likelihood.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/framework/run/made_folders.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_files[] = {"config.toml",
                                     "metrics.jsonl",
                                     "timing.jsonl",
                                     checkpoint_list,
                                     "model.h5",
                                     "model.h5.sha256",
                                     "best.h5",
                                     "best.h5.sha256",
                                     "final.jsonl",
                                     kept_likelihood_file,
                                     "verdict.txt",
                                     leak_file,
                                     "pictures/data.png",
                                     "pictures/filters.png",
                                     "pictures/chains.png",
                                     "pictures/reconstructions.png",
                                     "pictures/samples.png",
                                     "pictures/curves.svg",
                                     "pictures/index.html"};

/// What a run tells of itself as it goes on.
constexpr const char* logs[] = {"metrics.jsonl", "timing.jsonl"};

/// A configuration as config.toml has it: it repeats the run, and says for a person which data that read.
std::string config_text(const Value& effective, const std::vector<DataFile>& data) {
  std::string text = write_toml(effective);
  if (!data.empty()) text += "\n# The files of data that the run read, with their SHA-256:\n";
  for (const DataFile& file : data) {
    // The path must not end the comment.
    text += fmt::format("# {}  {}\n", file.sha256, without_control(file.path));
  }
  return text;
}

/// Clears what writers that were killed left in a run's folders.
void remove_left_partials_of_run(const fs::path& path) {
  for (const fs::path& part : {path, path / "checkpoints", path / "pictures"}) remove_left_partials(part);
}

/// Takes a file or an empty folder of an earlier run away.
void take_away(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error == std::errc::not_a_directory) return;  // a file has the name of its folder: it is not there
  if (error) throw FileError(fmt::format("cannot remove {}: {}", path.string(), error.message()));
}

/// Whether a run writes files of this name to its checkpoints/: N.h5, last_good.h5, and their checksums.
bool is_checkpoint_file(std::string name) {
  if (name.ends_with(".sha256")) name.resize(name.size() - 7);
  if (!name.ends_with(".h5")) return false;
  name.resize(name.size() - 3);
  return name == "last_good" || (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
}

}  // namespace

RunFolder::RunFolder(fs::path path, FolderLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

void RunFolder::check(const fs::path& path, bool overwrite) {
  std::error_code error;
  check_output_folder(path);
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

RunFolder RunFolder::create(const fs::path& path, const Value& effective, const std::vector<DataFile>& data) {
  std::error_code error;
  MadeFolders made(path / "checkpoints");
  create_folders(path / "checkpoints", path);
  // The new configuration is on the disk before anything of an earlier run goes: where it cannot be written the earlier
  // run is whole. The old one goes first and the new one takes its name last, each on the disk before what follows: a
  // folder that is half taken away holds no run, and at no moment one run's configuration beside another's checkpoints.
  RunFolder folder(path, lock(path));
  remove_left_partials_of_run(path);
  AtomicFile config(path / "config.toml");
  config.write(config_text(effective, data));
  made.keep();
  take_away(path / "config.toml");
  flush_folder(path);
  for (const char* file : run_files) take_away(path / file);
  for (const auto& entry : fs::directory_iterator(path / "checkpoints", error))
    if (is_checkpoint_file(entry.path().filename().string())) take_away(entry.path());
  if (fs::is_directory(path / "pictures", error)) fs::remove(path / "pictures", error);  // where it is empty
  flush_folder(path / "checkpoints");
  flush_folder(path);
  config.commit();
  for (const char* log : logs) begin_log(path / log);
  begin_log(path / checkpoint_list);
  return folder;
}

RunFolder RunFolder::create_next(const std::string& name, const Value& effective, const std::vector<DataFile>& data) {
  const fs::path runs = fs::current_path() / "runs";
  MadeFolders made(runs);
  create_folders(runs);
  for (int n = 1;; ++n) {
    const fs::path path = runs / fmt::format("{}-{}", name, n);
    MadeFolders claimed(path);
    // Of several runs that start at once, this lets one have the name.
    std::error_code error;
    if (!fs::create_directory(path, error)) {
      claimed.keep();
      if (error && !fs::exists(path)) fail_to_create(path, error);
      continue;
    }
    RunFolder folder = create(path, effective, data);
    claimed.keep();
    made.keep();
    return folder;
  }
}

RunFolder RunFolder::reopen(const fs::path& path, FolderLock lock, const LogNeed& need) {
  RunFolder folder(path, std::move(lock));
  remove_left_partials_of_run(path);
  for (const char* log : logs) check_replaceable(path / log);
  check_replaceable(path / checkpoint_list);
  for (const char* log : logs) write_file_atomically(path / log, text_of(read_log(path / log, need)));
  write_file_atomically(path / checkpoint_list, text_of(read_log(path / checkpoint_list, {need.last, 0, 0})));
  create_folders(path / "checkpoints");
  return folder;
}

void RunFolder::replace_config(const Value& effective, const std::vector<DataFile>& data) const {
  write_file_atomically(place("config.toml"), config_text(effective, data));
}

void RunFolder::discard() const {
  std::error_code error;
  const bool bare = fs::file_size(path_ / "metrics.jsonl", error) == 0 && !error &&
                    fs::is_empty(path_ / "checkpoints", error) && !error && !fs::exists(model_path(), error);
  if (!bare) return;
  for (const char* file : run_files) fs::remove(path_ / file, error);
  for (const char* folder : {"checkpoints", "pictures", ""}) fs::remove(path_ / folder, error);  // where it is empty
}

fs::path RunFolder::place(const fs::path& name) const {
  check_still_there();
  return path_ / name;
}

fs::path RunFolder::checkpoint_path(std::uint64_t update) const {
  return place(fs::path("checkpoints") / fmt::format("{}.h5", update));
}

void RunFolder::remove_best() const {
  const fs::path best = best_path();
  take_away(checksum_path(best));
  take_away(best);
}

void RunFolder::remove_last_words() const {
  take_away(final_path());
  take_away(place(kept_likelihood_file));
  take_away(verdict_path());
}

void RunFolder::check_still_there() const {
  if (!lock_.holds(path_))
    throw FileError(fmt::format(
        "{}: the folder was removed or replaced while the run was going on. What the run had kept there is lost to it: "
        "put the folder back and resume, or start the run again.",
        path_.string()));
}

fs::path RunFolder::picture_path(const std::string& file) const {
  const fs::path folder = place("pictures");
  create_folders(folder);
  return folder / file;
}

void RunFolder::list_checkpoint(std::uint64_t update) const {
  const std::string line = checkpoint_line(update, sha256_of_file(checkpoint_path(update)));
  const fs::path list = place(checkpoint_list);
  append_line(list, line);
  flush_log(list);
}

void RunFolder::remove_checkpoints(std::uint64_t update, FunctionRef<bool(std::uint64_t)> stays) const {
  check_still_there();
  std::vector<fs::path> removed;
  for (const auto& entry : fs::directory_iterator(path_ / "checkpoints")) {
    fs::path file = entry.path();
    if (file.extension() == ".sha256") file.replace_extension();
    const auto own = update_of_checkpoint(file);
    if (own && *own < update && !stays(*own)) removed.push_back(entry.path());
  }
  for (const fs::path& file : removed) take_away(file);
}

void RunFolder::flush_logs() const {
  for (const char* log : logs) flush_log(place(log));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
