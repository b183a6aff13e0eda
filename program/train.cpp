#include <filesystem>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/run_argument.hpp>
#include <harmonium/program/training.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* train_more =
    "RUN receives config.toml (every default written out), metrics.jsonl, timing.jsonl, checkpoints/, pictures/,\n"
    "model.h5 and, where training.keep_best asks for it, best.h5. 'harmonium train RUN/config.toml' repeats the run "
    "to\n"
    "the last bit. Ctrl-C keeps a checkpoint to go on from.\n"
    "A run that diverges leaves no model.h5, but its last good model in checkpoints/last_good.h5.";

class Train final : public RequestCommand<TrainRequest> {
 public:
  Train()
      : RequestCommand("train", "Train the model that a configuration describes", train_more,
                       {"harmonium train config.toml --output runs/slow --set optimizer.learning_rate=0.01",
                        "harmonium train config.toml --from runs/first --set model.num_hidden=8 --output runs/wider"}) {
  }

  void declare(CLI::App& command) override {
    add_file(command, "CONFIG.toml", path_,
             "Configuration (none with --resume; with --from that of its run where it is left out)")
        ->check(not_empty());
    add_name(command, "--output", request_.output, "RUN",
             "Folder of the run (default: runs/CONFIG-N, N the next free number)");
    command.add_flag("--overwrite", request_.overwrite, "Replace the run that RUN holds already");
    add_name(command, "--from", request_.from, "MODEL",
             "Start with the parameters of this model or run; latent layers may have more units");
    add_count(command, "--epochs", request_.epochs, "N", 1,
              "Length of the run in all, short for --set training.num_epochs=N; with --resume too");
    add_name(command, "--resume", resume_, "RUN", "Go on with the run in this folder, as 'harmonium resume RUN' does");
    add_common(command, request_, quiet_, "training.num_epochs=20");
  }
  void settle() override {
    if (resume_.empty()) {
      if (path_.empty() && request_.from.empty())
        throw ConfigError("train: CONFIG.toml is missing. See 'harmonium train --help'.");
      if (path_.empty()) path_ = configuration_of_start();
      return;
    }
    if (!path_.empty() || !request_.output.empty() || request_.overwrite || !request_.from.empty() ||
        !request_.set.empty() || request_.seed)
      throw ConfigError(
          "--resume RUN goes on with what the folder holds: give no configuration, --output, --overwrite, --from, "
          "--set "
          "or --seed with it. --epochs N alone may change the length of the run. With other settings: train "
          "CONFIG.toml --from "
          "RUN --output NEW.");
    path_ = resumed(resume_, request_);
  }
  int run(Terminal& terminal) override {
    if (of_start_ && !quiet_) terminal.warn(fmt::format("the configuration is {}, that of the run of --from.", path_));
    // The path of the model is no remark: a script knows a numbered folder by nothing else.
    constexpr bool quiet = false;
    return run_training(path_, request_, quiet, terminal, "--resume ");
  }

 private:
  /// That of the run which the model of --from is of.
  std::string configuration_of_start() {
    of_start_ = true;
    if (std::filesystem::is_directory(request_.from)) return configuration_named(request_.from);
    const std::filesystem::path beside = std::filesystem::path(request_.from).parent_path() / "config.toml";
    if (std::filesystem::exists(beside)) return beside.string();
    throw ConfigError(fmt::format(
        "train: CONFIG.toml is missing, and {} stands in no folder of a run, whose configuration could be taken.",
        request_.from));
  }

  std::string path_, resume_;
  bool of_start_ = false;  ///< path_ was not given
};

}  // namespace

std::unique_ptr<Command> train_command() { return std::make_unique<Train>(); }

}  // namespace v1
}  // namespace harmonium
