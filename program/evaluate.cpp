#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/cli/help.hpp>
#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/evaluation_text.hpp>
#include <harmonium/program/paired_along.hpp>
#include <harmonium/program/paired_evaluation.hpp>
#include <harmonium/program/paired_log_z.hpp>
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
    "in \"reasons\". A model file (but RUN/best.h5) without --data or --split: of the model alone; with --betas, log Z "
    "at "
    "each.\n"
    "Beside an exact log Z stand <E>, heat capacity, entropy and the ground state; -log Z / beta is the Helmholtz "
    "energy.";

class Evaluate final : public RequestCommand<EvaluateRequest> {
 public:
  Evaluate()
      : RequestCommand(
            "evaluate", "Judge a model: log Z, log likelihood of data, and more", evaluate_more,
            {"harmonium evaluate runs/first", "harmonium evaluate model.h5 --data test.csv --rows rows.csv --json"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_data(command, request_.data);
    add_split(command, request_.split);
    add_name(command, "--rows", request_.rows, "FILE",
             "FILE.csv or .npy: figures of each row of --data or --split; with --against, of both models");
    add_name(command, "--ground-state", request_.ground_state, "FILE",
             "FILE.csv, .npy, or .fasta of sequences: a state of the lowest energy, latent layers last");
    command.add_flag("--states", request_.ground_state_states,
                     "Its categorical units in one column each, the state from 0, not one-hot; .npy or .csv");
    one_ = add_beta(command, request_.beta);
    add_name(command, "--betas", request_.listed.betas, "LIST", fmt::format("{}, a line each", of_betas).c_str());
    add_name(command, "--temperatures", request_.listed.temperatures, "LIST", of_temperatures);
    add_name(command, "--log-z", request_.log_z, "NAME",
             "auto (default): exactly within two minutes, else ais; none; 'harmonium list log_partition'");
    command.add_flag("--no-moments", request_.log_z_alone,
                     "log Z without <E>, heat capacity and entropy, which follow where it is exact and take as long");
    add_positive(command, "--effort", request_.effort, "X",
                 "How much longer than usual annealing, ladders and exact sums unasked may take (default: 1)",
                 most_effort);
    add_clamp(command, request_.clamp,
              "NAME=free: log p of what is named, given the rest of each row; NAME=VALUE: of that, no rows");
    add_name(command, "--against", against_, "OTHER",
             "Another model or run: differences on the same rows, with errors over rows, else of log Z");
    others_ = add_against_beta(command, other_beta_);
    command.add_flag("--bound", request_.bound_alone,
                     "Of coupled latent units the variational bound alone, without sums; goes with --against");
    command.add_flag("--no-first-machine", request_.no_first_machine,
                     "Of a stack without the log likelihood of its first machine alone, whose log Z takes long");
    command.add_flag("--json", json_, "One JSON object, numbers with 17 significant digits");
    add_common(command, request_, quiet_, "data.scale=0.5 or log_z.max_bits=32");
  }
  void settle() override {
    settle_temperatures();
    if (!request_.ground_state.empty() && request_.holds_units())
      throw ConfigError(
          "--ground-state: it is the lowest of all states, and --clamp holds some units. Leave one of the two out.");
    if (request_.ground_state_states && request_.ground_state.empty())
      throw ConfigError(
          "--states: it is for the state that --ground-state FILE writes. Give that too, or leave --states out: "
          "rows of states are read without it.");
    if (against_.empty()) {
      if (const std::string option = others_.given(); !option.empty())
        throw ConfigError(fmt::format(
            "{0}: it is the temperature of the model that --against names. Give --against OTHER too, or leave {0} out.",
            option));
      return;
    }
    for (const auto& [given, option] : {std::pair{!request_.ground_state.empty(), "--ground-state"},
                                        {!request_.clamp.empty(), "--clamp"},
                                        {request_.no_first_machine, "--no-first-machine"}})
      if (given)
        throw ConfigError(fmt::format(
            "--against {}: it prints differences of the likelihoods of rows, and does not go with {}. Leave one of the "
            "two out.",
            against_, option));
  }
  bool writes_files() const override { return !request_.rows.empty() || !request_.ground_state.empty(); }
  int run(Terminal& terminal) override {
    const std::string given = request_.model;
    request_.model = model_named(given);
    if (!against_.empty()) return paired(given, terminal);
    request_.first_machine = !request_.no_first_machine;
    request_.first_machine_left_out_by = "--no-first-machine";
    request_.own_data =
        request_.model != given || std::filesystem::path(given).filename() == "best.h5" || !request_.split.empty();
    // What is held is asked of the model alone, unless something is free, given the rest of rows.
    if (!request_.clamp.empty() && request_.split.empty() && request_.rows.empty() && !names_what_is_free())
      request_.own_data = false;
    const std::filesystem::path best = std::filesystem::path(request_.model).parent_path() / "best.h5";
    if (request_.model != given && std::filesystem::exists(best) && !quiet_)
      terminal.warn(
          fmt::format("this is the run's last model; its best one, which training.keep_best kept, is judged by "
                      "'harmonium evaluate {}'.",
                      best.string()));
    if (request_.own_data) tell_leak(request_, given, terminal);
    if (request_.listed.given()) return along(terminal);
    const Evaluations all = program(precision_of_model(request_.model)).evaluate(request_);
    terminal.finish();
    write_out(json_                ? evaluations_json(all, request_.beta)
              : all.splits.empty() ? evaluation_text(all.whole, request_.beta)
                                   : splits_text(all, request_.beta));
    return 0;
  }

 private:
  bool names_what_is_free() const {
    return std::ranges::any_of(request_.clamp,
                               [](const std::string& c) { return c.find("=free") != std::string::npos; });
  }
  /// That rows which the model's run sets aside were trained on before.
  static void tell_leak(const EvaluateRequest& request, const std::string& given, Terminal& terminal) {
    if (!request.data.empty() || request.split == "training") return;
    const std::string leak = leak_in(std::filesystem::path(request.model).parent_path());
    if (!leak.empty()) terminal.warn(fmt::format("{}: {}{}", given, leak, too_good));
  }
  void settle_temperatures() const {
    if (!request_.listed.given()) return;
    request_.listed.check_only_one();
    const char* option = request_.listed.option();
    for (const std::string& given : {one_.given(), others_.given()})
      if (!given.empty())
        throw ConfigError(fmt::format("{}: {} names the {}temperatures already{}. Leave one of the two out.", given,
                                      option, request_.listed.by_temperature() ? "" : "inverse ",
                                      given == others_.given() ? ", those of both models" : ""));
  }

  int paired(const std::string& given, Terminal& terminal) {
    const PairedNames names{given, against_, request_.beta, other_beta_.value_or(request_.beta)};
    const std::string other = model_named(against_);
    const bool no_rows = have_no_rows(request_, other);
    if (request_.listed.given() && !no_rows)
      throw ConfigError(
          fmt::format("--against {}: differences of the likelihoods of rows are at one temperature, and {} names "
                      "several. Give --beta in its place.",
                      against_, request_.listed.option()));
    for (const auto& [given_too, option] :
         {std::pair{request_.bound_alone, "--bound"}, {!request_.rows.empty(), "--rows"}})
      if (no_rows && given_too)
        throw ConfigError(
            fmt::format("{0}: it is of rows, and --against {1} has none to compare on. Add --data FILE, or leave "
                        "{0} out.",
                        option, against_));
    if (request_.listed.given()) {
      const PairedAlong all = evaluate_log_z_along(request_, other, names);
      terminal.finish();
      write_out(json_ ? paired_along_json(all, names) : paired_along_text(all, names, request_.listed.shown()));
      return 0;
    }
    if (no_rows) {
      const PairedLogZ found = evaluate_log_z(request_, other, names);
      terminal.finish();
      write_out(json_ ? paired_log_z_json(found, names) : paired_log_z_text(found, names));
      return 0;
    }
    request_.rows_of = only_one_with_rows(request_, other);
    if (!request_.rows_of.empty() && !quiet_) {
      const bool own = request_.rows_of == request_.model;
      terminal.warn(fmt::format("{} does not say which data it was trained on: both are judged on the rows of {}.",
                                own ? against_ : given, own ? given : against_));
    }
    tell_leak(request_, given, terminal);
    EvaluateRequest of_other = request_;
    of_other.model = other;
    tell_leak(of_other, against_, terminal);
    const std::vector<PairedRows> all = evaluate_paired(request_, other, names);
    terminal.finish();
    write_out(json_ ? paired_json(all, names) : paired_text(all, names));
    return 0;
  }

  /// At several temperatures: a line of the table stands as soon as it is known.
  int along(Terminal& terminal) {
    std::optional<AlongTable> table;
    if (!json_)
      request_.beta_done = [&](double beta, const Evaluation& e) {
        terminal.finish();
        if (!table) write_out(table.emplace(e, request_.listed.shown()).head());
        write_out(table->row(beta, e));
      };
    const auto all = program(precision_of_model(request_.model)).evaluate_along(request_);
    terminal.finish();
    write_out(json_ ? along_json(all) : table->foot(all));
    return 0;
  }

  OneTemperature one_, others_;
  std::string against_;
  std::optional<double> other_beta_;  ///< of that model; none: that of the request
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> evaluate_command() { return std::make_unique<Evaluate>(); }

}  // namespace v1
}  // namespace harmonium
