#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/log_z_difference.hpp>
#include <harmonium/program/same_rows.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// A figure of two models on the same rows. What varies from row to row varies alike in both, so that the error of the difference
/// is that of the mean of d_r = a_r − b_r, s(d)/√n, and not of the two means: most of it cancels.
struct PairedFigure {
  std::string name;
  double one = 0.0, other = 0.0;  ///< means over the rows that both have it of
  double difference = 0.0;        ///< one − other
  Index rows = 0;
  std::optional<double> rows_error = {};  ///< one standard error of the difference over rows; none of fewer than two
  /// Of the difference, at 95 %, where log Z of a model is not exact: log Z is one number for all rows, and no mean over them; or where
  /// sums of some rows are not.
  std::optional<Interval> interval = {};
  /// Of each alone, where its log Z or its rows are estimated: how far its interval reaches.
  std::optional<double> one_half_width = {}, other_half_width = {};
  bool rows_estimated = false;  ///< then there is no error over rows, as rows have no figures of their own
  std::string log_z_method =
      {};                  ///< how a difference of log Z was found that is no sum of exact ones (PairedLogZ::how)
  bool converted = false;  ///< whether it is of the data's own units, and a model of others
  /// Of the figure `variational_bound`: whether each is a lower bound, and no likelihood.
  bool one_bounded = false, other_bounded = false;
};

struct PairedRows {
  std::string words;  ///< "rows", "test rows"
  Index rows = 0;
  std::vector<PairedFigure> figures;
  /// Rows whose class the first model alone tells right, and the second alone; what McNemar (1947) tests by.
  std::optional<std::pair<Index, Index>> right_alone = {};
  std::vector<std::pair<std::string, std::string>> reasons = {};  ///< of each absent figure: why
  std::string bound_says =
      {};  ///< what the figure variational_bound says of the likelihoods, a sentence; empty: there is none
  std::string densities_say = {};  ///< of columns that are a density of one model and a probability of the other
  std::vector<std::string> advice =
      {};  ///< of each model that has some: its name, and what may settle its log Z (Evaluation)
};

/// A model, the rows that it was judged by and the figures that it has of them together.
struct JudgedModel {
  RowsOfModel rows;
  Evaluation found;
};

/// Which likelihoods are compared: those that both models have; or of a model that has one, its variational bound in their place.
enum class PairedBy : std::uint8_t { likelihoods, bounds };

/// Of the same rows (check_same_rows). Log likelihoods are those of the data's own units, with the difference of log Z that `log_z` has.
PairedRows paired_difference(const JudgedModel& one, const JudgedModel& other, const PairedLogZ& log_z,
                             PairedBy by = PairedBy::likelihoods);

}  // namespace v1
}  // namespace harmonium
