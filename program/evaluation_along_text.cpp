#include <algorithm>

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
  for (const auto& [beta, e] : all)
    for (const auto& [name, why] : reasons_of_lines(e)) {
      if (name != "log_z" && !about_energy(name)) continue;
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

}  // namespace

AlongTable::AlongTable(const Evaluation& first, ShownTemperature shown)
    : data_(first.num_samples.has_value()), energies_(!data_ && first.mean_energy.has_value()), shown_(shown) {}

std::string AlongTable::head() const {
  std::string text = fmt::format("{:>12}  {:>18}", shown_.name(), "log_z");
  if (energies_) text += fmt::format("  {:>18}  {:>18}  {:>18}", "mean_energy", "heat_capacity", "entropy");
  if (data_) text += fmt::format("  {:>18}  {:>21}", "log_likelihood", "pseudo_log_likelihood");
  return text + "\n";
}

std::string AlongTable::row(double beta, const Evaluation& e) const {
  std::string text = fmt::format("{:>12.6g}  {:>18}", shown_.value(beta), figure_words(e.log_z));
  if (energies_)
    text += fmt::format("  {:>18}  {:>18}  {:>18}", figure_words(e.mean_energy), figure_words(e.heat_capacity),
                        figure_words(e.entropy));
  if (data_)
    text += fmt::format("  {:>18}  {:>21}", figure_words(e.log_likelihood), figure_words(e.pseudo_log_likelihood));
  const std::string interval = interval_words(e.log_z_interval, e.log_z.has_value());
  return text + (interval.empty() ? "\n" : fmt::format("  log_z{}\n", interval.substr(1)));
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
