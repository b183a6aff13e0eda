#include <filesystem>

#include <fmt/format.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace run_argument_test {

using namespace harmonium::testing;

namespace {

namespace fs = std::filesystem;

Outcome evaluated(const ScratchFolder& folder, const char* given) {
  return run(folder, {"evaluate", given, "--data", "bars_and_stripes", "--json"});
}

}  // namespace

TEST_CASE("the folder of a run stands for its model, or for its configuration, in every command that takes one") {
  const CliFolder folder;
  folder.trained();
  CHECK(evaluated(folder, "run").out == evaluated(folder, "run/model.h5").out);
  const auto sampled = [&](const char* given, const char* output) {
    CHECK(run(folder, {"sample", given, "--num-samples", "9", "--steps", "3", "--output", output}).status == 0);
    return content_of(folder / output);
  };
  CHECK(sampled("run", "a.npy") == sampled("run/model.h5", "b.npy"));
  const auto estimated = [&](const char* given) {
    return run(folder, {"gradient", given, "--data", "bars_and_stripes", "--estimator", "exact", "--output", "g.h5"})
        .out;
  };
  CHECK(estimated("run") == estimated("run/model.h5"));
  const auto diagnosed = [&](const char* given) { return run(folder, {"diagnose", given, "--steps", "200"}).out; };
  CHECK(diagnosed("run").find("data: the run's own, its 14 training rows\n") != std::string::npos);
  CHECK(diagnosed("run/model.h5").find("data:") == std::string::npos);
  const Outcome explained = run(folder, {"explain", "run", "--no-timing"});
  CHECK(explained.out == run(folder, {"explain", "run/config.toml", "--no-timing"}).out);
  CHECK(explained.status == 0);
  CHECK(run(folder, {"check", "run", "--quiet"}).out == run(folder, {"check", "run/config.toml", "--quiet"}).out);
  const auto drawn = [&](const char* given) {
    return run(folder, {"draw", given, "--what", "filters", "--output", "f.png"}).status;
  };
  CHECK(drawn("run") == 0);
}

TEST_CASE("a folder without a model is refused, and the checkpoint that would serve is named") {
  const CliFolder folder;
  fs::create_directory(folder / "empty");
  for (const char* command : {"evaluate", "diagnose"})
    check_refusal(
        run(folder, {command, "empty"}), 2,
        "empty: a folder that holds no run (neither model.h5 nor config.toml). Name a model file or the folder "
        "of a run.");
  check_refusal(run(folder, {"explain", "empty"}), 2,
                "empty: a folder that holds no run (no config.toml). Name a configuration or the folder of a run.");
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set", "training.checkpoint_every=2"})
              .status == 0);
  fs::remove(folder / "run/model.h5");
  check_refusal(
      evaluated(folder, "run"), 2,
      "run: the run has no model.h5 yet. Its latest checkpoint is a model too: name run/checkpoints/8.h5, or let "
      "the run go on by 'harmonium train --resume run'.");
  CHECK(evaluated(folder, "run/checkpoints/8.h5").status == 0);
  fs::copy(folder / "run/checkpoints/8.h5", folder / "good.h5");
  for (const auto& entry : fs::directory_iterator(folder / "run/checkpoints")) fs::remove(entry.path());
  check_refusal(evaluated(folder, "run"), 2,
                "run: the run has no model.h5 yet, and no checkpoint. Let it go on by 'harmonium train --resume run'.");
  fs::rename(folder / "good.h5", folder / "run/checkpoints/last_good.h5");
  check_refusal(evaluated(folder, "run"), 2,
                "run: the run diverged and has no model.h5. Its last good model is run/checkpoints/last_good.h5.");
}

TEST_CASE("every command that takes a run says of a sweep what it is, and names one of its runs") {
  const CliFolder folder;
  fs::create_directories(folder / "sw/ends");
  fs::create_directories(folder / "sw/runs/a");
  fs::create_directories(folder / "sw/runs/b");
  const auto is_sweep = [&](const Words& words, const char* given) {
    CAPTURE(words[0]);
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 2);
    CHECK_MESSAGE(outcome.err.find(fmt::format("{}: a sweep, and not a run. Name one of its runs, such as sw/runs/b; "
                                               "'harmonium compare sw' and 'harmonium report sw' show the figures of "
                                               "all.\n",
                                               given)) != std::string::npos,
                  outcome.err);
  };
  check_refusal(run(folder, {"evaluate", "sw"}), 2,
                "sw: this is a sweep, and none of its runs has begun. 'harmonium sweep' makes them.");
  folder.write("sw/runs/b/config.toml", "");
  is_sweep({"evaluate", "sw"}, "sw");
  folder.write("sw/runs/a/config.toml", "");
  folder.write("sw/runs/b/model.h5", "");  // one that has a model comes first
  for (const char* command : {"evaluate", "diagnose", "explain", "check", "inspect", "resume", "watch"})
    is_sweep({command, "sw"}, "sw");
  is_sweep({"evaluate", "sw/"}, "sw/");
  is_sweep({"evaluate", "sw/runs"}, "sw/runs");
  is_sweep({"draw", "sw", "--what", "filters", "--output", "f.png"}, "sw");
  is_sweep({"draw", "sw", "--what", "curves", "--output", "c.svg"}, "sw");
  is_sweep({"train", "--resume", "sw"}, "--resume sw");
  const std::string from = run(folder, {"train", "small.toml", "--from", "sw", "--output", "more"}).err;
  CHECK_MESSAGE(like(from, "*start_from: */sw: a sweep, and not a run. Name one of its runs, such as */sw/runs/b; *"),
                from);
  // Another folder called so is none.
  fs::create_directories(folder / "other/runs");
  check_refusal(
      run(folder, {"explain", "other/runs"}), 2,
      "other/runs: a folder that holds no run (no config.toml). Name a configuration or the folder of a run.");
}

}  // namespace run_argument_test
