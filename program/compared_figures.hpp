#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/pictures/logged_curves.hpp>
#include <harmonium/program/compared_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// What is told of a figure of a run.
struct FinalFigure {
  LoggedCurve::Band band = LoggedCurve::Band::none;
  CurvePoint last;  ///< the last that was taken
  /// The greatest, where that is better and another; of test rows the one at the epoch that validation rows chose.
  std::optional<CurvePoint> best;
  /// The standard error of the last over rows of data; nothing of what is no mean over rows.
  std::optional<double> rows_error = {};
};
/// A figure, with what each run has of it.
struct ComparedFigure {
  std::string name;
  std::vector<std::optional<FinalFigure>> of_runs;
  std::string unit = {};  ///< empty where it is not known
};
/// What is known of a figure of a run. not_agreed: it was measured, and the ways to it, those to log Z of a likelihood, did not agree.
enum class FigureState { known, not_agreed, not_measured };
/// Of a run's last value of one of `figures`.
FigureState state_of(const std::vector<ComparedFigure>& figures, const ComparedFigure& figure, std::size_t run);

/// A figure's name without "all_rows." in front of it.
std::string_view without_all_rows(std::string_view name);
/// Whether a figure of that name is of test rows.
bool of_test_rows(const std::string& name);
/// Whether it is what the best model that a run keeps came to: "best.test_accuracy", "all_rows.best.test_log_likelihood".
bool of_best_model(const std::string& name);
/// The figures that any of the runs has, by interest; with those of test rows that a best model had along the run.
std::vector<ComparedFigure> compared_figures(const std::vector<ComparedRun>& runs);
/// The same without those of all rows at the end that are, in each run, what the run measured after its last epoch.
std::vector<ComparedFigure> figures_once(const std::vector<ComparedRun>& runs);
/// Of the runs' ends alone: without those that were measured along the runs where each run that finished has the same of all rows
/// at its end, so that what is compared is of one epoch and of all rows.
std::vector<ComparedFigure> figures_at_end(const std::vector<ComparedRun>& runs);

/// Whether a figure of all rows at the end stands beside the one of that name that was measured along the run.
bool stand_twice(const std::vector<ComparedFigure>& figures);

}  // namespace v1
}  // namespace harmonium
