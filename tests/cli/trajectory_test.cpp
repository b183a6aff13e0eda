// Commands that take the machines that a run kept.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace trajectory_test {

using namespace harmonium::testing;

namespace {

Words drawing(const std::string& model, const Words& more) {
  Words words{"sample", model, "--num-samples", "20", "--output", "out.csv", "--sampler", "trajectory_tempering"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words adapting{"--steps", "300", "--set", "sampler.adapt_steps=100", "--set", "sampler.num_rungs=4"};

}  // namespace

TEST_CASE("sample and evaluate take the machines of the model's own run") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set", "training.num_epochs=40", "--set",
                       "training.checkpoint_every=1", "--set", "training.checkpoint_keep=log_spaced"})
              .status == 0);
  const Outcome own = run(folder, drawing("run", adapting));
  CHECK(own.err == "");
  CHECK(like(own.out, "trajectory_tempering: 4 machines, exchanges accepted 0.* to *, * round trips\n"));
  const std::string rows = content_of(folder / "out.csv");
  // Named, it is the same path; on several threads the same rows.
  Words named = adapting;
  named.insert(named.end(), {"--set", "sampler.run=run", "--threads", "3"});
  REQUIRE(run(folder, drawing("run/model.h5", named)).status == 0);
  CHECK(content_of(folder / "out.csv") == rows);

  const auto log_z_of = [&](const Words& more) {
    Words words{"evaluate", "run/model.h5", "--json", "--seed", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto exact = log_z_of({"--log-z", "exact"}), found = log_z_of({"--log-z", "trajectory"});
  REQUIRE(found["agree"] == true);
  const double low = found["log_z_interval"][0], high = found["log_z_interval"][1];
  // Half of the interval is 2.26 errors: five times that is never missed.
  CHECK(std::abs(found["log_z"].get<double>() - exact["log_z"].get<double>()) < 2.5 * (high - low));
  CHECK(high - low < 0.5);
  CHECK(like(
      found["log_z_method"].get<std::string>(),
      "acceptance ratios along the trajectory, 10 ladders of * machines (updates 0* and the model), * round trips"));
}

TEST_CASE("what has no trajectory is refused when it is asked for") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet"}).status == 0);
  const char* const none =
      "*/run: no checkpoints of a run are there. Name the folder of a run that kept some (training.checkpoint_every, "
      "with checkpoint_keep = \"log_spaced\" or \"all\").";
  check_refusal(run(folder, drawing("run", adapting)), 2, std::string("sampler 'trajectory_tempering': ") + none);
  check_refusal(run(folder, {"evaluate", "run", "--log-z", "trajectory"}), 2,
                std::string("log_partition 'trajectory': ") + none);
  // A file outside of a run has the straight path.
  std::filesystem::rename(folder / "run/model.h5", folder / "m.h5");
  std::filesystem::rename(folder / "run/model.h5.sha256", folder / "m.h5.sha256");
  const Outcome straight = run(folder, drawing("m.h5", adapting));
  CHECK(straight.status == 0);
  CHECK(like(straight.out, "trajectory_tempering: 4 machines, *\n"));
  check_refusal(run(folder, drawing("m.h5", {"--steps", "500", "--set", "sampler.adapt_steps=500"})), 2,
                "--steps 500: sampler 'trajectory_tempering' adapts *");
  Words hot = adapting;
  hot.insert(hot.end(), {"--beta", "0.5"});
  check_refusal(
      run(folder, drawing("m.h5", hot)), 2,
      "sampler 'trajectory_tempering': machines of a run are what they are at beta = 1, and 0.5 is asked for. "
      "Try 'parallel_tempering'.");
}

TEST_CASE(
    "a run that a configuration names stands where the configuration does, also when it is repeated from its own") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set", "training.checkpoint_every=1",
                       "--set", "training.checkpoint_keep=log_spaced"})
              .status == 0);
  std::filesystem::create_directory(folder / "next");
  folder.write("next/next.toml", std::string(small_config) +
                                     "[estimator.sampler]\ntype = \"trajectory_tempering\"\nrun = \"../run\"\n"
                                     "places = [1, 0.5, 0]\n");
  REQUIRE(run(folder, {"train", "next/next.toml", "--output", "one", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"train", "one/config.toml", "--output", "next/two", "--quiet"}).status == 0);
  CHECK(content_of(folder / "one/model.h5") == content_of(folder / "next/two/model.h5"));
  // The path of a command line is from where one stands.
  CHECK(run(folder, {"train", "next/next.toml", "--output", "three", "--quiet", "--set", "estimator.sampler.run=run"})
            .status == 0);
}

TEST_CASE("a run that a component names is none that the training would replace") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "kept", "--quiet", "--set", "training.checkpoint_every=1",
                       "--set", "training.checkpoint_keep=log_spaced"})
              .status == 0);
  const Words before = files_below(folder / "kept");
  const auto refused = [&](const std::string& component, const std::string& output) {
    CAPTURE(component);
    folder.write("next.toml", small_config + component);
    check_refusal(run(folder, {"train", "next.toml", "--output", output, "--overwrite", "--quiet"}), 2,
                  "--output */" + output +
                      ": the configuration names the run in this folder ('run'), which it would "
                      "replace. Give another folder.");
    CHECK(files_below(folder / "kept") == before);
  };
  const std::string sampler =
      "[estimator.sampler]\ntype = \"trajectory_tempering\"\nrun = \"kept\"\nplaces = [1, 0.5, 0]\n";
  refused(sampler, "kept");
  refused(sampler, "kept/../kept/");
  std::filesystem::create_directory_symlink("kept", folder / "other");
  refused(sampler, "other");
  refused("[[observers]]\ntype = \"log_likelihood\"\nlog_z = { type = \"trajectory\", run = \"kept\" }\n", "kept");
  // Another folder may be replaced.
  folder.write("next.toml", small_config + sampler);
  for (int k = 0; k < 2; ++k)
    CHECK(run(folder, {"train", "next.toml", "--output", "own", "--overwrite", "--quiet"}).status == 0);
}

TEST_CASE("a run goes on along the machines that it began with, and along no others") {
  const CliFolder folder;
  const auto keep = [&](const std::string& seed) {
    return run(folder, {"train", "small.toml", "--output", "kept", "--overwrite", "--quiet", "--seed", seed, "--set",
                        "training.checkpoint_every=1", "--set", "training.checkpoint_keep=log_spaced"})
        .status;
  };
  REQUIRE(keep("1") == 0);
  folder.write("next.toml", std::string(small_config) +
                                "checkpoint_every = 1\n[estimator.sampler]\ntype = \"trajectory_tempering\"\n"
                                "run = \"kept\"\nplaces = [1, 0.5, 0]\n");
  REQUIRE(run(folder, {"train", "next.toml", "--output", "next", "--quiet"}).status == 0);
  const auto resume = [&] { return run(folder, {"resume", "next", "--epochs", "6", "--quiet"}); };
  REQUIRE(keep("2") == 0);
  const Words before = files_below(folder.path());
  check_refusal(
      resume(), 2,
      "sampler 'trajectory_tempering': the machines that */kept keeps are not those with which this began. *");
  CHECK(files_below(folder.path()) == before);
  REQUIRE(keep("1") == 0);
  REQUIRE(resume().status == 0);
  REQUIRE(run(folder, {"train", "next.toml", "--output", "whole", "--epochs", "6", "--quiet"}).status == 0);
  CHECK(content_of(folder / "next/metrics.jsonl") == content_of(folder / "whole/metrics.jsonl"));
}

}  // namespace trajectory_test
