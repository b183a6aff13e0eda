#include <doctest/doctest.h>

#include "files.hpp"

using namespace harmonium::testing;

TEST_CASE("explain prints every option with its meaning, and what follows from them") {
  const CliFolder folder;
  const Outcome outcome = run(folder, {"explain", "small.toml", "--set", "optimizer.factors=[{parameter=\"bias\"}]"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  const auto there = outcome.out.rfind("; there is "), end = outcome.out.find('\n', there);
  check_golden("explain", outcome.out.substr(0, there) + outcome.out.substr(end));
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}

TEST_CASE("what explain prints is the same run") {
  const CliFolder folder;
  folder.trained();
  folder.write("explained.toml", run(folder, {"explain", "small.toml"}).out);
  REQUIRE(run(folder, {"train", "explained.toml", "--output", "again"}).status == 0);
  CHECK(content_of(folder / "again/config.toml") == content_of(folder / "run/config.toml"));
  CHECK(content_of(folder / "again/metrics.jsonl") == content_of(folder / "run/metrics.jsonl"));
  const std::string whole = run(folder, {"explain", "run/config.toml"}).out;
  CHECK(run(folder, {"explain", "explained.toml"}).out == whole);
  CHECK(run(folder, {"explain", "run/model.h5"}).out == whole);
}

TEST_CASE("explain refuses what train refuses, in its words") {
  const CliFolder folder;
  for (const char* setting : {"estimator.gibs_steps=5", "model.num_visible=8", "training.batch_size=15",
                              "estimator.num_chains=1000000000000000", "precision=half"}) {
    CAPTURE(setting);
    const Outcome train = run(folder, {"train", "small.toml", "--set", setting}),
                  explain = run(folder, {"explain", "small.toml", "--set", setting});
    CHECK(explain.status == 2);
    CHECK(explain.err == train.err);
    CHECK(explain.out == "");
  }
  check_refusal(run(folder, {"explain", "none.toml"}), 2, "none.toml: there is no such file.");
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}
