#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/run/study_folder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The parts of a study, each kept in its folder as soon as it is made, so that a study which was broken off goes on.
class StudyParts {
 public:
  /// `what` they are called ("runs"). Both references must outlive it.
  StudyParts(const StudyRequest& request, const StudyFolder& folder, std::vector<std::string> names, std::string what);

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
  const StudyRequest& request_;
  const StudyFolder& folder_;
  std::vector<std::string> names_;
  std::string what_;
  std::vector<Index> missing_;
  std::mutex mutex_;
  Index made_ = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
