#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/evaluation_text.hpp>
#include <harmonium/program/evaluation_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The energy of the ground state, which has no temperature: where it was only met, the lowest of all temperatures.
std::string lowest_text(const std::vector<std::pair<double, Evaluation>>& all) {
  const Evaluation* lowest = nullptr;
  for (const auto& [beta, e] : all)
    if (e.ground_state_energy && (!lowest || *e.ground_state_energy < *lowest->ground_state_energy)) lowest = &e;
  if (!lowest) return "";
  return fmt::format("\nground_state_energy {}  {}\n", figure_words(lowest->ground_state_energy),
                     ground_state_words(*lowest));
}

/// What a table along temperatures has a column of.
bool in_table(std::string_view figure) {
  return figure == "log_z" || figure == "log_z_held" || figure == "log_p_held" || figure == "log_conditional" ||
         figure == "log_likelihood" || figure == "pseudo_log_likelihood" || about_energy(figure);
}

/// Why figures are absent, each reason once, with the temperatures that it is given for where these are not all.
std::string absent_along_text(const std::vector<std::pair<double, Evaluation>>& all, ShownTemperature shown) {
  struct Reason {
    std::string why;
    std::vector<std::string> names, where;
  };
  std::vector<Reason> reasons;
  const auto add = [](std::vector<std::string>& to, const std::string& word) {
    if (std::ranges::find(to, word) == to.end()) to.push_back(word);
  };
  // It has no temperature: that of one is that of all.
  const bool lowest_known =
      std::ranges::any_of(all, [](const auto& at) { return at.second.ground_state_energy.has_value(); });
  for (const auto& [beta, e] : all)
    for (const auto& [name, why] : reasons_of_lines(e)) {
      if (!in_table(name) || (lowest_known && name == "ground_state_energy")) continue;
      auto found = std::ranges::find(reasons, why, &Reason::why);
      if (found == reasons.end()) found = reasons.insert(found, {why, {}, {}});
      add(found->names, name);
      add(found->where, fmt::format("{:.6g}", shown.value(beta)));
    }
  std::string text;
  for (const Reason& r : reasons) {
    const std::string at =
        r.where.size() == all.size() ? "" : fmt::format(" at {} = {}", shown.name(), fmt::join(r.where, ", "));
    text += wrapped(fmt::format("No {}{}: {}", fmt::join(r.names, ", "), at, r.why), 0, 110);
  }
  return text.empty() ? text : "\n" + text;
}

/// Whether --clamp left something of the rows free.
bool asked_conditional(const Evaluation& e) {
  return e.log_conditional ||
         std::ranges::any_of(e.reasons, [](const auto& r) { return r.first == "log_conditional"; });
}

/// The intervals of what is estimated, at the end of a line.
std::string intervals_text(const Evaluation& e) {
  std::vector<std::string> all;
  const auto add = [&](const char* name, const std::optional<double>& figure, const std::optional<Interval>& interval) {
    const std::string words = interval_words(interval, figure.has_value());
    if (!words.empty()) all.push_back(name + words.substr(1));
  };
  add("log_z", e.log_z, e.log_z_interval);
  if (e.held) {
    add("log_z_held", e.held->log_z, e.held->log_z_interval);
    add("log_p_held", e.held->log_p, e.held->log_p_interval);
  }
  return all.empty() ? "" : fmt::format("  {}", fmt::join(all, "; "));
}

}  // namespace

AlongTable::AlongTable(const Evaluation& first, ShownTemperature shown)
    : data_(first.num_samples.has_value()),
      energies_(!data_ && first.mean_energy.has_value()),
      held_(first.held.has_value()),
      conditional_(asked_conditional(first)),
      shown_(shown) {}

std::string AlongTable::head() const {
  std::string text = fmt::format("{:>12}  {:>18}", shown_.name(), "log_z");
  if (held_) text += fmt::format("  {:>18}  {:>18}", "log_z_held", "log_p_held");
  if (energies_) text += fmt::format("  {:>18}  {:>18}  {:>18}", "mean_energy", "heat_capacity", "entropy");
  if (data_) text += fmt::format("  {:>18}  {:>21}", "log_likelihood", "pseudo_log_likelihood");
  if (conditional_) text += fmt::format("  {:>18}  {:>21}", "log_conditional", "log_conditional_error");
  return text + "\n";
}

std::string AlongTable::row(double beta, const Evaluation& e) const {
  std::string text = fmt::format("{:>12.6g}  {:>18}", shown_.value(beta), figure_words(e.log_z));
  if (held_) text += fmt::format("  {:>18}  {:>18}", figure_words(e.held->log_z), figure_words(e.held->log_p));
  if (energies_)
    text += fmt::format("  {:>18}  {:>18}  {:>18}", figure_words(e.mean_energy), figure_words(e.heat_capacity),
                        figure_words(e.entropy));
  if (data_)
    text += fmt::format("  {:>18}  {:>21}", figure_words(e.log_likelihood), figure_words(e.pseudo_log_likelihood));
  if (conditional_)
    text += fmt::format("  {:>18}  {:>21}", figure_words(e.log_conditional), figure_words(e.log_conditional_error));
  return text + intervals_text(e) + "\n";
}

std::string AlongTable::foot(const std::vector<std::pair<double, Evaluation>>& all) const {
  // What an option does at one temperature tells enough of the others.
  const auto first = std::ranges::find_if(all, [](const auto& at) { return !at.second.advice.empty(); });
  const std::string advice = first == all.end()
                                 ? ""
                                 : remarks_text({fmt::format("At {} = {:.6g}. {}", shown_.name(),
                                                             shown_.value(first->first), first->second.advice)});
  return lowest_text(all) + absent_along_text(all, shown_) + advice;
}

}  // namespace v1
}  // namespace harmonium
