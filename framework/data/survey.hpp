#pragma once

#include <vector>

#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace v1 {

/// What one look at the values of a column tells. Entries that are missing take no part.
struct ColumnSurvey {
  double min = 0, max = 0;
  bool whole = true;        ///< every value is an integer
  bool counts_rows = true;  ///< row r has the value of row 0 plus r
  /// How often each of 0, 1, … occurs, where every value is an integer from 0 to 255; else empty.
  std::vector<std::uint32_t> counts;
  Index at_min = 0, at_max = 0;  ///< rows that have the smallest value, and the largest

  bool constant() const { return min == max; }
  /// Share of the rows that have another value than the most frequent one; where `counts` is empty, than the more frequent of
  /// the smallest and the largest.
  double variety(Index rows) const;
  /// 0 and 1 alone, each in at least one row of twenty: a column that says yes or no, and no corner that is nearly always 0.
  bool is_yes_or_no(Index rows) const;
  /// The integers from 0 or 1 to at most 99, three of them or more, each in at least a quarter as many rows as the mean: what
  /// a column of classes looks like, and hardly one of measurements.
  bool looks_like_classes() const;
};

/// What one look at a data set tells of the kind of units that could take it. Of `each_epoch` bits, those of epoch 0.
struct DataSurvey {
  std::vector<ColumnSurvey> columns;
  double min = 0, max = 0;
  bool whole = true;
  /// Share of the variance of all values that bits keep, 1 above the middle of [low, high]: 1 of values that are two-valued
  /// already, 3/4 of values spread evenly, 2/π of normal ones about the middle.
  double kept_by_threshold = 1;
};

/// Values from `low` to `high` are what a threshold in the middle would make bits of.
DataSurvey survey(const Dataset& data, double low, double high);

/// Where samples are L × q values, q > 1, and each row of q is 0 but for a single 1, so that they are the states of L units:
/// q. Else 0.
Index one_hot_states(const Dataset& data);
/// Whether each row is units of `width` columns side by side, a single 1 in each and else 0, and nothing is missing.
bool is_one_hot(const Dataset& data, Index width);
/// Whether each column is the state of a unit of `width` of them, width > 1: a whole number from 0 below that, and rows are not
/// one-hot. Where nothing exceeds 1, rows of more than two states are more likely one-hot, if wrongly so.
bool holds_states(const Dataset& data, Index width);

}  // namespace v1
}  // namespace harmonium
