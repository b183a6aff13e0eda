#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// What the name of a figure in metrics.jsonl says: `validation_log_likelihood` is the log likelihood, in nats a row, of the
/// validation rows; `norm.weight.visible.hidden` one of the norms.
struct FigureKind {
  std::string title;   ///< what it is: "log likelihood"; figures of one title and unit are drawn together
  std::string unit;    ///< of its values; empty where it is not known
  std::string member;  ///< which of several: a part of the data, a tensor; empty where there is but one
  int rank = 0;        ///< its place in the order of interest, from 0
  bool more_is_better = false;
  /// Whether it is a mean over rows of data: its error is then that of these rows, which runs on the same data share.
  bool over_rows() const { return unit == "nats a row" || unit == "share of rows"; }
};
FigureKind figure_kind(std::string_view name);
/// The figures of which more than their name is known; of several of a kind one called NAME.
std::vector<std::string> known_figure_names();

}  // namespace v1
}  // namespace harmonium
