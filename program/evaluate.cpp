#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/cli/help.hpp>
#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* evaluate_more =
    "Prints log Z and, for data, the means of log likelihood, free energy, pseudo log likelihood and reconstruction\n"
    "error. Of a run's folder without --data: of its training, validation and test rows, side by side. What needs "
    "data\n"
    "that was not given, or what the model does not offer, is '-', or null with --json, and the reason stands below, "
    "or\n"
    "in \"reasons\". --rows has the figures of each row. A model file without --data: of the model alone; with "
    "--betas, log Z\n"
    "at each of them.";

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

/// Of a stack.
constexpr const char* first_machine_unit = "nats a sample, the log likelihood of the first machine alone";

const char* effect_words(MachinesAbove::Effect effect) {
  switch (effect) {
    case MachinesAbove::Effect::raise: return "raise";
    case MachinesAbove::Effect::lower: return "lower";
    case MachinesAbove::Effect::unknown: return "unknown";
  }
  return "";
}

const char* ground_state_words(const Evaluation& e) {
  return e.ground_state_certain ? "of all states" : "the lowest that was met";
}

/// Why figures are absent that are always shown.
std::vector<std::pair<std::string, std::string>> reasons_of_lines(const Evaluation& e) {
  auto reasons = e.reasons;
  std::erase_if(reasons, [](const auto& r) { return r.first == "accuracy" || r.first == "label_log_likelihood"; });
  return reasons;
}

std::string evaluation_text(const Evaluation& e) {
  std::string text;
  const auto line = [&](const char* name, const std::optional<double>& v, const std::string& unit) {
    text += fmt::format("{:<24}{:>18}  {}\n", name, figure_words(v), unit);
  };
  text += fmt::format("{:<24}{:>18}  rows\n", "num_samples", e.num_samples ? std::to_string(*e.num_samples) : "-");
  line("log_z", e.log_z, "nats" + interval_words(e.log_z_interval));
  line("log_likelihood", e.log_likelihood, "nats a sample" + interval_words(e.log_likelihood_interval));
  if (e.variational_bound) line("variational_bound", e.variational_bound, "nats a sample, a lower bound");
  if (e.first_machine_log_likelihood)
    line("first_machine", e.first_machine_log_likelihood,
         first_machine_unit + interval_words(e.first_machine_interval));
  line("free_energy", e.free_energy, "nats, mean" + interval_words(e.free_energy_interval));
  line("pseudo_log_likelihood", e.pseudo_log_likelihood, "nats a sample");
  line("reconstruction_error", e.reconstruction_error, "mean square of an entry");
  if (e.ground_state_energy) line("ground_state_energy", e.ground_state_energy, ground_state_words(e));
  if (e.accuracy) {
    line("accuracy", e.accuracy, "share of the rows whose label is the likeliest");
    line("label_log_likelihood", e.label_log_likelihood, "nats a label, given the rest of its row");
  }
  if (e.units != "data") {
    text += fmt::format("{:<24}{:>18}\n", "units", e.units);
    line("log_jacobian", e.log_jacobian, "nats a sample, to be added for the data's own units");
  }
  if (e.machines_above) text += fmt::format("\n{}\n", e.machines_above->words);
  return text + reasons_text(reasons_of_lines(e));
}

/// A line of the table of splits: a cell for each.
std::string row_of_splits(const Evaluations& all, const char* name, std::optional<double> Evaluation::*figure,
                          const char* unit) {
  std::string line = fmt::format("{:<24}", name);
  for (const auto& split : all.splits) line += fmt::format("{:>18}", figure_words(split.second.*figure));
  return line + "  " + unit + "\n";
}

