#include <harmonium/program/chosen_figures.hpp>

#include <algorithm>

#include <fnmatch.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/run_order.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

enum class NamedBy { whole, end, pattern };

bool names(const std::string& asked, std::string_view figure, NamedBy by) {
  switch (by) {
    case NamedBy::whole: return figure == asked;
    case NamedBy::end: return figure.ends_with("." + asked) || figure.ends_with("_" + asked);
    case NamedBy::pattern: return ::fnmatch(asked.c_str(), std::string(figure).c_str(), 0) == 0;
  }
  return false;
}

std::vector<std::string> named_by(const std::string& asked, const std::vector<std::string>& known, NamedBy by) {
  std::vector<std::string> found;
  for (const std::string& figure : known)
    if (names(asked, figure, by) || names(asked, without_all_rows(figure), by)) found.push_back(figure);
  return found;
}

}  // namespace

std::vector<std::string> chosen_figures(const std::vector<std::string>& asked, const std::vector<ComparedRun>& runs) {
  const std::vector<std::string> known = names_of(compared_figures(runs)), once = names_of(figures_once(runs));
  std::vector<std::string> chosen;
  for (const std::string& name : asked) {
    const bool pattern = name.find_first_of("*?") != std::string::npos;
    std::vector<std::string> found = named_by(name, known, pattern ? NamedBy::pattern : NamedBy::whole);
    if (found.empty() && !pattern) found = named_by(name, known, NamedBy::end);
    if (found.empty())
      throw ConfigError(known.empty() ? fmt::format("--figure {}: the runs have no figures. Leave --figure out.", name)
                                      : fmt::format("--figure {}: no run has such a figure{}. Known: {}.", name,
                                                    did_you_mean(name, known), fmt::join(known, ", ")));
    // Where a figure of all rows is that of the run's last epoch, it stands below the name of that.
    for (const std::string& figure : found) {
      chosen.push_back(figure);
      if (std::ranges::find(once, figure) == once.end()) chosen.emplace_back(without_all_rows(figure));
    }
  }
  return chosen;
}

bool is_chosen(const std::string& figure, const std::vector<std::string>& chosen) {
  return chosen.empty() || std::ranges::find(chosen, figure) != chosen.end();
}

MetricsLog with_chosen_figures(MetricsLog log, const std::vector<std::string>& chosen) {
  const auto belongs = [&](const MetricSeries& series) {
    if (is_chosen(series.name, chosen)) return true;
    for (const std::string_view end : {"_error", "_low", "_high"})
      if (series.name.ends_with(end) && is_chosen(series.name.substr(0, series.name.size() - end.size()), chosen))
        return true;
    return false;
  };
  std::erase_if(log.series, [&](const MetricSeries& series) { return !belongs(series); });
  return log;
}

}  // namespace v1
}  // namespace harmonium
