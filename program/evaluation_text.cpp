#include <harmonium/program/evaluation_text.hpp>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/evaluation_units.hpp>
#include <harmonium/program/evaluation_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string line_of(const char* name, const std::optional<double>& v, const std::string& unit) {
  return fmt::format("{}  {}\n", named_cell(name, figure_words(v)), unit);
}

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

}  // namespace v1
}  // namespace harmonium