/// The figures of all parts of a run's data, a column each, under those that need no data.
std::string splits_text(const Evaluations& all) {
  const auto any = [&](std::optional<double> Evaluation::*figure) {
    return std::ranges::any_of(all.splits, [&](const auto& split) { return (split.second.*figure).has_value(); });
  };
  const Evaluation& whole = all.whole;
  std::string text =
      fmt::format("{:<24}{:>18}  nats{}\n", "log_z", figure_words(whole.log_z), interval_words(whole.log_z_interval));
  if (whole.ground_state_energy)
    text += fmt::format("{:<24}{:>18}  {}\n", "ground_state_energy", figure_words(whole.ground_state_energy),
                        ground_state_words(whole));
  std::string names = fmt::format("\n{:<24}", ""), rows = fmt::format("{:<24}", "num_samples"), intervals, above;
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const auto& [name, e] : all.splits) {
    names += fmt::format("{:>18}", name);
    rows += fmt::format("{:>18}", *e.num_samples);
    if (const std::string words = interval_words(e.log_likelihood_interval); !words.empty())
      intervals += fmt::format("log_likelihood of {}{}\n", name, words.substr(1));
    if (const std::string words = interval_words(e.first_machine_interval); !words.empty())
      intervals += fmt::format("first_machine of {}{}\n", name, words.substr(1));
    if (e.machines_above) above += fmt::format("{}: {}\n", name, e.machines_above->words);
    for (const auto& reason : reasons_of_lines(e))
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  }
  text += names + "\n" + rows + "  rows\n";
  text += row_of_splits(all, "log_likelihood", &Evaluation::log_likelihood, "nats a sample");
  if (any(&Evaluation::variational_bound))
    text += row_of_splits(all, "variational_bound", &Evaluation::variational_bound, "nats a sample, a lower bound");
  if (any(&Evaluation::first_machine_log_likelihood))
    text += row_of_splits(all, "first_machine", &Evaluation::first_machine_log_likelihood, first_machine_unit);
  text += row_of_splits(all, "free_energy", &Evaluation::free_energy, "nats, mean");
  text += row_of_splits(all, "pseudo_log_likelihood", &Evaluation::pseudo_log_likelihood, "nats a sample");
  text += row_of_splits(all, "reconstruction_error", &Evaluation::reconstruction_error, "mean square of an entry");
  if (any(&Evaluation::accuracy)) {
    text += row_of_splits(all, "accuracy", &Evaluation::accuracy, "share of the rows whose label is the likeliest");
    text += row_of_splits(all, "label_log_likelihood", &Evaluation::label_log_likelihood,
                          "nats a label, given the rest of its row");
  }
  if (whole.units != "data") {
    text += fmt::format("units: {}; log_jacobian", whole.units);
    const char* between = " ";
    for (const auto& [name, split] : all.splits) {
      text += fmt::format("{}{} ({})", between, figure_words(split.log_jacobian), name);
      between = ", ";
    }
    text += " nats a sample, to be added for the data's own units\n";
  }
  if (!above.empty()) above.insert(0, "\n");
  return text + intervals + above + reasons_text(reasons);
}

/// The members of a JSON object.
std::string members_json(const Evaluation& e) {
  std::string reasons;
  for (const auto& [name, why] : e.reasons)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", json_string(name), json_string(why));
  return fmt::format(
      "\"log_z\": {}, \"log_z_interval\": {}, \"log_likelihood\": {}, \"log_likelihood_interval\": {}, "
      "\"agree\": {}, \"why\": {}, \"log_z_method\": {}, \"ground_state_energy\": {}, \"num_samples\": {}, "
      "\"variational_bound\": {}, \"first_machine_log_likelihood\": {}, \"first_machine_interval\": {}, "
      "\"machines_above\": {}, \"free_energy\": {}, \"free_energy_interval\": {}, \"pseudo_log_likelihood\": "
      "{}, "
      "\"reconstruction_error\": {}, \"accuracy\": {}, \"label_log_likelihood\": {}, \"units\": {}, \"log_jacobian\": "
      "{}, \"reasons\": {{{}}}",
      json_number(e.log_z), interval_json(e.log_z_interval), json_number(e.log_likelihood),
      interval_json(e.log_likelihood_interval),
      !e.agree   ? "null"
      : *e.agree ? "true"
                 : "false",
      json_string(e.why), json_string(e.log_z_method), json_number(e.ground_state_energy),
      e.num_samples ? std::to_string(*e.num_samples) : "null", json_number(e.variational_bound),
      json_number(e.first_machine_log_likelihood), interval_json(e.first_machine_interval),
      e.machines_above ? json_string(effect_words(e.machines_above->effect)) : "null", json_number(e.free_energy),
      interval_json(e.free_energy_interval), json_number(e.pseudo_log_likelihood), json_number(e.reconstruction_error),
      json_number(e.accuracy), json_number(e.label_log_likelihood), json_string(e.units), json_number(e.log_jacobian),
      reasons);
}

