#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* transform_more =
    "Writes the means of a latent layer given each row, or with --draws a draw of it; of coupled latent layers by "
    "sums\n"
    "over all their states where these are few enough, else by --phase mean_field. --layer label has the "
    "probabilities\n"
    "of the classes; these are summed out else, unless --given-label is there. Of a stack means, or draws, are passed\n"
    "up from machine to machine. What rows lack is summed over, or else drawn by chains; the line printed says which.";

class TransformData final : public RequestCommand<TransformRequest> {
 public:
  TransformData()
      : RequestCommand("transform",
                       "Write features of data: means of a latent layer, or probabilities of classes, given each row",
                       transform_more,
                       {"harmonium transform runs/first test.csv --output features.npy",
                        "harmonium transform runs/first test.csv --complete --clamp ear=free --output completed.csv"}) {
  }

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_file(command, "DATA", data_, "A data file, or NAME:KEY=VALUE,... as for --data of other commands");
    add_data(command, request_.data);
    add_split(command, request_.split);
    add_name(command, "--output", request_.output, "FILE", "FILE.npy or FILE.csv; replaced if it exists")->required();
    add_name(command, "--layer", request_.layer, "NAME",
             "A latent layer (default: the first, of a stack too), or label");
    command.add_flag("--draws", request_.draws, "Draw states in place of means");
    command.add_flag("--given-label", request_.given_label,
                     "Take rows with their labels (default: labels are summed out)");
    command.add_flag("--complete", request_.complete,
                     "All that is observed, with E[missing | seen] in place of what a row lacks");
    command.add_flag("--likeliest", request_.likeliest,
                     "Of --complete and --layer label: rows as the data has them, the likeliest for probabilities");
    add_clamp(command, request_.clamp, "NAME=free: of this layer, unit or column nothing counts as seen");
    add_beta(command, request_.beta);
    add_count(command, "--steps", request_.steps, "K", 1,
              "Transitions of each chain, a fifth left out, where sums take too long (default: 1000)");
    add_count(command, "--chains", request_.chains, "C", 2, "Chains of each such row (default: 8)");
    add_name(command, "--errors", request_.errors, "FILE",
             "Standard errors of all numbers besides, 0 where exact; .npy or .csv");
    add_name(command, "--spread", request_.spread, "FILE",
             "Of --complete: standard deviations of what is missing, 0 where seen; .npy or .csv");
    add_name(command, "--truth", request_.truth, "FILE",
             "Of --complete: the same rows without holes, by which what is filled in is judged");
    add_name(command, "--rows", request_.rows, "FILE",
             "Number and class of each row besides, as evaluate --rows has them; .npy or .csv");
    command.add_flag("--raw", request_.raw, "Of --complete: keep the units of the model");
    add_name(command, "--phase", request_.phase, "NAME",
             "posterior_mean, exact or mean_field (default: whichever of the first two can be had)");
    add_common(command, request_, quiet_, "data.binarize=threshold");
  }
  void settle() override {
    if (!data_.empty() && !request_.data.empty())
      throw ConfigError("transform: the rows are named twice, as DATA and by --data. Leave one out.");
    if (!data_.empty()) request_.data = data_;
  }
  int run(Terminal& terminal) override {
    request_.model = model_named(request_.model);
    const std::string text = program(precision_of_model(request_.model)).transform(request_);
    terminal.finish();
    if (!quiet_) write_out(text);
    return 0;
  }

 private:
  std::string data_;
};

}  // namespace

std::unique_ptr<Command> transform_command() { return std::make_unique<TransformData>(); }

}  // namespace v1
}  // namespace harmonium
