#include <harmonium/program/evaluation_text.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/evaluation_words.hpp>
#include <harmonium/program/stack/above_of_parts.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Of a stack.
constexpr const char* first_machine_unit = "nats a sample, the log likelihood of the first machine alone";

/// Of rows whose sums over latent units are none that is taken, and of a stack.
constexpr const char* bound_unit = "nats a sample, a lower bound";

/// Of classes that are told of some rows alone.
constexpr const char* classified_unit =
    "rows whose class is told; others have none, or lack more than can be summed over";

/// Of what --clamp leaves free.
constexpr const char* conditional_unit = "nats a sample, of what is free given the rest of its row";
constexpr const char* conditioned_unit = "rows of these; of the others nothing that is free was seen";
constexpr const char* conditional_jacobian_unit =
    "nats a sample, to be added to log_conditional for the data's own units";
constexpr const char* conditional_error_unit = "nats, standard error of log_conditional over rows";

/// A number of rows that a figure is of.
using NumRows = std::optional<std::uint64_t> Evaluation::*;

/// Whether these are some of the rows, and not all.
bool of_some(const Evaluation& e, NumRows count) { return e.*count && e.*count != e.num_samples; }

/// Of a log likelihood.
constexpr const char* rows_error_unit = "nats, standard error over rows of log_likelihood";
constexpr const char* accuracy_error_unit = "standard error of accuracy over rows";
constexpr const char* label_error_unit = "nats, standard error of label_log_likelihood over rows";

constexpr const char* pseudo_with_label = "nats a sample, its label among the units";
constexpr const char* with_label = "nats a sample and its label together";

/// A name and its first value, in 42 columns: a longer name has some of the value's.
std::string named_cell(std::string_view name, const std::string& value) {
  return fmt::format("{:<24}{:>{}}", name, value, name.size() > 24 ? 42 - name.size() : 18);
}

std::string line_of(const char* name, const std::optional<double>& v, const std::string& unit) {
  return fmt::format("{}  {}\n", named_cell(name, figure_words(v)), unit);
}

/// The free energy of a row is -log of a sum over exp(-beta E).
std::string free_energy_unit(double beta) { return beta == 1.0 ? "nats, mean" : "nats, mean, beta times an energy"; }

/// At which temperature the figures are, where that is not 1.
std::string head_of(double beta) { return beta == 1.0 ? "" : beta_words(beta) + "\n\n"; }

std::string figures_of_rows(const Evaluation& e, double beta) {
  std::string text = line_of("log_likelihood", e.log_likelihood,
                             (e.accuracy ? with_label : "nats a sample") +
                                 interval_words(e.log_likelihood_interval, e.log_likelihood.has_value()));
  if (e.variational_bound)
    text += line_of("variational_bound", e.variational_bound,
                    bound_unit + interval_words(e.variational_bound_interval, true));
  if (e.first_machine_log_likelihood || e.first_machine_interval)
    text += line_of(
        "first_machine", e.first_machine_log_likelihood,
        first_machine_unit + interval_words(e.first_machine_interval, e.first_machine_log_likelihood.has_value()));
  text += line_of("free_energy", e.free_energy,
                  free_energy_unit(beta) + interval_words(e.free_energy_interval, e.free_energy.has_value()));
  text += line_of("pseudo_log_likelihood", e.pseudo_log_likelihood, e.accuracy ? pseudo_with_label : "nats a sample");
  return text + line_of("reconstruction_error", e.reconstruction_error, "mean square of an entry");
}

}  // namespace