std::string evaluations_json(const Evaluations& all) {
  std::string splits;
  for (const auto& [name, e] : all.splits)
    splits += fmt::format("{}{}: {{{}}}", splits.empty() ? "" : ", ", json_string(name), members_json(e));
  return fmt::format("{{{}, \"splits\": {}}}\n", members_json(all.whole),
                     all.splits.empty() ? std::string("null") : "{" + splits + "}");
}

/// A line a temperature.
std::string along_text(const std::vector<std::pair<double, Evaluation>>& all) {
  const bool data = all.front().second.num_samples.has_value();
  std::string text = fmt::format("{:>12}  {:>18}", "beta", "log_z");
  if (data) text += fmt::format("  {:>18}  {:>21}", "log_likelihood", "pseudo_log_likelihood");
  text += "\n";
  std::string reasons;
  for (const auto& [beta, e] : all) {
    text += fmt::format("{:>12.6g}  {:>18}", beta, figure_words(e.log_z));
    if (data)
      text += fmt::format("  {:>18}  {:>21}", figure_words(e.log_likelihood), figure_words(e.pseudo_log_likelihood));
    const std::string interval = interval_words(e.log_z_interval);
    text += interval.empty() ? "\n" : fmt::format("  log_z{}\n", interval.substr(1));
    for (const auto& [name, why] : e.reasons)
      if (name == "log_z") reasons += fmt::format("No {} at beta = {:.6g}: {}\n", name, beta, why);
  }
  return text + (reasons.empty() ? "" : "\n" + reasons);
}

std::string along_json(const std::vector<std::pair<double, Evaluation>>& all) {
  std::string text;
  for (const auto& [beta, e] : all)
    text += fmt::format("{}{{\"beta\": {}, {}}}", text.empty() ? "" : ",\n", json_number(beta), members_json(e));
  return "[" + text + "]\n";
}

class Evaluate final : public RequestCommand<EvaluateRequest> {
 public:
  Evaluate()
      : RequestCommand(
            "evaluate", "Judge a model: log Z, log likelihood of data, and more", evaluate_more,
            {"harmonium evaluate runs/first", "harmonium evaluate model.h5 --data test.csv --rows rows.csv --json"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_data(command, request_.data);
    add_name(command, "--rows", request_.rows, "FILE", "FILE.csv or FILE.npy of the figures of each row of --data");
    add_beta(command, request_.beta);
    add_name(command, "--betas", request_.betas, "LIST",
             "Several, in a table, of the model and --data: 0.2,0.4,0.8 or FIRST:LAST:COUNT");
    add_name(command, "--log-z", request_.log_z, "NAME",
             "auto (default): exactly where it can be had, else ais; none; 'harmonium list log_partition'");
    add_positive(command, "--effort", request_.effort, "X",
                 "How much longer than usual annealing and ladders may take (default: 1)");
    command.add_flag("--bound", request_.bound_alone,
                     "Of rows whose latent units are coupled the variational bound alone: they are not annealed");
    command.add_flag("--json", json_, "One JSON object, numbers with 17 significant digits");
    add_common(command, request_, quiet_, "data.scale=0.5 or log_z.max_bits=32");
  }
  void settle() override {
    if (!request_.betas.empty() && request_.beta != 1.0)
      throw ConfigError("--beta: --betas names the inverse temperatures already. Leave one of the two out.");
  }
  int run(Terminal& terminal) override {
    const std::string given = request_.model;
    request_.model = model_named(given);
    request_.first_machine = true;
    request_.own_data = request_.model != given || std::filesystem::path(given).filename() == "best.h5";
    const std::filesystem::path best = std::filesystem::path(request_.model).parent_path() / "best.h5";
    if (request_.model != given && std::filesystem::exists(best) && !quiet_)
      terminal.warn(
          fmt::format("this is the run's last model; its best one, which training.keep_best kept, is judged by "
                      "'harmonium evaluate {}'.",
                      best.string()));
    if (!request_.betas.empty()) {
      const auto along = program(precision_of_model(request_.model)).evaluate_along(request_);
      terminal.finish();
      write_out(json_ ? along_json(along) : along_text(along));
      return 0;
    }
    const Evaluations all = program(precision_of_model(request_.model)).evaluate(request_);
    terminal.finish();
    write_out(json_ ? evaluations_json(all) : all.splits.empty() ? evaluation_text(all.whole) : splits_text(all));
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> evaluate_command() { return std::make_unique<Evaluate>(); }

}  // namespace v1
}  // namespace harmonium
