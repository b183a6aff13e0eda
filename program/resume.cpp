#include <harmonium/cli/options.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/training.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* resume_more =
    "A run that was broken off, by a signal, a kill or a crash, goes on from its latest checkpoint to what an unbroken "
    "run\n"
    "gives, to the last bit; without a checkpoint (training.checkpoint_every, training.checkpoint_minutes) it is made "
    "anew\n"
    "from its first update. One that has ended stays as it is, or goes on to a greater length with --epochs: in place, "
    "so\n"
    "copy its folder to keep the shorter one, and at another learning rate where its schedule goes by the length.\n"
    "One that stopped early stays so, and 'harmonium train CONFIG.toml --from RUN' starts from its model.";

class Resume final : public RequestCommand<TrainRequest> {
 public:
  Resume()
      : RequestCommand("resume", "Go on with a run from its latest checkpoint", resume_more,
                       {"harmonium resume runs/first", "harmonium resume runs/first --epochs 60"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "RUN", folder_, "Folder of the run")->type_name("RUN")->required();
    add_count(command, "--epochs", request_.epochs, "N", 1, "Length of the run in all, no less than it made");
    add_threads(command, request_.threads);
    command.add_flag("--quiet", quiet_, "No progress bar and no remarks");
    add_plugins(command, request_.plugins);
  }
  int run(Terminal& terminal) override {
    const std::string path = resumed(folder_, request_);
    constexpr bool quiet = false;  // as 'train' has it
    return run_training(path, request_, quiet, terminal);
  }

 private:
  std::string folder_;
};

}  // namespace

std::unique_ptr<Command> resume_command() { return std::make_unique<Resume>(); }

}  // namespace v1
}  // namespace harmonium
