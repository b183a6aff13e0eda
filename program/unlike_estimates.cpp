#include <harmonium/program/unlike_estimates.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/toml.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* estimated_figure = "pseudo_log_likelihood";

/// The table of the observer that estimates it; null where the run has none.
const Value* observer_of_estimates(const Value& config) {
  const Value* observers = config.find("observers");
  if (!observers || !observers->is_list()) return nullptr;
  for (const Value& observer : std::get<Value::List>(observers->data))
    if (const Value* type = observer.find("type"); type && *type == make_value("pseudo_likelihood")) return &observer;
  return nullptr;
}

/// How many a run takes, in words. Zero stands for all.
std::string number_taken(const Value* observer, const char* option) {
  const Value* number = observer ? observer->find(option) : nullptr;
  if (!number || !number->number()) return "an unknown number";
  return *number->number() == 0.0 ? "all" : write_toml_value(*number);
}

}  // namespace

std::string note_on_unlike_estimates(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures) {
  std::string told, names;
  for (const char* option : {"units", "rows"}) {
    std::vector<std::string> taken;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const bool has = std::ranges::any_of(figures, [&](const ComparedFigure& figure) {
        return figure.name.ends_with(estimated_figure) && figure.of_runs[r].has_value();
      });
      const std::string number = number_taken(observer_of_estimates(runs[r].config), option);
      if (has && std::ranges::find(taken, number) == taken.end()) taken.push_back(number);
    }
    if (taken.size() < 2) continue;
    told += fmt::format("{}{}{} ({})", told.empty() ? "" : " and ", option, *option == 'u' ? " of each row" : "",
                        fmt::join(taken, ", "));
  }
  if (told.empty()) return "";
  for (const ComparedFigure& figure : figures)
    if (figure.name.ends_with(estimated_figure)) names += (names.empty() ? "" : ", ") + figure.name;
  return fmt::format(
      "\nNote: {}: the runs' observers took different {}, so that the figures differ by that too. 'harmonium evaluate "
      "RUN' takes all.\n",
      names, told);
}

}  // namespace v1
}  // namespace harmonium
