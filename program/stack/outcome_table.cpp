#include <harmonium/program/stack/outcome_table.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A figure of one part of the data.
struct Figure {
  std::optional<double> value = {};
  std::string interval =
      {};  ///< or what was measured of a figure that is not agreed on; empty: nothing, or it is exact

  bool any() const { return value || !interval.empty(); }
};

std::string between(const Interval& i, const char* how) {
  return fmt::format("between {} and {} {}", fixed_text(i.low, 4), fixed_text(i.high, 4), how);
}

std::string measured_words(const std::optional<Interval>& i) {
  if (!i) return "";
  const bool low = std::isfinite(i->low), high = std::isfinite(i->high);
  if (low && high) return between(*i, "(measured, not certified)");
  if (low) return "hardly less than " + fixed_text(i->low, 4);
  return high ? "hardly more than " + fixed_text(i->high, 4) : std::string();
}

Figure figure_of(const std::optional<double>& value, const std::optional<Interval>& i) {
  if (!value) return {{}, measured_words(i)};
  return {value, i && i->low != i->high ? between(*i, "(95 %)") : std::string()};
}

/// What is told of one part of the data.
struct Told {
  Figure first, own, bound;

  bool any() const { return first.any() || own.any() || bound.any(); }
};

/// A stack by its own likelihood, with its bound beside it, or by the bound alone. What has no first machine has one of the two.
Told told_of(const Evaluation& e) {
  Told told{figure_of(e.first_machine_log_likelihood, e.first_machine_interval), {}, {}};
  const bool stack = told.first.any() || e.machines_above;
  const Figure own = figure_of(e.log_likelihood, e.log_likelihood_interval);
  const Figure bound = figure_of(e.variational_bound, e.variational_bound_interval);
  if (own.value) {
    told.own = own;
    if (stack) told.bound.value = bound.value;
  } else if (bound.value) {
    told.bound = bound;
  } else if (own.any() || !stack) {
    told.own = own;
  } else {
    told.bound = bound;
  }
  return told;
}

/// The parts of the data, and what is told of each.
struct Parts {
  std::vector<std::string> names = {};
  std::vector<Told> told = {};

  bool any(Figure Told::*figure) const {
    return std::ranges::any_of(told, [&](const Told& t) { return (t.*figure).any(); });
  }
};

std::string row_of(const char* name, const Parts& parts, Figure Told::*figure, const char* unit) {
  std::string line = fmt::format("{:<16}", name);
  for (const Told& t : parts.told) {
    const std::optional<double>& value = (t.*figure).value;
    line += fmt::format("{:>14}", value ? fixed_text(*value, 4) : std::string("-"));
  }
  return line + "  " + unit + "\n";
}

std::string intervals_of(const char* name, const Parts& parts, Figure Told::*figure) {
  std::string lines;
  for (std::size_t k = 0; k < parts.told.size(); ++k)
    if (const std::string& interval = (parts.told[k].*figure).interval; !interval.empty())
      lines += fmt::format("{} of {} rows: {}\n", name, parts.names[k], interval);
  return lines;
}

/// A line of the parts of which neither figure is known; empty where there is none.
std::string unknown_of(const char* name, const Parts& parts, Figure Told::*one, Figure Told::*other) {
  std::vector<std::string> unknown;
  for (std::size_t k = 0; k < parts.told.size(); ++k)
    if (!(parts.told[k].*one).any() && !(parts.told[k].*other).any()) unknown.push_back(parts.names[k]);
  return unknown.empty() ? "" : fmt::format("{} of {} rows: not known\n", name, joined_words(unknown));
}

}  // namespace

bool any_figure(const Evaluation& e) { return told_of(e).any(); }

std::string outcome_table(const Evaluations& all) {
  Parts parts;
  bool stack = false;
  std::string head = fmt::format("{:<16}", "");
  for (const auto& [name, e] : all.splits) {
    parts.names.push_back(name);
    parts.told.push_back(told_of(e));
    stack = stack || parts.told.back().first.any() || e.machines_above;
    head += fmt::format("{:>14}", name);
  }
  if (std::ranges::none_of(parts.told, &Told::any)) return "";
  std::string rows, below;
  const auto add = [&](const char* name, Figure Told::*figure, const char* unit) {
    rows += row_of(name, parts, figure, unit);
    below += intervals_of(name, parts, figure);
  };
  const bool bound = parts.any(&Told::bound);
  if (!stack) {
    if (parts.any(&Told::own)) add("log likelihood", &Told::own, "nats a row");
    if (bound) add("bound", &Told::bound, "nats a row, a lower bound of the log likelihood");
    return head + "\n" + rows + below;
  }
  add("first machine", &Told::first, "nats a row, the log likelihood of the first machine alone");
  below += unknown_of("first machine", parts, &Told::first, &Told::first);
  if (!bound || parts.any(&Told::own)) add("stack", &Told::own, "nats a row, the log likelihood of the stack");
  if (bound) add("stack's bound", &Told::bound, "nats a row, a lower bound of the log likelihood of the stack");
  return head + "\n" + rows + below + unknown_of("stack", parts, &Told::own, &Told::bound);
}

}  // namespace v1
}  // namespace harmonium
