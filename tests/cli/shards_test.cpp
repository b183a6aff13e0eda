#include <doctest/doctest.h>

#include "files.hpp"

namespace shards_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// The small run in 4 parts, with a checkpoint after each epoch.
Words train(const std::string& output, const Words& more = {}) {
  Words words{"train", "small.toml",        "--output", output,
              "--set", "training.shards=4", "--set",    "training.checkpoint_every=1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a run in shards gives the same bytes on any number of threads, and after a break") {
  const CliFolder folder;
  REQUIRE(run(folder, train("one", {"--threads", "1"})).status == 0);
  REQUIRE(run(folder, train("three", {"--threads", "3"})).status == 0);
  REQUIRE(run(folder, train("broken", {"--epochs", "2"})).status == 0);
  REQUIRE(run(folder, {"train", "--resume", "broken", "--epochs", "4"}).status == 0);
  for (const char* file : {"model.h5", "metrics.jsonl"}) {
    CAPTURE(file);
    CHECK(content_of(folder / (std::string("three/") + file)) == content_of(folder / (std::string("one/") + file)));
    CHECK(content_of(folder / (std::string("broken/") + file)) == content_of(folder / (std::string("one/") + file)));
  }
  CHECK(content_of(folder / ("three/checkpoints/8.h5")) == content_of(folder / ("one/checkpoints/8.h5")));
}

TEST_CASE("one shard is the run without shards, and its configuration says nothing of them") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "plain"}).status == 0);
  REQUIRE(run(folder, {"train", "small.toml", "--output", "one", "--set", "training.shards=1"}).status == 0);
  for (const char* file : {"model.h5", "metrics.jsonl", "config.toml"})
    CHECK(content_of(folder / (std::string("one/") + file)) == content_of(folder / (std::string("plain/") + file)));
}

TEST_CASE("shards that cannot be are refused when the run is assembled") {
  const CliFolder folder;
  const auto refusal = [&](const Words& set, const char* pattern) {
    Words words{"train", "small.toml", "--output", "run"};
    for (const std::string& one : set) words.insert(words.end(), {"--set", one});
    check_refusal(run(folder, words), 2, pattern);
    CHECK(!fs::exists(folder / "run"));
  };
  refusal({"training.shards=0"}, "*'shards'*");
  refusal({"training.shards=8"}, "*the smallest batch of an epoch has 7 rows*each shard needs one at least*");
  refusal({"training.shards=3", "training.batch_size=12"}, "*the last batch of an epoch has 2 rows*");
  refusal({"training.shards=3", "estimator.num_chains=2"}, "*2 chains cannot be cut into 3 shards*");
  refusal({"training.shards=2", "estimator.type=tempered_pcd"}, "*the sampler adapts itself to all chains*");
}

TEST_CASE("a checkpoint of shards goes on under its own number of them alone") {
  const CliFolder folder;
  REQUIRE(run(folder, train("run", {"--epochs", "2"})).status == 0);
  std::string config = content_of(folder / ("run/config.toml"));
  const auto at = config.find("shards = 4");
  REQUIRE(at != std::string::npos);
  config.replace(at, 10, "shards = 2");
  folder.write("run/config.toml", config);
  check_refusal(run(folder, {"train", "--resume", "run", "--epochs", "4"}), 2,
                "--resume: config.toml is not the configuration that *");
}

}  // namespace shards_test
