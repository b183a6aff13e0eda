#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/evaluation_text.hpp>
#include <harmonium/program/evaluation_units.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A line of the table of splits: a cell for each.
std::string row_of_splits(const Evaluations& all, const char* name, std::optional<double> Evaluation::*figure,
                          const char* unit) {
  std::string line;
  for (const auto& split : all.splits) {
    const std::string value = figure_words(split.second.*figure);
    line += line.empty() ? named_cell(name, value) : fmt::format("{:>18}", value);
  }
  return line + "  " + unit + "\n";
}

/// A line of numbers of rows that a figure is of; empty where that is all of them in every split.
std::string rows_of_splits(const Evaluations& all, const char* name, NumRows count, const char* unit) {
  if (std::ranges::none_of(all.splits, [&](const auto& split) { return of_some(split.second, count); })) return "";
  std::string line = fmt::format("{:<24}", name);
  for (const auto& split : all.splits)
    line += fmt::format("{:>18}", split.second.*count ? std::to_string(*(split.second.*count)) : "-");
  return line + fmt::format("  {}\n", unit);
}

/// With the interval where there is one part alone.
std::string unit_of_bound(const Evaluations& all) {
  const Evaluation& first = all.splits.front().second;
  return bound_unit + (all.splits.size() == 1 ? interval_words(first.variational_bound_interval, true) : std::string());
}

bool any_has(const Evaluations& all, std::optional<double> Evaluation::*figure) {
  return std::ranges::any_of(all.splits, [&](const auto& split) { return (split.second.*figure).has_value(); });
}

/// What needs no data.
std::string lines_of_whole(const Evaluation& whole) {
  std::string text = fmt::format("{:<24}{:>18}  nats{}\n", "log_z", figure_words(whole.log_z),
                                 interval_words(whole.log_z_interval, whole.log_z.has_value()));
  if (whole.ground_state_energy)
    text += fmt::format("{:<24}{:>18}  {}\n", "ground_state_energy", figure_words(whole.ground_state_energy),
                        ground_state_words(whole));
  return text;
}

/// The names of the parts, and how many rows each has.
std::string heads_of_splits(const Evaluations& all) {
  std::string names = fmt::format("\n{:<24}", ""), rows = fmt::format("{:<24}", "num_samples");
  for (const auto& [name, split] : all.splits) {
    names += fmt::format("{:>18}", name);
    rows += fmt::format("{:>18}", *split.num_samples);
  }
  return names + "\n" + rows + "  rows\n";
}

std::string likelihoods_of_splits(const Evaluations& all, double beta) {
  const bool classes = any_has(all, &Evaluation::accuracy);
  std::string text =
      row_of_splits(all, "log_likelihood", &Evaluation::log_likelihood, classes ? with_label : "nats a sample");
  if (any_has(all, &Evaluation::variational_bound))
    text += row_of_splits(all, "variational_bound", &Evaluation::variational_bound, unit_of_bound(all).c_str());
  if (any_has(all, &Evaluation::first_machine_log_likelihood))
    text += row_of_splits(all, "first_machine", &Evaluation::first_machine_log_likelihood, first_machine_unit);
  text += row_of_splits(all, "free_energy", &Evaluation::free_energy, free_energy_unit(beta).c_str());
  text += row_of_splits(all, "pseudo_log_likelihood", &Evaluation::pseudo_log_likelihood,
                        classes ? pseudo_with_label : "nats a sample");
  return text +
         row_of_splits(all, "reconstruction_error", &Evaluation::reconstruction_error, "mean square of an entry");
}

/// Of rows with classes.
std::string classes_of_splits(const Evaluations& all) {
  if (!any_has(all, &Evaluation::accuracy)) return "";
  return row_of_splits(all, "accuracy", &Evaluation::accuracy, "share of the rows whose label is the likeliest") +
         row_of_splits(all, "accuracy_error", &Evaluation::accuracy_error, accuracy_error_unit) +
         row_of_splits(all, "label_log_likelihood", &Evaluation::label_log_likelihood,
                       "nats a label, given the rest of its row") +
         row_of_splits(all, "label_log_likelihood_error", &Evaluation::label_log_likelihood_error, label_error_unit) +
         rows_of_splits(all, "num_classified", &Evaluation::num_classified, classified_unit);
}

