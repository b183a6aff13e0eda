#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/studies/study_folder.hpp>

namespace harmonium {
inline namespace v1 {

/// What a study's parts are made with.
struct StudyWork {
  int threads = 0;                          ///< 0: all cores
  const std::atomic<bool>* stop = nullptr;  ///< set by a signal: end soon, keeping what is done
  Display* display = nullptr;
};

/// The parts of a study, each kept in its folder as soon as it is made, so that a study which was broken off goes on.
class StudyParts {
 public:
  /// `called` as in "runs". The folder must outlive it.
  StudyParts(const StudyWork& work, const StudyFolder& folder, std::vector<std::string> names, std::string called);

  const StudyWork& work() const { return work_; }
  Index total() const { return names_.size(); }
  Index done() const { return total() - missing_.size() + made_; }
  /// The parts that the folder did not hold, in the order in which they are begun.
  const std::vector<Index>& missing() const { return missing_; }
  /// Has parts begun earlier that are less.
  template <class Less>
  void begin_by(const Less& less) {
    std::ranges::stable_sort(missing_, less);
  }

  /// Says how much there was to begin with.
  void announce() const;
  /// Makes what is missing, several parts at a time, and keeps each. Throws what `make` throws: Stopped once a signal came.
  void make(const std::function<Value(Index part)>& make);
  /// Shows how much is done, and `more`. From any thread.
  void show_progress(const std::string& more = "");
  /// What was kept of a part, with its place.
  Value read(Index part) const;

 private:
  StudyWork work_;
  const StudyFolder& folder_;
  std::vector<std::string> names_;
  std::string called_;
  std::vector<Index> missing_;
  std::mutex mutex_;
  Index made_ = 0;
};

/// An entry of the table that a part was kept as. Throws DataError where it is missing or of another type.
template <class T>
const T& entry_of_part(const Value& table, const char* name) {
  const Value* found = table.find(name);
  const T* value = found ? std::get_if<T>(&found->data) : nullptr;
  if (!value)
    throw DataError(table.where + ": the record of a run lacks '" + name +
                    "'. Remove the file, and the run is made again.");
  return *value;
}

}  // namespace v1
}  // namespace harmonium
