#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The folder of a run: config.toml (effective), metrics.jsonl (functions of configuration and seed alone), timing.jsonl,
/// checkpoints/, pictures/, and model.h5, written only by a run that ended well. Every line and file appears whole or not at all.
/// While one of these exists, no other process can have one on the same folder: they throw FileError.
class RunFolder {
 public:
  /// Throws ConfigError where `path` holds a run and `overwrite` is not set.
  static void check(const std::filesystem::path& path, bool overwrite);

  /// Creates the folder, with what an earlier run left there taken away, and writes config.toml. Where that fails, an
  /// earlier run is as it was, and no empty folder is left.
  static RunFolder create(const std::filesystem::path& path, const Value& effective);
  /// Creates runs/NAME-N below the current folder, N the next free number, also among runs that start together.
  static RunFolder create_next(const std::string& name, const Value& effective);
  /// Opens the folder of a run that is to go on after `position`: later lines of its logs are taken away.
  static RunFolder reopen(const std::filesystem::path& path, const TrainingPosition& position);
  /// The latest checkpoint in a folder.
  static std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path model_path() const { return path_ / "model.h5"; }
  std::filesystem::path checkpoint_path(std::uint64_t update) const;
  std::filesystem::path last_good_path() const { return path_ / "checkpoints" / "last_good.h5"; }
  /// Where a picture goes; makes the folder.
  std::filesystem::path picture_path(const std::string& name) const;
  void append_metrics(const std::string& line) const { append("metrics.jsonl", line); }
  void append_timing(const std::string& line) const { append("timing.jsonl", line); }

 private:
  explicit RunFolder(std::filesystem::path path);
  void append(const char* name, const std::string& line) const;

  std::filesystem::path path_;
  FolderLock lock_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
