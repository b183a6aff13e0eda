#include <algorithm>

#include <doctest/doctest.h>

#include "files.hpp"

namespace explain_test {

using namespace harmonium::testing;

TEST_CASE("explain prints every option with its meaning, and what follows from them") {
  const CliFolder folder;
  const Outcome outcome =
      run(folder, {"explain", "small.toml", "--no-timing", "--set", "optimizer.factors=[{parameter=\"bias\"}]"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  const auto there = outcome.out.rfind("; there is "), end = outcome.out.find('\n', there);
  check_golden("explain", outcome.out.substr(0, there) + outcome.out.substr(end));
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}

TEST_CASE("what explain prints is the same run") {
  const CliFolder folder;
  folder.trained();
  folder.write("explained.toml", run(folder, {"explain", "small.toml", "--no-timing"}).out);
  REQUIRE(run(folder, {"train", "explained.toml", "--output", "again"}).status == 0);
  CHECK(content_of(folder / "again/config.toml") == content_of(folder / "run/config.toml"));
  CHECK(content_of(folder / "again/metrics.jsonl") == content_of(folder / "run/metrics.jsonl"));
  const std::string whole = run(folder, {"explain", "run/config.toml", "--no-timing"}).out;
  CHECK(run(folder, {"explain", "explained.toml", "--no-timing"}).out == whole);
  CHECK(run(folder, {"explain", "run/model.h5", "--no-timing"}).out == whole);
}

TEST_CASE("explain takes the length of a run as train does") {
  const CliFolder folder;
  folder.trained();
  const auto explained = [&](const char* what, Words more) {
    more.insert(more.begin(), {"explain", what, "--no-timing"});
    return run(folder, more);
  };
  for (const char* what : {"small.toml", "run", "run/config.toml", "run/model.h5"}) {
    CAPTURE(what);
    const Outcome outcome = explained(what, {"--epochs", "7"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.find("\nnum_epochs = 7\n") != std::string::npos);
    CHECK(outcome.out == explained(what, {"--set", "training.num_epochs=7"}).out);
  }
  const Words twice{"--epochs", "7", "--set", "training.num_updates=3"};
  check_refusal(explained("small.toml", twice), 2,
                "--epochs 7 and --set training.num_updates=3 both say how long the run is. Give one of them.");
  check_refusal(explained("run/model.h5", twice), 2,
                "--epochs 7 and --set training.num_updates=3 both say how long the run is. Give one of them.");
  check_refusal(explained("small.toml", {"--epochs", "0"}), 2, "*--epochs*");
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

TEST_CASE("explain says how long a run takes on this machine, from a second of it, and writes nothing") {
  const CliFolder folder;
  const auto first_lines = [&](const char* updates) {
    const Outcome outcome = run(folder, {"explain", "small.toml", "--threads", "1", "--set", updates});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    return outcome.out;
  };
  const std::string plain = run(folder, {"explain", "small.toml", "--no-timing"}).out;
  for (const char* updates : {"training.num_epochs=4", "training.num_epochs=100000000"}) {
    std::string timed = first_lines(updates);
    const auto begin = timed.find("# time: "), end = timed.find("# parameters:");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    std::string words = timed.substr(begin, end - begin);
    for (std::size_t at = 0; (at = words.find("\n# ")) != std::string::npos;) words.replace(at, 3, " ");
    CHECK(like(words,
               "# time: * updates a second, * s an epoch, * for the whole run, * of it for what observers measure; an "
               "estimate "
               "from * s of it on this machine as it is now (1 thread); pictures and what is found at the end come on "
               "top\n"));
    CHECK(words.find(" run, 0 s of it") == std::string::npos);
    timed.erase(begin, end - begin);
    if (std::string_view(updates).ends_with("=4")) CHECK(timed == plain);
  }
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}

TEST_CASE("explain counts no time for measuring where nothing is measured") {
  const CliFolder folder;
  const std::string text = run(folder, {"explain", "small.toml", "--set", "observers=[]"}).out;
  CHECK(text.find(" run, 0 s of it for what") != std::string::npos);
}

TEST_CASE(
    "explain says of a run whose first updates fail that they do, and of one that may stop early the most it takes") {
  const CliFolder folder;
  const auto explained = [&](const char* setting) {
    return run(folder, {"explain", "small.toml", "--set", setting}).out;
  };
  CHECK(like(explained("optimizer.learning_rate=1e12"),
             "*\n# time: not known, for the first updates of the run fail: *"));
  CHECK(like(explained("training.stop_early=\"pseudo_log_likelihood\""), "*\n# time: * at most *for the*"));
}

}  // namespace explain_test
