#include <fmt/format.h>

#include <harmonium/cli/help.hpp>
#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/diagnostics/windowed_time.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/observation_text.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* observe_more =
    "Prints, for each temperature, the energy, the specific heat, of spins (or bits, as 2x - 1) the magnetization, "
    "the\n"
    "susceptibilities and the Binder cumulant, of other units means; the overlap of two replicas; and the correlation "
    "of\n"
    "pairs that couple: value(error), the error of the last two digits. A question mark: the error is not to be "
    "believed.\n"
    "Then autocorrelation times in steps of the sampler, or that they are not known, and how log Z differs between\n"
    "temperatures. Energies are in the units of the couplings, k_B = 1; specific heat and susceptibilities are per "
    "unit.\n"
    "DIR receives a figure, observables.csv, overlaps.csv, and tables of the options above (docs/observables.md).";

class Observe final : public RequestCommand<ObserveRequest> {
 public:
  Observe()
      : RequestCommand("observe", "Measure energy, order and overlaps of a model at given temperatures", observe_more,
                       {"harmonium observe glass.h5 --betas 0.2:2:12 --output observed",
                        "harmonium observe runs/first --betas 0.9,1,1.1 --sampler gibbs --steps 5000 --json"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    const CLI::Option* beta = command.add_option("--beta", beta_, of_beta)->type_name("B")->check(number_from_zero());
    command.add_option("--temperature", temperature_, of_temperature)->type_name("T")->check(one_temperature(beta));
    betas_ = add_name(command, "--betas", request_.listed.betas, "LIST",
                      fmt::format("{} (default: 0.1:1:10)", of_betas).c_str());
    add_name(command, "--temperatures", request_.listed.temperatures, "LIST", of_temperatures);
    command.add_flag("--exact", request_.exact, "Sum over all states, 2^24 at most, in place of chains: no errors");
    add_name(command, "--sampler", request_.sampler, "NAME",
             "Sample each temperature by itself (default: parallel tempering, the temperatures its ladder)");
    add_count(command, "--steps", request_.steps, "N", 2,
              "Transitions that are measured of each chain, 100 or more without --series (default: 10000)");
    add_count(command, "--warm-up", request_.warm_up, "N", 0,
              "Transitions before, not measured (default: a fifth of --steps, or what the sampler adapts in)");
    add_count(command, "--chains", request_.chains, "N", 2,
              "Chains at each temperature, an even number: two replicas a pair (default: 8)");
    add_name(command, "--layer", request_.layer, "NAME",
             "Layer of magnetization and overlap (default: the first that is observed)");
    add_name(command, "--correlations", request_.correlations, "GRID|lattice",
             "Correlation functions along a grid of the layer's units: 16x16 goes round, 28x28:open ends");
    add_name(command, "--local", request_.local, "coupled|all",
             "Means of each unit, and of the pairs that couple or all pairs of the layer");
    command.add_flag("--frequencies", request_.frequencies,
                     "Of these pairs of categorical units how often each is in each two states: frequencies.csv");
    add_name(command, "--series", request_.series, "FILE",
             "FILE.csv or FILE.npy of energy and order at each step of each chain, after the warm-up");
    add_clamp(command, request_.clamp,
              "Average given what is held: LAYER=VALUE, LAYER[I]=VALUE, LAYER[I:J]=VALUE, COLUMN=VALUE");
    add_name(command, "--output", request_.output, "DIR", "Folder for tables and a figure; those in it are replaced");
    command.add_flag("--json", json_, "One JSON object, numbers with 17 significant digits");
    add_common(command, request_, quiet_, "sampler.type=flip_the_state");
  }
  void settle() override {
    if (request_.frequencies && request_.local.empty())
      throw ConfigError("--frequencies: they are of the pairs that --local names. Add --local coupled or --local all.");
    if (request_.frequencies && request_.output.empty())
      throw ConfigError("--frequencies: they are a table in the folder of --output. Name one.");
    if (!request_.exact && request_.series.empty() && request_.steps && *request_.steps < least_steps_of_errors)
      throw ConfigError(
          fmt::format("--steps {}: averages of fewer than {} steps have no errors. Give {} or more, or --series FILE, "
                      "which keeps each step.",
                      *request_.steps, least_steps_of_errors, least_steps_of_errors));
    ListedTemperatures& listed = request_.listed;
    if (listed.by_temperature() && betas_->count() == 0) listed.betas.clear();
    listed.check_only_one();
    if (beta_.empty() && temperature_.empty()) return;
    if (betas_->count() > 0 || listed.by_temperature())
      throw ConfigError(fmt::format("{}: {} names the {}temperatures already. Leave one of the two out.",
                                    beta_.empty() ? "--temperature" : "--beta", listed.option(),
                                    listed.by_temperature() ? "" : "inverse "));
    listed.betas = beta_;
    listed.temperatures = temperature_;
  }
  bool writes_files() const override { return !request_.output.empty() || !request_.series.empty(); }
  int run(Terminal& terminal) override {
    request_.model = model_named(request_.model);
    const Observation found = program(precision_of_model(request_.model)).observe(request_);
    terminal.finish();
    write_out(json_ ? observation_json(found) : observation_text(found));
    return 0;
  }

 private:
  CLI::Option* betas_ = nullptr;
  std::string beta_, temperature_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> observe_command() { return std::make_unique<Observe>(); }

}  // namespace v1
}  // namespace harmonium
