#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* draw_more =
    "--what: filters (a tile for each unit: its couplings, blue below zero, red above), samples, data, "
    "reconstructions\n"
    "(below each row of data), chains (one a row, time to the right), curves (what was measured along a run) or "
    "contacts\n"
    "(a map of the scores of 'harmonium export --contacts', with its --min-separation and --left-out); the last two "
    "as\n"
    ".svg or .png.\n"
    "Without it: the filters of a model; all pictures of a run, into RUN/pictures, with a page index.html that shows "
    "them\n"
    "(its model's filters, where --output is FILE.png); the rows of a file (.npy, IDX, samples in .h5), or such as\n"
    "bars_and_stripes:side=4 makes.\n"
    "--clamp LAYER=each draws a row of samples for each state.";

class Draw final : public RequestCommand<DrawRequest> {
 public:
  Draw()
      : RequestCommand("draw", "Draw pictures of a model, a run or a file of data: filters, samples, rows", draw_more,
                       {"harmonium draw runs/first",
                        "harmonium draw model.h5 --what samples --clamp label=each --output classes.png"}) {}

  void declare(CLI::App& command) override {
    add_file(command, "WHAT", request_.input, "MODEL.h5, the folder of a run, a file of data, or rows to make")
        ->required();
    add_name(command, "--output", request_.output, "FILE.png|DIR",
             "Replaced if it exists; in a folder, the picture is called by its kind");
    add_name(command, "--what", request_.what, "KIND",
             "filters, samples, data, reconstructions, chains, curves or contacts");
    add_name(command, "--shape", request_.shape, "HxW",
             "Height and width of a tile (default: those of the data; or a square; or lines)");
    add_count(command, "--count", request_.count, "N", 1, "Tiles, pairs or chains at most (default: 100, 50 or 10)");
    add_count(command, "--columns", request_.columns, "N", 1,
              "Tiles beside one another (default: what gives a good shape)");
    add_name(command, "--tensor", request_.tensor, "NAME",
             "Tensor to draw filters of (default: the largest from an observed to a latent layer)");
    add_count(command, "--steps", request_.steps, "K", 0,
              "Transitions of each chain, of samples and (at most) of chains (default: 1000)");
    add_name(command, "--sampler", request_.sampler, "NAME",
             "What moves the chains (default: gibbs, or top_down of a stack)");
    add_beta(command, request_.beta);
    add_count(command, "--min-separation", request_.pairs.min_separation, "N", 1,
              "Pairs i, j of contacts with |i - j| of N or more, the others blank (default: 1, all)");
    add_count(command, "--left-out", request_.pairs.left_out, "STATE", 0,
              "State that scores of contacts leave out, counted from 0, such as a gap (default: none)");
    add_clamp(command, request_.clamp);
    add_data(command, request_.data);
    add_common(command, request_, quiet_, "data.binarize=threshold or sampler.tile=8");
  }
  int run(Terminal& terminal) override {
    const std::string model = program(Precision::float64).drawn_model(request_);
    const Precision precision = model.empty() ? Precision::float64 : precision_of_model(model);
    const std::vector<DrawnPicture> drawn = program(precision).draw(request_);
    terminal.finish();
    if (quiet_) return 0;
    for (const DrawnPicture& picture : drawn) write_out(fmt::format("{}: {}\n", picture.path, picture.caption));
    return 0;
  }
};

}  // namespace

std::unique_ptr<Command> draw_command() { return std::make_unique<Draw>(); }

}  // namespace v1
}  // namespace harmonium
