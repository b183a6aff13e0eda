#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/files/folder_lock.hpp>

namespace harmonium {
inline namespace v1 {

/// What a study writes once all its parts are made.
struct StudyFiles {
  std::vector<std::string> tables;   ///< and other texts: names with their endings
  std::vector<std::string> figures;  ///< without endings
};

/// A study, as a folder is known to be its own.
struct KnownStudy {
  std::string name;
  std::vector<std::string> options;  ///< every option it may write into config.toml
  StudyFiles files;
};

/// Where a study is to be kept.
struct StudyPlace {
  std::string output;
  std::string study;  ///< its name
  bool overwrite = false;
  std::vector<KnownStudy> known;  ///< every study there is
  /// Whether a part of that name may go where the folder's study is overwritten.
  std::function<bool(const std::string& part)> is_part;
};

/// The name of the study that a config.toml is of, by its options, `likeliest` where that can be; empty where it is of none.
std::string study_of(const Value& config, const std::vector<KnownStudy>& known, const std::string& likeliest);

/// The folder of a study: config.toml, runs/NAME.toml for each part that is done, and the results once all are. Every file
/// appears whole or not at all. A study that differs from the folder's in `num_seeds` alone goes on with its parts.
class StudyFolder {
 public:
  /// Opens `place.output`, or creates it. Throws ConfigError where it holds a training run, or another study that is not to
  /// be overwritten, and FileError where another process studies in it.
  StudyFolder(const StudyPlace& place, const Value& effective);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path part_path(const std::string& name) const { return path_ / "runs" / (name + ".toml"); }

 private:
  enum class Held { nothing, same, other_seeds };
  Held look(const StudyPlace& place, const Value& effective) const;
  void clear_results(const StudyPlace& place) const;
  void clear_parts(const StudyPlace& place) const;

  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

}  // namespace v1
}  // namespace harmonium
