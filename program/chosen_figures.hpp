#pragma once

#include <string>
#include <vector>

#include <harmonium/program/compared_figures.hpp>

namespace harmonium {
inline namespace v1 {

/// The names of figures that are asked for, by any of `asked`: a name, which is that of all rows at the end too ("all_rows." in front);
/// where there is none of it the end of names behind a dot or an underscore ("weight.visible.hidden"); or a pattern with * and ?.
/// Throws ConfigError, with those that are known, where one names none.
std::vector<std::string> chosen_figures(const std::vector<std::string>& asked, const std::vector<ComparedRun>& runs);

/// Whether a figure is among those that were chosen, of which there are none where all are shown.
bool is_chosen(const std::string& figure, const std::vector<std::string>& chosen);
/// What belongs to figures that were chosen, with errors and intervals.
MetricsLog with_chosen_figures(MetricsLog log, const std::vector<std::string>& chosen);

}  // namespace v1
}  // namespace harmonium
