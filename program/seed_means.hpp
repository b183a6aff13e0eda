#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/differing_settings.hpp>
#include <harmonium/program/figure_epochs.hpp>
#include <harmonium/program/repeated_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// The mean of a figure over runs that differ in nothing but the seed, of those that finished and have it.
struct SeedMean {
  std::size_t count = 0;
  double mean = 0.0;
  std::optional<double> error;  ///< standard error of the mean, from the scatter over seeds; nothing of a single run
  /// Standard error over the rows of data of one run, as the mean of theirs; of runs that share their rows it is in the mean over
  /// seeds too. Nothing of what is no mean over rows, or where a run does not tell it.
  std::optional<double> rows_error = {};
  /// Of how many an estimate of log Z is in the value, which has an interval for that, and the widest of their halves.
  std::size_t estimated = 0;
  double half_interval = 0.0;
  std::optional<FigureEpochs> earlier = {};      ///< where one of the runs went on after it had taken the figure
  std::size_t not_agreed = 0, not_measured = 0;  ///< of how many that finished it is not known, and why

  std::size_t finished() const { return count + not_agreed + not_measured; }
  FigureState state() const;
};

/// Of a figure of one or more runs.
SeedMean mean_of_seeds(const std::vector<double>& values);

/// Runs that differ in nothing but the seed, together.
struct SeedMeans {
  std::vector<std::string> settings;  ///< dotted paths of those in which groups differ
  std::vector<std::string> figures;   ///< by interest
  struct Group {
    std::size_t number = 0;                      ///< from 1, in the order of first runs, whatever they are sorted by
    std::string name;                            ///< "learning_rate = 0.1, num_hidden = 64", of no other; long ones cut
    std::string whole_name;                      ///< the same, uncut
    std::vector<std::string> values;             ///< of `settings`
    std::vector<std::optional<double>> numbers;  ///< of `settings`; none: it is no number
    std::size_t runs = 0, finished = 0;          ///< each seed once
    bool leaks = false;           ///< one of them sets rows aside that were trained on before: it is not the best
    std::vector<SeedMean> means;  ///< of `figures`, over the runs that finished
    std::vector<const ComparedRun*> members;  ///< these
    std::vector<RepeatedRun> repeats = {};    ///< that it does not count, as another of its runs has their seed
  };
  /// Settings for which the data of runs that finished are in different units (unlike_units.hpp).
  std::vector<std::string> unlike_units = {};
  /// Parts of the data, "validation", "test" or "" (those trained on), of which runs with one seed have other rows in other settings.
  std::vector<std::string> unlike_rows = {};
  bool own_rows = false;      ///< whether seeds set rows of their own aside (dealt_rows.hpp)
  std::vector<Group> groups;  ///< in the order of their first runs, unless sorted

  std::vector<RepeatedRun> repeats() const;  ///< of all groups
};

/// Of the figures after the last epoch; of a likelihood that all runs have of all rows at their ends, of that alone. Of runs with
/// one configuration and one seed one counts. Nothing where no two of the runs differ in the seed alone, or none that finished has a
/// figure. Members are those of `runs`.
std::optional<SeedMeans> means_over_seeds(const std::vector<ComparedRun>& runs,
                                          const std::vector<DifferingSetting>& settings);

/// Orders the groups by their mean of a figure, as runs are ordered by it (run_order.hpp); false where they have none of that name.
bool sort_means(SeedMeans& means, const std::string& figure);

}  // namespace v1
}  // namespace harmonium
