#include <cmath>

#include <fmt/format.h>

#include <harmonium/cli/help.hpp>
#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* evaluate_more =
    "Prints log Z and, for data, the means of log likelihood, free energy, pseudo log likelihood and reconstruction\n"
    "error. What needs data that was not given, or what the model does not offer, is '-', or null with --json, and "
    "the\n"
    "reason stands below, or in \"reasons\".\n\n"
    "Example: harmonium evaluate RUN/model.h5 --data test.npy --set data.binarize=threshold --json";

std::string figure_words(const std::optional<double>& v) { return v ? fmt::format("{:.6f}", *v) : std::string("-"); }

/// ", between 1.5 and 1.7 (95 %)"; nothing where it is exact.
std::string interval_words(const std::optional<Interval>& i) {
  if (!i || i->low == i->high) return "";
  if (!std::isfinite(i->low) && !std::isfinite(i->high)) return "";
  if (!std::isfinite(i->low)) return fmt::format(", at most {:.3f} (95 %)", i->high);
  if (!std::isfinite(i->high)) return fmt::format(", at least {:.3f} (95 %)", i->low);
  return fmt::format(", between {:.3f} and {:.3f} (95 %)", i->low, i->high);
}

std::string interval_json(const std::optional<Interval>& i) {
  return i ? fmt::format("[{}, {}]", json_number(i->low), json_number(i->high)) : "null";
}

std::string evaluation_text(const Evaluation& e) {
  std::string text;
  const auto line = [&](const char* name, const std::optional<double>& v, const std::string& unit) {
    text += fmt::format("{:<24}{:>18}  {}\n", name, figure_words(v), unit);
  };
  text += fmt::format("{:<24}{:>18}  rows\n", "num_samples", e.num_samples ? std::to_string(*e.num_samples) : "-");
  line("log_z", e.log_z, "nats" + interval_words(e.log_z_interval));
  line("log_likelihood", e.log_likelihood, "nats a sample" + interval_words(e.log_likelihood_interval));
  if (e.variational_bound) line("variational_bound", e.variational_bound, "nats a sample, a lower bound by mean field");
  line("free_energy", e.free_energy, "nats, mean" + interval_words(e.free_energy_interval));
  line("pseudo_log_likelihood", e.pseudo_log_likelihood, "nats a sample");
  line("reconstruction_error", e.reconstruction_error, "mean square of an entry");
  if (e.ground_state_energy) line("ground_state_energy", e.ground_state_energy, "of all states");
  if (e.accuracy) {
    line("accuracy", e.accuracy, "share of the rows whose label is the likeliest");
    line("label_log_likelihood", e.label_log_likelihood, "nats a label, given the rest of its row");
  }
  if (e.units != "data") {
    text += fmt::format("{:<24}{:>18}\n", "units", e.units);
    line("log_jacobian", e.log_jacobian, "nats a sample, to be added for the data's own units");
  }
  auto reasons = e.reasons;  // of the lines above
  std::erase_if(reasons, [](const auto& r) { return r.first == "accuracy" || r.first == "label_log_likelihood"; });
  return text + reasons_text(reasons);
}

std::string evaluation_json(const Evaluation& e) {
  std::string reasons;
  for (const auto& [name, why] : e.reasons)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", json_string(name), json_string(why));
  return fmt::format(
      "{{\"log_z\": {}, \"log_z_interval\": {}, \"log_likelihood\": {}, \"log_likelihood_interval\": {}, "
      "\"agree\": {}, \"why\": {}, \"log_z_method\": {}, \"ground_state_energy\": {}, \"num_samples\": {}, "
      "\"variational_bound\": {}, \"free_energy\": {}, \"free_energy_interval\": {}, \"pseudo_log_likelihood\": "
      "{}, "
      "\"reconstruction_error\": {}, \"accuracy\": {}, \"label_log_likelihood\": {}, \"units\": {}, \"log_jacobian\": "
      "{}, \"reasons\": {{{}}}}}\n",
      json_number(e.log_z), interval_json(e.log_z_interval), json_number(e.log_likelihood),
      interval_json(e.log_likelihood_interval),
      !e.agree   ? "null"
      : *e.agree ? "true"
                 : "false",
      json_string(e.why), json_string(e.log_z_method), json_number(e.ground_state_energy),
      e.num_samples ? std::to_string(*e.num_samples) : "null", json_number(e.variational_bound),
      json_number(e.free_energy), interval_json(e.free_energy_interval), json_number(e.pseudo_log_likelihood),
      json_number(e.reconstruction_error), json_number(e.accuracy), json_number(e.label_log_likelihood),
      json_string(e.units), json_number(e.log_jacobian), reasons);
}

class Evaluate final : public RequestCommand<EvaluateRequest> {
 public:
  Evaluate() : RequestCommand("evaluate", "Judge a model: log Z, log likelihood of data, and more", evaluate_more) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_name(command, "--data", request_.data, "FILE", data_help);
    add_beta(command, request_.beta);
    add_name(command, "--log-z", request_.log_z, "NAME",
             "auto (default): exactly where it can be had, else ais; see 'harmonium list log_partition'");
    command
        .add_option("--effort", request_.effort,
                    "How much longer than usual annealing and ladders may take (default: 1)")
        ->type_name("X")
        ->check(positive_number());
    command.add_flag("--json", json_, "One JSON object, numbers with 17 significant digits");
    add_common(command, request_, quiet_, "data.scale=0.5 or log_z.max_bits=32");
  }
  int run(Terminal& terminal) override {
    const Evaluation result = program(precision_of_model(request_.model)).evaluate(request_);
    terminal.finish();
    write_out(json_ ? evaluation_json(result) : evaluation_text(result));
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> evaluate_command() { return std::make_unique<Evaluate>(); }

}  // namespace v1
}  // namespace harmonium
