#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/run/log_writer.hpp>
#include <harmonium/framework/run/run_logs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The folder of a run: config.toml (effective, with the checksums of the files of data in a comment), metrics.jsonl (functions
/// of configuration and seed alone), timing.jsonl, checkpoints/ and checkpoints.jsonl, which says which of them are the run's,
/// pictures/, best.h5, where the run keeps its best model, final.jsonl, verdict.txt, and model.h5, written only by a run that ended
/// well.
/// Every line and file appears whole or not at all. Whatever writes throws FileError where the folder or a log was removed
/// meanwhile.
class RunFolder {
 public:
  /// Throws ConfigError where `path` holds a run and `overwrite` is not set.
  static void check(const std::filesystem::path& path, bool overwrite);

  /// Creates the folder, with what an earlier run left there taken away, and writes config.toml. Where that fails, an
  /// earlier run is as it was, and no empty folder is left.
  static RunFolder create(const std::filesystem::path& path, const Value& effective, const std::vector<DataFile>& data);
  /// Creates runs/NAME-N below the current folder, N the next free number, also among runs that start together.
  static RunFolder create_next(const std::string& name, const Value& effective, const std::vector<DataFile>& data);
  /// What one holds of a folder from its beginning. A run that is to go on takes it before it reads where.
  static FolderLock lock(const std::filesystem::path& path) { return {path, "trains"}; }
  /// Opens the folder of a run that is to go on: lines of its logs after `need.last` are taken away, and where it is not over, what
  /// judged the last model. Throws DataError where lines that are needed are missing.
  static RunFolder reopen(const std::filesystem::path& path, FolderLock lock, const LogNeed& need);
  /// Puts the configuration of a run that is to be longer in place of the one there is.
  void replace_config(const Value& effective, const std::vector<DataFile>& data) const;
  /// Takes away the files of a run that was refused before it had anything to show, with its folder where nothing else is in
  /// it, so that the corrected command is not refused for them. A run that measured or kept anything stays.
  void discard() const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path model_path() const { return place("model.h5"); }
  std::filesystem::path best_path() const { return place("best.h5"); }
  /// Whether chains mix on the trained model, in a line.
  std::filesystem::path verdict_path() const { return place("verdict.txt"); }
  /// Exact likelihoods of all rows under the trained model, as a line of metrics.jsonl.
  std::filesystem::path final_path() const { return place("final.jsonl"); }
  /// That rows which the run sets aside were trained on before (leak_file.hpp).
  std::filesystem::path leak_path() const { return place(leak_file); }
  /// Takes away what was said at the end, and computed after it: the verdict, and likelihoods of all rows.
  void remove_last_words() const;
  /// Takes away a best model that is not this run's.
  void remove_best() const;
  std::filesystem::path checkpoint_path(std::uint64_t update) const;
  std::filesystem::path last_good_path() const { return path_ / "checkpoints" / "last_good.h5"; }
  std::filesystem::path metrics_path() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path pictures_path() const { return path_ / "pictures"; }
  /// Where a picture of that file name goes; makes the folder.
  std::filesystem::path picture_path(const std::string& file) const;
  void append_metrics(const std::string& line) const { append_line(place("metrics.jsonl"), line); }
  void append_timing(const std::string& line) const { append_line(place("timing.jsonl"), line); }
  /// Puts the logs on the disk: before a file that counts on their lines.
  void flush_logs() const;
  /// Makes the checkpoint of an update, written already, one that the run goes on from.
  void list_checkpoint(std::uint64_t update) const;
  /// Takes away the checkpoints of updates before `update` that need not stay.
  void remove_checkpoints(std::uint64_t update, FunctionRef<bool(std::uint64_t)> stays) const;
  /// Throws FileError where the folder was removed or replaced while the run was going on.
  void check_still_there() const;

 private:
  RunFolder(std::filesystem::path path, FolderLock lock);
  /// Where a file of the run is, or goes; throws as check_still_there does.
  std::filesystem::path place(const std::filesystem::path& name) const;

  std::filesystem::path path_;
  FolderLock lock_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
