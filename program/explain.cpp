#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/overrides.hpp>
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
    "updates, operations and memory. The output is a configuration itself. Nothing is written and nothing is "
    "trained.\n"
    "Of a model file it is the configuration that the model was trained by, for which its data must still be there.\n\n"
    "Example: harmonium explain CONFIG.toml --set estimator.type=cd\n"
    "         harmonium explain RUN/model.h5";

class Explain final : public RequestCommand<TrainRequest> {
 public:
  Explain() : RequestCommand("explain", "Say what a configuration means and what its run would take", explain_more) {}

  void declare(CLI::App& command) override {
    add_file(command, "CONFIG.toml|RUN", path_, "Configuration, the folder of a run, or a model file")->required();
    add_common(command, request_, quiet_, "training.num_epochs=20");
  }
  int run(Terminal&) override {
    if (is_hdf5(path_)) {
      request_.config = read_model_header(path_).config;
      for (const std::string& assignment : request_.set) apply_override(request_.config, assignment);
    } else {
      read_configuration(configuration_named(path_), request_);
    }
    write_out(program(precision_of_config(request_.config)).explain(request_));
    return 0;
  }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<Command> explain_command() { return std::make_unique<Explain>(); }

}  // namespace v1
}  // namespace harmonium
