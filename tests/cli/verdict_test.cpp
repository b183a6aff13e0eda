// What a run says of its model's chains at its end.
#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/tests/support/recorder.hpp>
#include <harmonium/tests/support/runs.hpp>

#include "files.hpp"
#include "program.hpp"

namespace verdict_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

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
    return line.starts_with("training ") || line.starts_with("log_likelihood is not measured") ||
           line.starts_with("log likelihood of all rows");
  });
  return {recorder.notes, recorder.warnings};
}

/// A machine of 12 visible units, of which few are on, but for one state that a hidden unit raises by e^`depth`: with 18.6 to about
/// half of the law. 20 further hidden units, any of which forbids that state, keep chains from beginning there, and from any other
/// they come there in 1e-8 of their steps.
void write_narrow_mode(const std::filesystem::path& path, double depth) {
  constexpr Index visible = 12, hidden = 21;
  constexpr double sharp = 30.0, forbidding = -60.0;
  const auto model = make_rbm({.num_visible = visible, .num_hidden = hidden});
  const ParameterLayout& layout = model->parameter_layout();
  const Index weights = layout[layout.find("weight.visible.hidden")].offset,
              of_visible = layout[layout.find("bias.visible")].offset,
              of_hidden = layout[layout.find("bias.hidden")].offset;
  model->update_parameters([&](std::span<Real> theta) {
    for (Index i = 0; i < visible; ++i) {
      theta[of_visible + i] = -3.0;
      for (Index j = 1; j < hidden; ++j) theta[weights + i * hidden + j] = forbidding;
      theta[weights + i * hidden] = i % 2 == 0 ? sharp : -sharp;
    }
    for (Index j = 1; j < hidden; ++j) theta[of_hidden + j] = -5.0;
    theta[of_hidden] = depth - sharp * static_cast<double>(visible) / 2.0;
  });
  save_model(
      path, *model,
      parse_toml("precision = \"float64\"\nmodel = { type = \"rbm\", num_visible = 12, num_hidden = 21 }\n", "m.toml"),
      builtin());
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

TEST_CASE("twenty runs whose chains took far too few steps are told, those that took enough are not") {
  const ScratchFolder folder;
  const auto judged = [&](int seed, int steps) {
    const std::string run_folder = fmt::format("{}_{}", seed, steps);
    folder.write("r.toml", fmt::format("seed = {}\n"
                                       "data = {{ type = \"bars_and_stripes\", side = 3 }}\n"
                                       "model = {{ type = \"rbm\", num_visible = 9, num_hidden = 8 }}\n"
                                       "estimator = {{ type = \"cd\", gibbs_steps = {} }}\n"
                                       "optimizer = {{ learning_rate = 1.0 }}\ntraining = {{ num_epochs = 200 }}\n"
                                       "pictures = {{ which = [] }}\n",
                                       seed, steps));
    REQUIRE(run(folder, {"train", "r.toml", "--output", run_folder, "--quiet"}).status == 0);
    return nlohmann::json::parse(run(folder, {"diagnose", run_folder + "/model.h5", "--json", "--steps", "1000"}).out);
  };
  for (int seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const auto found = judged(seed, 1);
    CAPTURE(found.dump());
    // A machine that needs several steps to forget itself: one is far too few.
    CHECK(found["autocorrelation_time"].get<double>() > 2.0);
    CHECK(found["run_mixed"] == false);
  }
  for (int seed = 1; seed <= 3; ++seed) CHECK(judged(seed, 400)["run_mixed"] == true);
  // Nothing is known of the run's chains at another temperature, by another sampler, or where they go on.
  for (const Words& other : {Words{"--beta", "2"}, Words{"--sampler", "parallel_tempering"}}) {
    Words words{"diagnose", "1_1/model.h5", "--json"};
    words.insert(words.end(), other.begin(), other.end());
    CHECK(nlohmann::json::parse(run(folder, words).out)["run_mixed"].is_null());
  }
}

TEST_CASE("a run whose chains stay where they start is warned of") {
  const ScratchFolder folder;
  const Said said = trained(folder / "sharp", "exact", 4000);
  REQUIRE(said.warnings.size() == 1);
  CHECK(like(said.warnings[0], "verdict on Gibbs chains: not mixed in * steps: *. 'harmonium diagnose */sharp' *"));
}

TEST_CASE("a run whose chains agree on another law than its model's is told so, as diagnose tells it") {
  const ScratchFolder folder;
  folder.write("d.npy", npy_bytes(8, 12, bit_rows(8, 12)));
  folder.write("t.toml",
               "seed = 1\nprecision = \"float64\"\n"
               "data = { type = \"npy\", path = \"d.npy\" }\n"
               "model = { type = \"rbm\", num_visible = 12, num_hidden = 21 }\n"
               "estimator = { type = \"cd\" }\noptimizer = { learning_rate = 1e-12 }\n"
               "training = { num_updates = 1 }\npictures = { which = [] }\n");
  const auto verdict_of = [&](const std::string& name, double depth) {
    write_narrow_mode(folder / (name + ".h5"), depth);
    const Outcome outcome = run(folder, {"train", "t.toml", "--from", name + ".h5", "--output", name});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return content_of(folder / name / "verdict.txt");
  };
  // By enumeration the chains' law, without that state, is 0.485 from the model's, and 8,000 independent draws are 0.024 from it.
  const std::string narrow = verdict_of("narrow", 18.6);
  CAPTURE(narrow);
  CHECK(like(narrow,
             "not mixed in 500 steps: the total variation of the observed law is 0.4*, and of independent draws 0.0*"));
  const auto found = nlohmann::json::parse(run(folder, {"diagnose", "narrow", "--json", "--steps", "1000"}).out);
  CHECK(found["mixed"] == false);
  CHECK(found["total_variation"].get<double>() == doctest::Approx(0.485).epsilon(0.1));
  // The same chains, where no state is raised: their draws are 0.03 from its law.
  const std::string wide = verdict_of("wide", -20.0);
  CAPTURE(wide);
  CHECK(like(wide, "mixed: 32 chains from 4 starts follow one law; *"));
}

TEST_CASE("who draws from a model whose chains do not mix is told, and compare tells them apart") {
  const ScratchFolder folder;
  trained(folder / "sharp", "exact", 4000);
  trained(folder / "flat", "cd", 200);
  const auto drawn = [&](const char* name, const Words& more) {
    Words words{"sample", name, "--num-samples", "3", "--steps", "600", "--output", "s.csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return outcome.err.find("the run's own verdict on Gibbs chains: not mixed in ") != std::string::npos;
  };
  CHECK(drawn("sharp", {}));
  CHECK(drawn("sharp/model.h5", {}));
  CHECK_FALSE(drawn("flat", {}));
  CHECK_FALSE(drawn("sharp", {"--beta", "0.1"}));
  CHECK_FALSE(drawn("sharp", {"--clamp", "visible[0]=1"}));
  CHECK_FALSE(drawn("sharp", {"--sampler", "parallel_tempering"}));
  CHECK(like(run(folder, {"sample", "sharp", "--num-samples", "3", "--steps", "600", "--output", "s.csv", "--clamp",
                          "visible[0]=1"})
                 .err,
             "*the run's own verdict on Gibbs chains, of which nothing is held: not mixed in *"));
  const Outcome picture = run(folder, {"draw", "sharp", "--what", "samples", "--output", "s.png"});
  CHECK(like(picture.err, "*the run's own verdict on Gibbs chains: not mixed in *"));
  const std::string table = run(folder, {"compare", "sharp", "flat"}).out;
  INFO(table);
  CHECK(like(table, "*\nGibbs chains * not mixed * mixed\n*"));
  const auto compared = nlohmann::json::parse(run(folder, {"compare", "sharp", "flat", "--json"}).out);
  CHECK(like(compared[0]["verdict"].get<std::string>(), "not mixed in * steps: *"));
  folder.write("flat/verdict.txt", "not decided: the look was short (500 of some 5000 steps): R-hat is 1.438\n");
  CHECK(like(
      run(folder, {"sample", "flat", "--num-samples", "3", "--steps", "9", "--output", "s.csv"}).err,
      "*note: the run's own verdict on Gibbs chains: not decided: the look was short (500 of some 5000 steps): R-hat "
      "is 1.438. 'harmonium diagnose *flat/model.h5 --steps 5000' looks for longer.\n*"));
}

TEST_CASE("a run that a signal ends before its verdict is stopped, and resumed for it") {
  const ScratchFolder folder;
  trained(folder / "whole", "cd", 200);
  Recorder recorder;
  std::atomic<bool> stop{false};
  TrainRequest request;
  request.config = read_toml(folder / "whole/config.toml");
  request.output = (folder / "run").string();
  request.display = &recorder;
  request.threads = 1;
  request.stop = &stop;
  request.epoch_ended = [&](double share, const std::string&) { stop = share == 1.0; };
  CHECK(train(request, builtin()).stopped);
  CHECK(std::filesystem::exists(folder / "run/model.h5"));
  CHECK_FALSE(std::filesystem::exists(folder / "run/verdict.txt"));
  stop = false;
  request.epoch_ended = {};
  request.resume = true;
  CHECK_FALSE(train(request, builtin()).stopped);
  CHECK(content_of(folder / "run/verdict.txt") == content_of(folder / "whole/verdict.txt"));
  CHECK(content_of(folder / "run/model.h5") == content_of(folder / "whole/model.h5"));
}

}  // namespace verdict_test
