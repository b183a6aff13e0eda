#include <harmonium/program/evaluation_text.hpp>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/evaluation_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

const char* effect_words(MachinesAbove::Effect effect) {
  switch (effect) {
    case MachinesAbove::Effect::raise: return "raise";
    case MachinesAbove::Effect::lower: return "lower";
    case MachinesAbove::Effect::unknown: return "unknown";
  }
  return "";
}

/// One more member, of an evaluation that has it.
std::string held_json(const std::optional<HeldFigures>& held) {
  if (!held) return "";
  return fmt::format(", \"held\": {{\"log_z\": {}, \"log_z_interval\": {}, \"log_p\": {}, \"log_p_interval\": {}}}",
                     json_number(held->log_z), interval_json(held->log_z_interval), json_number(held->log_p),
                     interval_json(held->log_p_interval));
}

/// The members of a JSON object.
std::string members_json(const Evaluation& e) {
  std::string reasons;
  for (const auto& [name, why] : e.reasons)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", json_string(name), json_string(why));
  return fmt::format(
             "\"log_z\": {}, \"log_z_interval\": {}, \"log_likelihood\": {}, \"log_likelihood_interval\": {}, "
             "\"rows_error\": {}, \"rows_interval\": {}, \"agree\": {}, \"why\": {}, \"advice\": {}, \"log_z_method\": "
             "{}, "
             "\"ground_state_energy\": {}, "
             "\"mean_energy\": {}, "
             "\"heat_capacity\": {}, \"entropy\": {}, \"num_samples\": {}, "
             "\"variational_bound\": {}, \"variational_bound_interval\": {}, \"first_machine_log_likelihood\": {}, "
             "\"first_machine_interval\": {}, "
             "\"machines_above\": {}, \"free_energy\": {}, \"free_energy_interval\": {}, \"pseudo_log_likelihood\": "
             "{}, "
             "\"reconstruction_error\": {}, \"accuracy\": {}, \"accuracy_error\": {}, "
             "\"label_log_likelihood\": {}, \"label_log_likelihood_error\": {}, \"num_classified\": {}, "
             "\"log_conditional\": {}, \"log_conditional_error\": {}, \"num_conditioned\": {}, "
             "\"log_conditional_jacobian\": {}, "
             "\"units\": "
             "{}, \"log_jacobian\": {}, \"reasons\": {{{}}}",
             json_number(e.log_z), interval_json(e.log_z_interval), json_number(e.log_likelihood),
             interval_json(e.log_likelihood_interval), json_number(e.rows_error), interval_json(rows_interval(e)),
             !e.agree   ? "null"
             : *e.agree ? "true"
                        : "false",
             json_string(e.why), e.advice.empty() ? "null" : json_string(e.advice), json_string(e.log_z_method),
             json_number(e.ground_state_energy), json_number(e.mean_energy), json_number(e.heat_capacity),
             json_number(e.entropy), e.num_samples ? std::to_string(*e.num_samples) : "null",
             json_number(e.variational_bound), interval_json(e.variational_bound_interval),
             json_number(e.first_machine_log_likelihood), interval_json(e.first_machine_interval),
             e.machines_above ? json_string(effect_words(e.machines_above->effect)) : "null",
             json_number(e.free_energy), interval_json(e.free_energy_interval), json_number(e.pseudo_log_likelihood),
             json_number(e.reconstruction_error), json_number(e.accuracy), json_number(e.accuracy_error),
             json_number(e.label_log_likelihood), json_number(e.label_log_likelihood_error),
             e.num_classified ? std::to_string(*e.num_classified) : "null", json_number(e.log_conditional),
             json_number(e.log_conditional_error), e.num_conditioned ? std::to_string(*e.num_conditioned) : "null",
             json_number(e.log_conditional_jacobian), json_string(e.units), json_number(e.log_jacobian), reasons) +
         held_json(e.held);
}

}  // namespace

std::string evaluations_json(const Evaluations& all, double beta) {
  std::string splits;
  for (const auto& [name, e] : all.splits)
    splits += fmt::format("{}{}: {{{}}}", splits.empty() ? "" : ", ", json_string(name), members_json(e));
  return fmt::format("{{{}, \"beta\": {}, \"splits\": {}}}\n", members_json(all.whole), json_number(beta),
                     all.splits.empty() ? std::string("null") : "{" + splits + "}");
}

std::string along_json(const std::vector<std::pair<double, Evaluation>>& all) {
  std::string text;
  for (const auto& [beta, e] : all)
    text += fmt::format("{}{{\"beta\": {}, {}}}", text.empty() ? "" : ",\n", json_number(beta), members_json(e));
  return "[" + text + "]\n";
}

}  // namespace v1
}  // namespace harmonium
