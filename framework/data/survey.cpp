#include <harmonium/framework/data/survey.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index rows_at_a_time = 512;  // so that memory does not grow with them

void add(ColumnSurvey& column, double value, bool first, Index row) {
  if (first) {
    column.min = column.max = value;
    column.counts_rows = row == 0;
  }
  column.counts_rows &= value == column.min + static_cast<double>(row);
  if (value < column.min) column.at_min = 0;
  if (value > column.max) column.at_max = 0;
  column.min = std::min(column.min, value);
  column.max = std::max(column.max, value);
  column.at_min += value == column.min ? 1 : 0;
  column.at_max += value == column.max ? 1 : 0;
  column.whole &= value == std::floor(value);
  if (!column.whole || column.min < 0 || column.max > 255) {
    column.counts.clear();
    return;
  }
  const auto at = static_cast<Index>(value);
  if (at >= column.counts.size()) column.counts.resize(at + 1);
  ++column.counts[at];
}

/// Count, sum and sum of squares of values on one side of the threshold.
struct Side {
  double count = 0, sum = 0, squares = 0;
  void add(double v) {
    ++count;
    sum += v;
    squares += v * v;
  }
};

double kept(const Side& below, const Side& above) {
  const double n = below.count + above.count, mean = (below.sum + above.sum) / n;
  const double variance = (below.squares + above.squares) / n - mean * mean;
  if (below.count == 0 || above.count == 0 || variance <= 0) return 0;
  const double apart = above.sum / above.count - below.sum / below.count;
  return (below.count / n) * (above.count / n) * apart * apart / variance;
}

bool are_states(std::span<const double> row, Index width) {
  for (Index c = 0; c < row.size(); c += width) {
    const std::span<const double> unit = row.subspan(c, width);
    if (std::ranges::count(unit, 1.0) != 1 || static_cast<Index>(std::ranges::count(unit, 0.0)) + 1 != width)
      return false;
  }
  return true;
}

}  // namespace

double ColumnSurvey::variety(Index rows) const {
  const Index most = counts.empty() ? std::max(at_min, at_max) : *std::max_element(counts.begin(), counts.end());
  return 1 - static_cast<double>(most) / static_cast<double>(rows);
}

bool ColumnSurvey::is_yes_or_no(Index rows) const {
  return min == 0 && max == 1 && !counts.empty() && variety(rows) >= 0.05;
}

bool ColumnSurvey::looks_like_classes() const {
  if (counts.empty() || min > 1 || max > 99) return false;
  const auto first = counts.begin() + static_cast<std::ptrdiff_t>(min);
  const auto classes = counts.end() - first;
  if (classes < 3) return false;
  const std::uint64_t all = std::accumulate(first, counts.end(), std::uint64_t{0});
  return 4 * static_cast<std::uint64_t>(*std::min_element(first, counts.end())) * static_cast<std::uint64_t>(classes) >=
         all;
}

DataSurvey survey(const Dataset& data, double low, double high) {
  const Index rows = data.rows(), cols = data.cols();
  const double middle = low + (high - low) / 2;
  DataSurvey result;
  result.columns.resize(cols);
  Side below, above;
  std::vector<double> values(std::min(rows_at_a_time, rows) * cols);
  std::vector<std::uint8_t> seen(data.has_missing() ? cols : 0), any(cols);
  for (Index begin = 0; begin < rows; begin += rows_at_a_time) {
    const MatrixView<double> part{values.data(), std::min(rows_at_a_time, rows - begin), cols, cols};
    data.fetch(begin, 0, part);
    for (Index r = 0; r < part.rows; ++r) {
      const Index row = begin + r;
      if (!seen.empty()) data.seen({&row, 1}, {seen.data(), 1, cols, cols});
      for (Index c = 0; c < cols; ++c) {
        if (!seen.empty() && !seen[c]) continue;
        add(result.columns[c], part(r, c), !any[c], row);
        any[c] = 1;
        (part(r, c) > middle ? above : below).add(part(r, c));
      }
    }
  }
  result.min = INFINITY;
  result.max = -INFINITY;
  for (Index c = 0; c < cols; ++c) {
    const ColumnSurvey& column = result.columns[c];
    if (!any[c]) continue;
    result.min = std::min(result.min, column.min);
    result.max = std::max(result.max, column.max);
    result.whole &= column.whole;
  }
  result.kept_by_threshold = kept(below, above);
  return result;
}

bool is_one_hot(const Dataset& data, Index width) {
  const Index cols = data.cols();
  if (cols % width != 0 || data.has_missing()) return false;
  std::vector<double> row(cols);
  for (Index r = 0; r < data.rows(); ++r) {
    data.fetch(r, 0, MatrixView<double>{row.data(), 1, cols, cols});
    if (!are_states(row, width)) return false;
  }
  return true;
}

bool holds_states(const Dataset& data, Index width) {
  const auto most = static_cast<double>(width) - 1.0;
  const auto is_state = [&](double v) { return v >= 0.0 && v <= most && v == std::floor(v); };
  if (width < 2 || data.binarize() != Binarize::none || data.first_outside(is_state)) return false;
  return data.max().value > 1.0 || (width == 2 && !is_one_hot(data, width));
}

Index one_hot_states(const Dataset& data) {
  const auto shape = data.sample_shape();
  if (shape.size() != 2 || shape[1] < 2 || shape[0] * shape[1] != data.cols()) return 0;
  return is_one_hot(data, shape[1]) ? shape[1] : 0;
}

}  // namespace v1
}  // namespace harmonium