/// Of what --clamp leaves free.
std::string conditionals_of_splits(const Evaluations& all) {
  if (!any_has(all, &Evaluation::log_conditional)) return "";
  std::string text =
      row_of_splits(all, "log_conditional", &Evaluation::log_conditional, conditional_unit) +
      row_of_splits(all, "log_conditional_error", &Evaluation::log_conditional_error, conditional_error_unit) +
      rows_of_splits(all, "num_conditioned", &Evaluation::num_conditioned, conditioned_unit);
  if (any_has(all, &Evaluation::log_conditional_jacobian))
    text += row_of_splits(all, "log_conditional_jacobian", &Evaluation::log_conditional_jacobian,
                          conditional_jacobian_unit);
  return text;
}

/// Where figures are not in the data's own units.
std::string units_of_splits(const Evaluations& all) {
  if (all.whole.units == "data") return "";
  std::string text = fmt::format("units: {}; log_jacobian", all.whole.units);
  const char* between = " ";
  for (const auto& [name, split] : all.splits) {
    text += fmt::format("{}{} ({})", between, figure_words(split.log_jacobian), name);
    between = ", ";
  }
  return text + " nats a sample, to be added for the data's own units\n";
}

/// A line for each figure of each part that has an interval.
std::string intervals_of_splits(const Evaluations& all) {
  std::string text;
  for (const auto& split : all.splits) {
    const Evaluation& e = split.second;
    const auto add = [&](const char* figure, const char* of, const std::optional<Interval>& interval, bool known) {
      const std::string words = interval_words(interval, known);
      if (!words.empty()) text += fmt::format("{} of {}{}{}\n", figure, split.first, of, words.substr(1));
    };
    add("log_likelihood", "", e.log_likelihood_interval, e.log_likelihood.has_value());
    add("log_likelihood", ", with its error over rows,", rows_interval(e), true);
    // Of one part it stands on the line itself.
    if (all.splits.size() > 1)
      add("variational_bound", "", e.variational_bound_interval, e.variational_bound.has_value());
    add("first_machine", "", e.first_machine_interval, e.first_machine_log_likelihood.has_value());
  }
  return text;
}

/// What the machines above the first of a stack do, of parts together that are told the same.
std::string above_words(const Evaluations& all) {
  std::string text;
  for (const AboveOfParts& said : above_of_parts(all))
    text += fmt::format("{}{} rows: {}\n", text.empty() ? "\n" : "", said.parts, said.above.with_remedy());
  return text;
}

/// Reasons of all parts, each once, then advice.
std::string remarks_of_splits(const Evaluations& all) {
  std::vector<std::pair<std::string, std::string>> reasons;
  std::vector<std::string> advice;
  for (const auto& split : all.splits) {
    advice.push_back(split.second.advice);
    for (const auto& reason : reasons_of_lines(split.second))
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  return reasons_text(reasons) + remarks_text(advice);
}

}  // namespace

/// The figures of all parts of a run's data, a column each, under those that need no data.
std::string splits_text(const Evaluations& all, double beta) {
  std::string text = head_of(beta) + lines_of_whole(all.whole) + heads_of_splits(all) +
                     likelihoods_of_splits(all, beta) + classes_of_splits(all) + conditionals_of_splits(all);
  if (any_has(all, &Evaluation::log_likelihood) && any_has(all, &Evaluation::rows_error))
    text += row_of_splits(all, "rows_error", &Evaluation::rows_error, rows_error_unit);
  return text + units_of_splits(all) + intervals_of_splits(all) + above_words(all) + remarks_of_splits(all);
}

}  // namespace v1
}  // namespace harmonium
