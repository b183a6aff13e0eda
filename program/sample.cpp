#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* sample_more =
    "Each row is a chain of its own, started from the model with its couplings set to zero (its biases alone).\n"
    "FILE.npy and FILE.csv hold N rows with the columns of all observed layers; a CSV file begins with a line of "
    "their\n"
    "names, those of the data's columns, else of the units. FILE.h5 holds the same as the dataset 'samples'. --clamp\n"
    "LAYER=each holds row i in state i of the layer's units, from the first again after the last, and row i of a FILE\n"
    "likewise: what is not nan in it, but for units of LAYER=free (label=free: the classes), which are drawn.";

class Sample final : public RequestCommand<SampleRequest> {
 public:
  Sample()
      : RequestCommand(
            "sample", "Draw samples of a model's observed units", sample_more,
            {"harmonium sample runs/first --num-samples 100 --steps 1000 --output samples.npy",
             "harmonium sample model.h5 --num-samples 50 --steps 1000 --clamp label=1 --energies --output ones.csv"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_count(command, "--num-samples", request_.num_samples, "N", 1,
              "Rows to draw (default: one for each row of a FILE by --clamp)");
    steps_ = add_count(command, "--steps", request_.steps, "K", 0,
                       "Transitions of each chain before its row is taken; must be given, but with --sampler exact");
    add_name(command, "--output", request_.output, "FILE",
             "FILE.npy, .h5 or .csv, of sequences .fasta; replaced if it exists")
        ->required();
    add_name(command, "--sampler", request_.sampler, "NAME",
             "What moves the chains (default: gibbs, or top_down of a stack)");
    add_beta(command, request_.beta);
    add_count(command, "--thin", request_.thin, "T", 1, "One chain instead of N: K transitions, then a row every T");
    add_clamp(command, request_.clamp);
    add_clamp(command, request_.start,
              "Start there, named as by --clamp, and not at the biases: FILE of rows, LAYER=VALUE", "--start");
    command.add_flag("--descend", request_.descend,
                     "Then take each row downhill to a local minimum of the energy: no samples, but low states");
    command.add_flag("--energies", request_.energies,
                     "Energy of each row too, latent units included: in .csv, .h5, .fasta, or as FILE.energies.npy");
    command.add_flag("--states", request_.states,
                     "One column a categorical unit, its state from 0, in place of one-hot columns; .npy or .csv");
    command.add_flag("--raw", request_.raw, "Keep the units of the model where its data were standardized or whitened");
    add_common(command, request_, quiet_, "sampler.tile=8");
  }
  void settle() override {
    const bool no_rows = request_.num_samples == 0 && request_.clamp.empty();
    const bool independent =
        request_.sampler == "exact" && request_.thin == 0;  // whose first step is a draw of the law
    if (independent && steps_->count() == 0) request_.steps = 1;
    const bool no_steps = steps_->count() == 0 && !independent;
    if (no_rows || no_steps)
      throw ConfigError(
          fmt::format("sample: {} missing. How many are enough depends on the model, and 'harmonium diagnose' tells; "
                      "'harmonium draw' takes --num-samples 100 --steps 1000. See 'harmonium sample --help'.",
                      no_rows && no_steps ? "--num-samples and --steps are"
                      : no_rows           ? "--num-samples is"
                                          : "--steps is"));
  }
  int run(Terminal& terminal) override {
    request_.model = model_named(request_.model);
    const std::string text = program(precision_of_model(request_.model)).sample(request_);
    terminal.finish();
    if (!quiet_) write_out(text);
    return 0;
  }

 private:
  CLI::Option* steps_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> sample_command() { return std::make_unique<Sample>(); }

}  // namespace v1
}  // namespace harmonium