std::string evaluation_text(const Evaluation& e, double beta) {
  std::string text = head_of(beta);
  const auto line = [&](const char* name, const std::optional<double>& v, const std::string& unit) {
    text += line_of(name, v, unit);
  };
  if (e.num_samples) text += fmt::format("{:<24}{:>18}  rows\n", "num_samples", *e.num_samples);
  line("log_z", e.log_z, "nats" + interval_words(e.log_z_interval, e.log_z.has_value()));
  if (e.held) {
    line("log_z_held", e.held->log_z,
         "nats, of the states that agree with what is held" +
             interval_words(e.held->log_z_interval, e.held->log_z.has_value()));
    line("log_p_held", e.held->log_p,
         "nats, log p of what is held" + interval_words(e.held->log_p_interval, e.held->log_p.has_value()));
  }
  if (e.num_samples) text += figures_of_rows(e, beta);
  if (e.ground_state_energy) line("ground_state_energy", e.ground_state_energy, ground_state_words(e));
  if (!e.num_samples && e.mean_energy) {
    line("mean_energy", e.mean_energy, "<E> of all units, exact");
    line("heat_capacity", e.heat_capacity, "beta^2 (<E^2> - <E>^2) of all units, exact");
    line("entropy", e.entropy, "nats, of all units: log Z + beta <E>; -log_z / beta is the Helmholtz free energy");
  }
  if (e.accuracy) {
    line("accuracy", e.accuracy, "share of the rows whose label is the likeliest");
    line("accuracy_error", e.accuracy_error, accuracy_error_unit);
    line("label_log_likelihood", e.label_log_likelihood, "nats a label, given the rest of its row");
    line("label_log_likelihood_error", e.label_log_likelihood_error, label_error_unit);
    if (of_some(e, &Evaluation::num_classified))
      text += fmt::format("{:<24}{:>18}  {}\n", "num_classified", *e.num_classified, classified_unit);
  }
  if (e.log_conditional) {
    line("log_conditional", e.log_conditional, conditional_unit);
    line("log_conditional_error", e.log_conditional_error, conditional_error_unit);
    if (of_some(e, &Evaluation::num_conditioned))
      text += fmt::format("{:<24}{:>18}  {}\n", "num_conditioned", *e.num_conditioned, conditioned_unit);
    if (e.log_conditional_jacobian)
      line("log_conditional_jacobian", e.log_conditional_jacobian, conditional_jacobian_unit);
  }
  if (e.log_likelihood && e.rows_error)
    line("rows_error", e.rows_error, std::string(rows_error_unit) + interval_words(rows_interval(e), true));
  if (e.units != "data") {
    text += fmt::format("{:<24}{:>18}\n", "units", e.units);
    line("log_jacobian", e.log_jacobian, "nats a sample, to be added for the data's own units");
  }
  if (e.machines_above) text += fmt::format("\n{}\n", e.machines_above->with_remedy());
  text += reasons_text(reasons_of_lines(e)) + remarks_text({e.advice});
  return e.num_samples || e.held ? text : text + "\nFigures of rows, such as likelihoods: add --data FILE.\n";
}

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

}  // namespace

