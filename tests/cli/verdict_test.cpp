// What a run says of its model's chains at its end.
#include <algorithm>

#include <fmt/format.h>

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/tests/support/runs.hpp>

#include "files.hpp"

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class Recorder final : public Display {
 public:
  void note(const std::string& line) override { notes.push_back(line); }
  void warn(const std::string& line) override { warnings.push_back(line); }
  void progress(double, const std::string&) override {}
  void finish() override {}
  std::vector<std::string> notes, warnings;
};

struct Said {
  std::vector<std::string> notes, warnings;
};

Said trained(const std::filesystem::path& folder, const std::string& estimator, int epochs, int threads = 1) {
  Recorder recorder;
  TrainRequest request;
  request.config = parse_toml(
      fmt::format("seed = 1\nprecision = \"float64\"\n[data]\ntype = \"bars_and_stripes\"\nside = 3\n[model]\ntype = "
                  "\"rbm\"\nnum_visible = 9\nnum_hidden = 8\n[estimator]\ntype = \"{}\"\n[optimizer]\nlearning_rate = "
                  "1.0\n[training]\nnum_epochs = {}\n[pictures]\nwhich = []\n",
                  estimator, epochs),
      "run.toml");
  request.output = folder.string();
  request.threads = threads;
  request.display = &recorder;
  train(request, builtin());
  std::erase_if(recorder.notes, [](const std::string& line) {
    return line.starts_with("training ") || line.starts_with("log_likelihood is not measured");
  });
  return {recorder.notes, recorder.warnings};
}

}  // namespace

TEST_CASE("a run ends with a verdict, the same on any number of threads") {
  const ScratchFolder folder;
  const Said said = trained(folder / "a", "cd", 200);
  CHECK(said.warnings.empty());
  REQUIRE(said.notes.size() >= 1);
  CHECK(like(said.notes[0], "verdict on Gibbs chains: mixed: 32 chains from 4 starts follow one law; *"));
  CHECK(trained(folder / "b", "cd", 200, 3).notes == said.notes);
  // CD-1 of a machine that forgets itself more slowly is told so.
  CHECK(std::ranges::any_of(said.notes, [](const std::string& line) {
    return like(line, "The run took gibbs_steps = 1, and * forgets itself in about * steps: *");
  }));
}

TEST_CASE("a run whose chains stay where they start is warned of") {
  const ScratchFolder folder;
  const Said said = trained(folder / "sharp", "exact", 4000);
  REQUIRE(said.warnings.size() == 1);
  CHECK(like(said.warnings[0], "verdict on Gibbs chains: not mixed in * steps: *. 'harmonium diagnose */sharp' *"));
}
