#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/configuration.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* explain_more =
    "Prints the configuration that a run would write, with defaults filled in and presets spelt out; above each "
    "setting\n"
    "what it means, its type, its limits and its default; and in front the numbers that follow from it: parameters,\n"
    "updates, operations and memory, and how long the run will take, of which a second is made for that and thrown "
    "away.\n"
    "The output is a configuration itself. Nothing is written.\n"
    "Of a model file it is the configuration that the model was trained by, for which its data must still be there.";

class Explain final : public RequestCommand<ExplainRequest> {
 public:
  Explain()
      : RequestCommand(
            "explain", "Say what a configuration means and what its run would take", explain_more,
            {"harmonium explain config.toml --set estimator.type=cd", "harmonium explain runs/first --no-timing"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "CONFIG.toml|RUN", path_, "Configuration, the folder of a run, or a model file")->required();
    add_count(command, "--epochs", request_.epochs, "N", 1, "Length of the run, short for --set training.num_epochs=N");
    command.add_flag("--no-timing", no_timing_,
                     "Leave out how long the run takes, which takes some seconds to measure");
    add_common(command, request_, quiet_, "training.num_epochs=20");
  }
  bool writes_files() const override { return false; }
  int run(Terminal&) override {
    if (is_hdf5(path_)) {
      request_.config = read_model_header(path_).config;
      apply_command_line(request_);
    } else {
      read_configuration(configuration_named(path_), request_);
    }
    request_.timing = !no_timing_;
    write_out(program(precision_of_config(request_.config)).explain(request_));
    return 0;
  }

 private:
  std::string path_;
  bool no_timing_ = false;
};

}  // namespace

std::unique_ptr<Command> explain_command() { return std::make_unique<Explain>(); }

}  // namespace v1
}  // namespace harmonium
