#include <harmonium/program/stack/stack_outcome.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

bool wide(const std::optional<Interval>& i) { return i && i->low != i->high; }

bool any_annealed(const Evaluation& e) { return wide(e.log_z_interval) || wide(e.first_machine_interval); }

/// What was measured of a figure that is not agreed on; empty where that is nothing.
std::string measured_words(const std::optional<Interval>& i) {
  if (!i) return "";
  const bool low = std::isfinite(i->low), high = std::isfinite(i->high);
  if (low && high) return fmt::format("between {:.4f} and {:.4f} (measured, not certified)", i->low, i->high);
  if (low) return fmt::format("hardly less than {:.4f}", i->low);
  return high ? fmt::format("hardly more than {:.4f}", i->high) : std::string();
}

/// "-4.1000 nats a row", and how sure that is, where it is not exact.
std::string known_words(double figure, const std::optional<Interval>& i, const char* unit) {
  return fmt::format("{:.4f}{}", figure, unit) +
         (wide(i) ? fmt::format(", between {:.4f} and {:.4f} (95 %)", i->low, i->high) : std::string());
}

/// With who has it behind, set off where an interval stands between.
std::string of_whom(const std::string& figure, const char* by) {
  return figure + (figure.ends_with("(95 %)") ? ", " : " ") + by;
}

constexpr const char* nats = " nats a row";

/// By its own likelihood, with its bound beside it, or by the bound alone; empty where neither is known.
std::string words_of_stack(const Evaluation& e, const char* unit) {
  const std::optional<Interval>& of_bound = e.variational_bound_interval;
  if (e.log_likelihood) {
    const std::string own = of_whom(known_words(*e.log_likelihood, e.log_likelihood_interval, unit), "by the stack");
    return e.variational_bound ? fmt::format("{} (its bound: {:.4f})", own, *e.variational_bound) : own;
  }
  if (e.variational_bound)
    return "at least " + of_whom(known_words(*e.variational_bound, of_bound, unit), "by the stack's bound");
  if (const std::string own = measured_words(e.log_likelihood_interval); !own.empty())
    return own + unit + " by the stack";
  const std::string bound = measured_words(of_bound);
  return bound.empty() ? bound : bound + unit + " by the stack's bound";
}

std::string words_of_first(const Evaluation& e) {
  constexpr const char* by = "by the first machine alone";
  if (e.first_machine_log_likelihood)
    return of_whom(known_words(*e.first_machine_log_likelihood, e.first_machine_interval, nats), by);
  const std::string measured = measured_words(e.first_machine_interval);
  return measured.empty() ? measured : of_whom(measured + nats, by);
}

/// Of what has no first machine.
std::string words_of_model(const Evaluation& e) {
  if (e.log_likelihood) return known_words(*e.log_likelihood, e.log_likelihood_interval, nats);
  if (e.variational_bound) return "at least " + known_words(*e.variational_bound, e.variational_bound_interval, nats);
  const std::string measured = measured_words(e.log_likelihood_interval);
  return measured.empty() ? measured : measured + nats;
}

/// "-4.1 nats a row by the first machine alone, at least -3.9 by the stack's bound", or which of the two is not known; empty where
/// neither is.
std::string figures_words(const Evaluation& e) {
  const std::string first = words_of_first(e);
  if (first.empty() && !e.machines_above) return words_of_model(e);
  const std::string whole = words_of_stack(e, first.empty() ? nats : "");
  if (first.empty()) return whole.empty() ? whole : whole + "; that of the first machine alone is not known";
  return first + (whole.empty() ? "; that of the stack is not known" : ", " + whole);
}

std::string why_no_likelihood(const Evaluation& e) {
  for (const char* figure : {"log_z", "log_likelihood"})
    for (const auto& [name, why] : e.reasons)
      if (name == figure) return why;
  return "";
}

bool cut_short(const Annealed& a) { return a.effort > 0.0 && a.effort < 1.0; }

}  // namespace

std::vector<OutcomeLine> outcome_lines(const std::string& rows, const Evaluation& e, const std::string& more,
                                       const std::string& on_training) {
  std::vector<OutcomeLine> lines;
  const auto add = [&](const std::string& words, bool warns) {
    lines.push_back({fmt::format("{} rows: {}", rows, words), warns});
  };
  const std::string figures = figures_words(e), end = any_annealed(e) && !more.empty() ? " " + more : "";
  // What has no machines above has no second line.
  if (!figures.empty()) add(figures + (e.machines_above || end.empty() ? "" : "." + end), false);
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
