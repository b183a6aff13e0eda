#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>
#include <harmonium/program/differing_settings.hpp>

namespace harmonium {
inline namespace v1 {

/// What stands for a figure that has no value: "not agreed", or "-".
std::string unknown_figure_words(FigureState state);
/// What a table's title says of them, behind the rest of it; empty where the table has neither.
std::string legend_of_unknown(bool not_agreed, bool not_measured);
/// The last value of a figure with two digits of the error, and the epoch where that is not the run's last.
std::string last_value_words(const FinalFigure& figure, std::uint64_t epochs);
/// " (-12.34 at 40)", the best value, of test rows that which validation rows chose, with the digits of the last; empty where it
/// tells nothing beside that: where it is the same as shown, or another by less than a tenth of the standard error.
std::string best_words(const FinalFigure& figure);
/// Of dotted paths the last words; of those whose last word another has, too, the whole path.
std::vector<std::string> last_words_of(const std::vector<std::string>& paths);
/// `below`: lines for below the table; empty: none. `chosen`: the figures that it has; empty: all.
std::string comparison_text(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings,
                            const std::string& below = "", const std::vector<std::string>& chosen = {});
std::string comparison_json(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings,
                            const std::vector<std::string>& chosen = {});

}  // namespace v1
}  // namespace harmonium
