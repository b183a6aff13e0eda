#include <harmonium/program/stack/stack_outcome.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>
#include <harmonium/program/stack/outcome_table.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

bool wide(const std::optional<Interval>& i) { return i && i->low != i->high; }

bool any_annealed(const Evaluation& e) { return wide(e.log_z_interval) || wide(e.first_machine_interval); }

std::string why_no_likelihood(const Evaluation& e) {
  for (const char* figure : {"log_z", "log_likelihood"})
    for (const auto& [name, why] : e.reasons)
      if (name == figure) return why;
  return "";
}

/// Of what has no machines above: the parts without a figure, by the reason for that.
std::vector<std::pair<std::string, std::vector<std::string>>> unknown_parts(const Evaluations& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const auto& [part, e] : all.splits) {
    if (e.machines_above || any_figure(e)) continue;
    const std::string why = why_no_likelihood(e);
    if (found.empty() || found.back().first != why) found.push_back({why, {}});
    found.back().second.push_back(part);
  }
  return found;
}

bool cut_short(const Annealed& a) { return a.effort > 0.0 && a.effort < 1.0; }

}  // namespace

std::vector<OutcomeLine> outcome_lines(const Evaluations& all, const std::string& more,
                                       const std::string& on_training) {
  std::vector<OutcomeLine> lines;
  const auto add = [&](const std::string& parts, const std::string& words, bool warns) {
    lines.push_back({fmt::format("{} rows: {}", parts, words), warns});
  };
  for (const AboveOfParts& said : above_of_parts(all)) {
    const MachinesAbove& above = said.above;
    const std::string& advice = above.training.empty() || on_training.empty() ? above.training : on_training;
    add(said.parts, above.words + (advice.empty() ? "" : " " + advice), above.effect != MachinesAbove::Effect::raise);
  }
  for (const auto& [why, parts] : unknown_parts(all))
    add(joined_words(parts), "the likelihood is not known: " + why, true);
  if (!more.empty() && std::ranges::any_of(all.splits, [](const auto& split) { return any_annealed(split.second); }))
    lines.push_back({more, false});
  return lines;
}

std::string annealing_commands(const Evaluations& all, const std::string& folder, bool fine_tuned,
                               const std::string& option) {
  const auto any_wide = [&](std::optional<Interval> Evaluation::*interval) {
    return std::ranges::any_of(all.splits, [&](const auto& split) { return wide(split.second.*interval); });
  };
  const auto command = [&](const std::string& what) { return fmt::format("'harmonium evaluate {}{}'", what, option); };
  // Where log Z takes long the rows of a deep Boltzmann machine take far longer, and its bound is what there is (with_due_effort).
  const bool by_bound = std::ranges::any_of(all.splits, [](const auto& split) {
    return split.second.variational_bound_interval && !split.second.machines_above;
  });
  std::string own = command(by_bound ? folder + " --bound" : folder);
  const std::string first = command(folder + "/machine1");
  if (!fine_tuned || !any_wide(&Evaluation::first_machine_interval)) return own;
  return any_wide(&Evaluation::log_z_interval) ? own + " and " + first : first;
}

std::string words_on_more(const Evaluations& all, const std::string& folder, bool fine_tuned) {
  constexpr double longer = 10.0;
  if (all.splits.empty()) return "";
  const Annealed &stack = all.splits[0].second.annealed, &first = all.splits[0].second.first_machine_annealed;
  const bool in_part = cut_short(stack) || cut_short(first);
  if (!in_part && !undecided(all)) return "";
  double seconds = 0.0;
  for (const Annealed* a : {&stack, &first})
    seconds += cut_short(*a) ? a->seconds / a->effort : in_part ? a->seconds : longer * a->seconds;
  if (!in_part)
    return fmt::format("Log Z is annealed ten times as long by {}, in some {}.",
                       annealing_commands(all, folder, fine_tuned, " --effort 10"), about_so_long(seconds));
  const char* const of = !cut_short(first) ? " of the stack" : !cut_short(stack) ? " of the first machine" : "";
  return fmt::format("Log Z{} was annealed for a tenth of the usual time; all of it is taken by {}, in some {}.", of,
                     annealing_commands(all, folder, fine_tuned), about_so_long(seconds));
}

bool undecided(const Evaluations& all) {
  return std::ranges::any_of(all.splits, [](const auto& split) {
    const Evaluation& e = split.second;
    const bool known =
        e.machines_above ? e.machines_above->effect != MachinesAbove::Effect::unknown : e.log_z.has_value();
    return !known && any_annealed(e);
  });
}

}  // namespace v1
}  // namespace harmonium
