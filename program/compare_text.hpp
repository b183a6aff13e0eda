#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/pictures/logged_curves.hpp>
#include <harmonium/program/compared_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// What is told of a figure of a run.
struct FinalFigure {
  LoggedCurve::Band band = LoggedCurve::Band::none;
  CurvePoint last;                 ///< the last that was taken
  std::optional<CurvePoint> best;  ///< the greatest, where that is better and another
  /// The standard error of the last over rows of data; nothing of what is no mean over rows.
  std::optional<double> rows_error = {};
};
/// Its last value with two digits of the error, and the epoch where that is not the run's last.
std::string last_value_words(const FinalFigure& figure, std::uint64_t epochs);
/// A setting on one line, shortened; "-" where there is none.
std::string value_text(const Value* value);
/// The value of the setting at that path; where chains start, with the name of that estimator: "data (cd)".
std::string setting_text(const std::string& path, const Value* value);
/// A figure, with what each run has of it.
struct ComparedFigure {
  std::string name;
  std::vector<std::optional<FinalFigure>> of_runs;
};
/// The figures that any of the runs has, by interest.
std::vector<ComparedFigure> compared_figures(const std::vector<ComparedRun>& runs);

std::string comparison_text(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings);
std::string comparison_json(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings);
/// A line for each run: its name and the settings in which it differs.
std::vector<std::string> comparison_legend(const std::vector<ComparedRun>& runs,
                                           const std::vector<DifferingSetting>& settings);

}  // namespace v1
}  // namespace harmonium
