#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include <harmonium/framework/run/request.hpp>
#include <harmonium/program/sweep/child_processes.hpp>
#include <harmonium/program/sweep/sweep_folder.hpp>
#include <harmonium/program/sweep/sweep_progress.hpp>

namespace harmonium {
inline namespace v1 {

/// A run that is to be made or gone on with.
struct SweepTask {
  std::string run;
  double bytes = 0.0;                   ///< of memory, at its peak
  double updates = 0.0, seconds = 0.0;  ///< that it makes; that it takes, by a guess
};

/// How much at a time.
struct SweepLimits {
  int jobs = 1, threads = 1;  ///< runs side by side; threads of each
  double bytes = 0.0;         ///< of memory of all together; 0: any
};

/// The runs of a sweep that are not over, made side by side. One whose folder another process trains in is left to that
/// one, and looked at again once it has ended.
class SweepWork {
 public:
  SweepWork(const SweepFolder& folder, const std::vector<SweepTask>& tasks, const SweepLimits& limits,
            const CommonRequest& request);
  /// Makes them, and writes how each ended. False where a signal came: all have then been asked for an orderly end.
  bool go();

 private:
  using Clock = std::chrono::steady_clock;
  void start_some();
  bool fits(const SweepTask& task) const;
  void start(std::size_t number);
  void take(std::size_t number, int status);
  /// Looks how far a run is.
  void look_at(std::size_t number);
  void show();

  const SweepFolder& folder_;
  const std::vector<SweepTask>& tasks_;
  const SweepLimits& limits_;
  const CommonRequest& request_;
  ChildProcesses processes_;
  std::deque<std::size_t> waiting_;
  std::vector<std::size_t> elsewhere_;  ///< that another process trains
  std::vector<std::size_t> under_way_;
  SweepProgress progress_;
  Clock::time_point looked_{}, measured_{};
  double bytes_ = 0.0;
  std::size_t done_ = 0;
  bool stopping_ = false;
};

}  // namespace v1
}  // namespace harmonium
