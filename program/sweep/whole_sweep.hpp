#pragma once

#include <map>
#include <string>
#include <vector>

#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/sweep/sweep_runs.hpp>
#include <harmonium/program/sweep/sweep_table.hpp>
#include <harmonium/program/sweep/sweep_work.hpp>
#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace v1 {

/// Every how manieth run a task of an array makes, and from which on: the runs `index`, `index + count`, … from 1.
struct SweepShare {
  std::size_t index = 1, count = 1;
  bool has(std::size_t run) const { return run % count == index - 1; }
};

/// The seconds that the runs of a sweep take, by an estimate.
struct SweepSeconds {
  double updates = 0.0, all = 0.0;  ///< the updates alone; with what is measured, drawn and found at the ends
  bool at_most = false;             ///< runs may stop early
};

/// What a sweep asks for, checked as a whole.
class WholeSweep {
 public:
  /// Reads the sweep and its base; `request` has --set and what else the base takes, and receives the base. It must outlive this.
  /// Throws ConfigError, also where the folder holds what a sweep would replace and no sweep.
  WholeSweep(const std::string& path, const std::string& output, TrainRequest& request);

  const SweepRuns& runs() const { return runs_; }
  const SweepFolder& folder() const { return folder_; }
  const Value& slurm() const { return slurm_; }

  /// Builds the runs of a share that are not over, each with every error that it would begin with, and tells which run an
  /// error is of; of those that are over, throws DataError where data have changed since. Writes nothing.
  void assemble(const SweepShare& share);
  /// What was assembled.
  const std::vector<SweepTask>& tasks() const { return tasks_; }
  /// How long they take, with these limits, by a second of the updates of the one that is guessed to take longest and one time each
  /// of what that does beside them. There must be one. Throws what these updates throw.
  SweepSeconds seconds(const SweepLimits& limits) const;
  /// Writes the folder and the configurations of what was assembled.
  void write() const;
  /// Writes sweep.csv, its rows in `order`, and the figures as they stand. Returns the files, the table first.
  std::vector<std::string> write_results(const SweepResults& results, const std::vector<std::size_t>& order) const;

 private:
  std::string settings_text(std::size_t run) const;
  /// Tells where runs have different rows because their seeds differ, and what gives them the same.
  void tell_unlike_rows();
  /// Tells of how many runs the table will have no log likelihood, as `why` says of the first of them, `run`.
  void tell_dear_likelihood(std::size_t runs, std::size_t run, const std::string& why);
  /// The files that a run reads now; none where they cannot be read.
  const std::vector<DataSum>& read_data(const SweepRun& run);
  /// Throws DataError where a run that is over read others.
  void check_data(const SweepRun& run);

  TrainRequest& request_;
  ToldOnce told_;  ///< what runs say alike
  Value slurm_;
  SweepRuns runs_;
  SweepFolder folder_;
  std::vector<SweepTask> tasks_;
  std::vector<Value> configs_;                        ///< of these, effective
  std::map<std::string, std::vector<DataSum>> data_;  ///< of runs by their [data]
};

}  // namespace v1
}  // namespace harmonium
