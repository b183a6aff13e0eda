#pragma once

#include <string>
#include <vector>

#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/sweep/sweep_folder.hpp>
#include <harmonium/program/sweep/sweep_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// What the runs of a sweep came to.
struct SweepResults {
  std::vector<std::optional<SweepEnd>> ends;  ///< of each run; nothing of one that is not over
  std::vector<ComparedRun> logs;              ///< what each measured, as far as the figures are the run's for good
  std::vector<std::string> verdicts;          ///< empty where there is none
  std::vector<ComparedFigure> figures;        ///< at their ends, by interest

  std::size_t count(SweepEnd::State state) const;
  std::size_t unfinished() const;
};
SweepResults results_of(const SweepRuns& runs, const SweepFolder& folder);

/// sweep.csv: a row for each run with its folder, its settings, how it ended, its figures at its end with their errors or
/// intervals, and their epochs where one is of an earlier one, the verdict on its chains and what went wrong. A function of the
/// sweep, and of `order`, alone once all runs are over: the places of the runs in it, one a row.
std::string table_of_sweep(const SweepRuns& runs, const SweepResults& results, const std::vector<std::size_t>& order);

/// A value as a cell or a label: a text without its quotation marks.
std::string text_of_setting(const Value& value);

}  // namespace v1
}  // namespace harmonium
