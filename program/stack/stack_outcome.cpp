#include <harmonium/program/stack/stack_outcome.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

bool wide(const std::optional<Interval>& i) { return i && i->low != i->high; }

bool annealed(const Evaluation& e) { return wide(e.log_z_interval) || wide(e.first_machine_interval); }

/// What was measured of a figure that is not agreed on; empty where that is nothing.
std::string measured_words(const std::optional<Interval>& i) {
  if (!i) return "";
  const bool low = std::isfinite(i->low), high = std::isfinite(i->high);
  if (low && high) return fmt::format("between {:.4f} and {:.4f} (measured, not certified)", i->low, i->high);
  if (low) return fmt::format("hardly less than {:.4f}", i->low);
  return high ? fmt::format("hardly more than {:.4f}", i->high) : std::string();
}

std::string figure_of_stack(const Evaluation& e) {
  if (e.log_likelihood) return fmt::format("{:.4f}", *e.log_likelihood);
  if (e.variational_bound) return fmt::format("at least {:.4f}", *e.variational_bound);
  return measured_words(e.log_likelihood_interval);
}

std::string figure_of_first(const Evaluation& e) {
  if (e.first_machine_log_likelihood) return fmt::format("{:.4f}", *e.first_machine_log_likelihood);
  return measured_words(e.first_machine_interval);
}

/// "-4.1 nats a row by the first machine alone, at least -3.9 by the stack"; empty where neither is known.
std::string figures_words(const Evaluation& e) {
  const std::string first = figure_of_first(e), whole = figure_of_stack(e);
  if (first.empty()) return whole.empty() ? whole : whole + " nats a row";
  return first + " nats a row by the first machine alone" + (whole.empty() ? whole : ", " + whole + " by the stack");
}

std::string why_no_likelihood(const Evaluation& e) {
  for (const char* figure : {"log_z", "log_likelihood"})
    for (const auto& [name, why] : e.reasons)
      if (name == figure) return why;
  return "";
}

}  // namespace

std::vector<OutcomeLine> outcome_lines(const std::string& rows, const Evaluation& e, const std::string& more,
                                       const std::string& on_training) {
  std::vector<OutcomeLine> lines;
  const auto add = [&](const std::string& words, bool warns) {
    lines.push_back({fmt::format("{} rows: {}", rows, words), warns});
  };
  const std::string figures = figures_words(e), end = annealed(e) && !more.empty() ? " " + more : "";
  if (!figures.empty()) add(figures, false);
  if (e.machines_above) {
    const MachinesAbove& above = *e.machines_above;
    const std::string& advice = above.training.empty() || on_training.empty() ? above.training : on_training;
    add(above.words + (advice.empty() ? "" : " " + advice) + end, above.effect != MachinesAbove::Effect::raise);
  } else if (figures.empty()) {
    add("the likelihood is not known: " + why_no_likelihood(e) + end, true);
  }
  return lines;
}

std::string annealing_commands(const Evaluations& all, const std::string& folder, bool fine_tuned,
                               const std::string& option) {
  const auto any_wide = [&](std::optional<Interval> Evaluation::*interval) {
    return std::ranges::any_of(all.splits, [&](const auto& split) { return wide(split.second.*interval); });
  };
  const auto command = [&](const std::string& what) { return fmt::format("'harmonium evaluate {}{}'", what, option); };
  const std::string own = command(folder), first = command(folder + "/machine1");
  if (!fine_tuned || !any_wide(&Evaluation::first_machine_interval)) return own;
  return any_wide(&Evaluation::log_z_interval) ? own + " and " + first : first;
}

bool undecided(const Evaluations& all) {
  return std::ranges::any_of(all.splits, [](const auto& split) {
    const Evaluation& e = split.second;
    const bool known =
        e.machines_above ? e.machines_above->effect != MachinesAbove::Effect::unknown : e.log_z.has_value();
    return !known && annealed(e);
  });
}

}  // namespace v1
}  // namespace harmonium