/// The figures of all parts of a run's data, a column each, under those that need no data.
std::string splits_text(const Evaluations& all, double beta) {
  const auto any = [&](std::optional<double> Evaluation::*figure) {
    return std::ranges::any_of(all.splits, [&](const auto& split) { return (split.second.*figure).has_value(); });
  };
  const Evaluation& whole = all.whole;
  std::string text = head_of(beta);
  text += fmt::format("{:<24}{:>18}  nats{}\n", "log_z", figure_words(whole.log_z),
                      interval_words(whole.log_z_interval, whole.log_z.has_value()));
  if (whole.ground_state_energy)
    text += fmt::format("{:<24}{:>18}  {}\n", "ground_state_energy", figure_words(whole.ground_state_energy),
                        ground_state_words(whole));
  std::string names = fmt::format("\n{:<24}", ""), rows = fmt::format("{:<24}", "num_samples"), intervals;
  std::vector<std::pair<std::string, std::string>> reasons;
  std::vector<std::string> advice;
  for (const auto& [split, e] : all.splits) {
    const std::string& name = split;  // a lambda below has it
    advice.push_back(e.advice);
    names += fmt::format("{:>18}", name);
    rows += fmt::format("{:>18}", *e.num_samples);
    const auto add_interval = [&](const char* figure, const std::optional<Interval>& interval, bool known) {
      const std::string words = interval_words(interval, known);
      if (!words.empty()) intervals += fmt::format("{} of {}{}\n", figure, name, words.substr(1));
    };
    add_interval("log_likelihood", e.log_likelihood_interval, e.log_likelihood.has_value());
    // Of one part it stands on the line itself.
    if (all.splits.size() > 1)
      add_interval("variational_bound", e.variational_bound_interval, e.variational_bound.has_value());
    add_interval("first_machine", e.first_machine_interval, e.first_machine_log_likelihood.has_value());
    for (const auto& reason : reasons_of_lines(e))
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  text += names + "\n" + rows + "  rows\n";
  text += row_of_splits(all, "log_likelihood", &Evaluation::log_likelihood,
                        any(&Evaluation::accuracy) ? with_label : "nats a sample");
  if (any(&Evaluation::variational_bound))
    text += row_of_splits(all, "variational_bound", &Evaluation::variational_bound, unit_of_bound(all).c_str());
  if (any(&Evaluation::first_machine_log_likelihood))
    text += row_of_splits(all, "first_machine", &Evaluation::first_machine_log_likelihood, first_machine_unit);
  text += row_of_splits(all, "free_energy", &Evaluation::free_energy, free_energy_unit(beta).c_str());
  text += row_of_splits(all, "pseudo_log_likelihood", &Evaluation::pseudo_log_likelihood,
                        any(&Evaluation::accuracy) ? pseudo_with_label : "nats a sample");
  text += row_of_splits(all, "reconstruction_error", &Evaluation::reconstruction_error, "mean square of an entry");
  if (any(&Evaluation::accuracy)) {
    text += row_of_splits(all, "accuracy", &Evaluation::accuracy, "share of the rows whose label is the likeliest");
    text += row_of_splits(all, "accuracy_error", &Evaluation::accuracy_error, accuracy_error_unit);
    text += row_of_splits(all, "label_log_likelihood", &Evaluation::label_log_likelihood,
                          "nats a label, given the rest of its row");
    text += row_of_splits(all, "label_log_likelihood_error", &Evaluation::label_log_likelihood_error, label_error_unit);
    text += rows_of_splits(all, "num_classified", &Evaluation::num_classified, classified_unit);
  }
  if (any(&Evaluation::log_conditional)) {
    text += row_of_splits(all, "log_conditional", &Evaluation::log_conditional, conditional_unit);
    text += row_of_splits(all, "log_conditional_error", &Evaluation::log_conditional_error, conditional_error_unit);
    text += rows_of_splits(all, "num_conditioned", &Evaluation::num_conditioned, conditioned_unit);
    if (any(&Evaluation::log_conditional_jacobian))
      text += row_of_splits(all, "log_conditional_jacobian", &Evaluation::log_conditional_jacobian,
                            conditional_jacobian_unit);
  }
  if (any(&Evaluation::log_likelihood) && any(&Evaluation::rows_error))
    text += row_of_splits(all, "rows_error", &Evaluation::rows_error, rows_error_unit);
  if (whole.units != "data") {
    text += fmt::format("units: {}; log_jacobian", whole.units);
    const char* between = " ";
    for (const auto& [name, split] : all.splits) {
      text += fmt::format("{}{} ({})", between, figure_words(split.log_jacobian), name);
      between = ", ";
    }
    text += " nats a sample, to be added for the data's own units\n";
  }
  std::string above;
  for (const AboveOfParts& said : above_of_parts(all))
    above += fmt::format("{}{} rows: {}\n", above.empty() ? "\n" : "", said.parts, said.above.with_remedy());
  return text + intervals + above + reasons_text(reasons) + remarks_text(advice);
}

}  // namespace v1
}  // namespace harmonium
