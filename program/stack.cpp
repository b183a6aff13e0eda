#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/signals.hpp>
#include <harmonium/program/stack/machines_settings.hpp>
#include <harmonium/program/stack/outcome_table.hpp>
#include <harmonium/program/stack/stack_outcome.hpp>
#include <harmonium/program/stack/training_above.hpp>
#include <harmonium/program/stack/whole_stack.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* stack_more =
    "STACK.toml is a configuration, or names one (base = \"CONFIG.toml\"), with what each machine sets in it: "
    "[[machines]]\n"
    "and \"model.num_hidden\" = 500 and so on, from the machine of the data up. The data and its units belong to the "
    "first\n"
    "machine; each other is trained on draws of the latent units of the one below, given the rows of the data\n"
    "(passed_up = \"means\": on their means), and starts as that one turned over where it has units enough\n"
    "(start = \"initializer\": it does not). DIR receives machine1, machine2 and so on, runs like any other, and "
    "model.h5,\n"
    "the stack. [fine_tune], with settings as a machine's, trains all of them at once in the end. [joint] in its place "
    "makes\n"
    "a deep Boltzmann machine of machines that are RBMs, whose layers are then all trained at once, with the settings "
    "of\n"
    "the table, in DIR/joint; several tables [[joint]] are phases, in DIR/joint2 and so on. Given again, the "
    "command\n"
    "goes on where it was broken off.";

class StackCommand final : public RequestCommand<TrainRequest> {
 public:
  StackCommand()
      : RequestCommand("stack", "Train machines one upon the other: a deep belief network (DBN)", stack_more,
                       {"harmonium stack stack.toml --output deep", "harmonium stack stack.toml --dry-run"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "STACK.toml", path_, "The machines, and the configuration that they share")->required();
    add_name(command, "--output", output_, "DIR", "Folder of the stack (default: STACK, without .toml)");
    command.add_flag("--dry-run", dry_run_, "Check all machines, and train none");
    command.add_flag("--no-likelihood", no_likelihood_, "Do not say what the machines come to in the end");
    add_count(command, "--epochs", request_.epochs, "N", 1,
              "Length of each machine that sets none itself, short for --set training.num_epochs=N");
    add_settings(command, request_.set, "training.num_epochs=20; machines go before it");
    add_threads(command, request_.threads);
    command.add_flag("--quiet", quiet_, "No progress bar and no remarks");
    add_plugins(command, request_.plugins);
  }
  void settle() override {
    if (output_.empty()) output_ = std::filesystem::path(path_).stem().string();
    check_output_folder(output_);
  }
  int run(Terminal& terminal) override {
    StackFile file = stack_of(read_configuration(path_), path_);
    read_configuration(file.base.empty() ? path_ : file.base, request_);
    apply_seeds(file, request_.set, request_.config);
    if (!quiet_) tell_what_machines_set(file, request_, terminal);
    WholeStack stack(std::move(file), shared_configuration(request_.config), output_, request_, quiet_);
    stack.check();
    terminal.finish();
    stack.tell_what_is_left_out(terminal);
    if (dry_run_) {
      write_out(fmt::format("{} machines{}\n", stack.num_machines(), stack.fine_tunes() ? ", fine-tuned" : ""));
      return 0;
    }
    tell_on_stopping("; the same command goes on.");
    const bool ended = stack.go(terminal);
    terminal.finish();
    if (!ended) {
      say("harmonium: the stack was stopped. The same command goes on.");
      return 1;
    }
    write_out(stack.model_path() + "\n");  // with --quiet too, as 'train' has it
    if (quiet_ || no_likelihood_) return 0;
    tell_on_stopping(fmt::format("; {} is complete. 'harmonium evaluate {}' says what the machines come to.",
                                 stack.model_path(), output_));
    judge(stack, terminal);
    return 0;
  }

 private:
  /// Says whether the machines above the first were worth their places. The stack is there whatever comes of it.
  void judge(const WholeStack& stack, Terminal& terminal) const {
    EvaluateRequest request;
    static_cast<CommonRequest&>(request) = static_cast<const CommonRequest&>(request_);
    request.set.clear();
    request.model = stack.model_path();
    request.own_data = request.first_machine = request.effort_where_any = true;
    if (stack.fine_tunes()) request.first_machine_model = stack.model(0);
    request.left_out_by = "--no-likelihood";
    say("harmonium: what the machines come to (--no-likelihood leaves it out)");
    PartOfWork shown(&terminal, 0.0, 1.0, "");
    request.display = &shown;
    try {
      tell_outcome(request, advice_on_training(stack), terminal);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {
      terminal.finish();
      terminal.warn(fmt::format("what the machines come to was not found: {}", error.what()));
    }
  }
  /// By the machines' own curves. Where all were trained together in the end, these tell little of what came of that.
  static std::string advice_on_training(const WholeStack& stack) {
    std::vector<MachineAbove> machines;
    for (std::size_t k = 1; k < stack.num_machines() && !stack.fine_tunes(); ++k)
      machines.push_back({k + 1, curve_of_run(stack.folder(k))});
    return advice_on_machines(machines);
  }
  /// Log Z was not asked for: it is found as `evaluate` does where that takes so few operations that it is done within two minutes or so
  /// of one core, and annealed for a tenth of the usual time where it takes more, which can be half an hour.
  void tell_outcome(EvaluateRequest& request, const std::string& on_training, Terminal& terminal) const {
    constexpr double share = 0.1, few_operations = 5e11;
    request.effort = share;
    request.effort_beyond = few_operations;
    const Evaluations found = program(precision_of_model(request.model)).evaluate(request);
    const std::string more = words_on_more(found, output_, !request.first_machine_model.empty());
    terminal.finish();
    std::istringstream table(outcome_table(found));
    for (std::string line; std::getline(table, line);) say(line);
    for (const OutcomeLine& line : outcome_lines(found, more, on_training))
      if (line.warns) terminal.warn(line.words);
      else say("harmonium: " + line.words);
  }

  std::string path_, output_;
  bool dry_run_ = false, no_likelihood_ = false;
};

}  // namespace

std::unique_ptr<Command> stack_command() { return std::make_unique<StackCommand>(); }

}  // namespace v1
}  // namespace harmonium
