#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The folder of a study: config.toml, runs/NAME.toml for each part that is done, and the results once all are. Every file
/// appears whole or not at all. A study that differs from the folder's in `num_seeds` alone goes on with its parts.
class StudyFolder {
 public:
  /// Opens `request.output`, or creates it. Throws ConfigError where it holds a training run, or another study that is not to
  /// be overwritten, and FileError where another process studies in it.
  StudyFolder(const StudyRequest& request, const Value& effective);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path part_path(const std::string& name) const { return path_ / "runs" / (name + ".toml"); }

 private:
  void clear_results() const;
  void clear_parts(const Value& effective) const;

  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

/// An entry of the table that a part was kept as. Throws DataError where it is missing or of another type.
template <class T>
const T& entry_of_part(const Value& table, const char* name) {
  const Value* found = table.find(name);
  const T* value = found ? std::get_if<T>(&found->data) : nullptr;
  if (!value)
    throw DataError(fmt::format("{}: the record of a run lacks '{}'. Remove the file, and the run is made again.",
                                table.where, name));
  return *value;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
