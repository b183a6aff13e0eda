#include <algorithm>
#include <thread>

#include <doctest/doctest.h>

#include "files.hpp"

namespace checkpoints_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// The updates of a run's checkpoints, ascending.
std::vector<int> checkpoints_of(const ScratchFolder& folder, const std::string& run) {
  std::vector<int> updates;
  for (const auto& entry : fs::directory_iterator(folder / (run + "/checkpoints")))
    if (entry.path().extension() == ".h5") updates.push_back(std::stoi(entry.path().stem().string()));
  std::ranges::sort(updates);
  return updates;
}

Outcome trained(const ScratchFolder& folder, const std::string& name, const Words& settings) {
  Words words{"train", "small.toml", "--output", name, "--quiet"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", "training." + setting});
  return run(folder, words);
}

}  // namespace

TEST_CASE("which checkpoints stay is a matter of epochs, and each has its checksum") {
  const CliFolder folder;  // 2 updates an epoch
  const Words length{"num_epochs=12", "checkpoint_every=1"};
  const auto kept = [&](const char* keep) {
    Words settings = length;
    settings.push_back(std::string("checkpoint_keep=") + keep);
    REQUIRE(trained(folder, keep, settings).status == 0);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / (std::string(keep) + "/checkpoints")))
      ++files;
    std::vector<int> updates = checkpoints_of(folder, keep);
    CHECK(files == 2 * updates.size());
    return updates;
  };
  CHECK(kept("all").size() == 12);
  CHECK(kept("log_spaced") == std::vector<int>{2, 4, 6, 8, 10, 14, 18, 24});
  CHECK(kept("last") == std::vector<int>{24});
  for (const char* other : {"log_spaced", "last"})
    CHECK(content_of(folder / "all/metrics.jsonl") == content_of(folder / other / "metrics.jsonl"));
}

TEST_CASE("a kept trajectory is the same however the run was broken off and whatever the time") {
  const CliFolder folder;
  const Words settings{"num_epochs=4000", "checkpoint_every=100", "checkpoint_keep=log_spaced",
                       "checkpoint_minutes=0.0003"};
  REQUIRE(trained(folder, "whole", settings).status == 0);
  Words words{"train", "small.toml", "--output", "parts", "--quiet"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", "training." + setting});
  for (const int number : {SIGTERM, SIGKILL}) {
    Running running(words, {.folder = folder.path()});
    REQUIRE(appears(folder / "parts/checkpoints.jsonl"));
    running.signal(number);
    running.wait();
    words = {"resume", "parts", "--quiet"};
  }
  REQUIRE(run(folder, words).status == 0);
  const auto updates = checkpoints_of(folder, "whole");
  CHECK(updates == checkpoints_of(folder, "parts"));
  CHECK(updates.front() == 200);
  CHECK(updates.back() == 8000);
  for (const int update : updates) {
    const std::string file = "checkpoints/" + std::to_string(update) + ".h5";
    CHECK(content_of(folder / "whole" / file) == content_of(folder / "parts" / file));
  }
  CHECK(content_of(folder / "whole/model.h5") == content_of(folder / "parts/model.h5"));
}

TEST_CASE("a run of checkpoints by time alone has one to go on from, in the middle of an epoch too") {
  const CliFolder folder;
  REQUIRE(trained(folder, "run", {"num_updates=5", "checkpoint_minutes=1e-9"}).status == 0);
  CHECK(checkpoints_of(folder, "run") == std::vector<int>{5});
  check_refusal(trained(folder, "bad", {"checkpoint_keep=log_spaced"}), 2,
                "*training: 'checkpoint_keep' is \"log_spaced\", and no checkpoints are asked for that could stay. Set "
                "checkpoint_every.");
}

TEST_CASE("resume goes on with a run as train --resume does") {
  const CliFolder folder;
  REQUIRE(trained(folder, "short", {"checkpoint_every=2"}).status == 0);
  fs::copy(folder / "short", folder / "other", fs::copy_options::recursive);
  REQUIRE(run(folder, {"train", "--resume", "short", "--epochs", "9", "--quiet"}).status == 0);
  const Outcome outcome = run(folder, {"resume", "other", "--epochs", "9", "--threads", "2"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out == (fs::canonical(folder.path()) / "other/model.h5").string() + "\n");
  for (const char* file : {"config.toml", "metrics.jsonl", "model.h5"})
    CHECK(content_of(folder / "short" / file) == content_of(folder / "other" / file));
  check_refusal(run(folder, {"resume", "none"}), 2, "none: the folder holds no run (no config.toml).");
  CHECK(run(folder, {"resume"}).status == 2);
}

TEST_CASE("what a run keeps of checkpoints may be changed where it goes on") {
  const CliFolder folder;
  REQUIRE(trained(folder, "run", {"checkpoint_every=1"}).status == 0);
  std::string config = content_of(folder / "run/config.toml");
  const std::string all = "checkpoint_keep = \"all\"";
  REQUIRE(config.find(all) != std::string::npos);
  config.replace(config.find(all), all.size(), "checkpoint_keep = \"last\"");
  folder.write("run/config.toml", config);
  REQUIRE(run(folder, {"resume", "run", "--epochs", "6", "--quiet"}).status == 0);
  CHECK(checkpoints_of(folder, "run") == std::vector<int>{12});
}

TEST_CASE("a run keeps the verdict on its chains, and is given one that it lacks") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run"}).status == 0);
  const std::string verdict = content_of(folder / "run/verdict.txt");
  CHECK(std::ranges::count(verdict, '\n') == 1);
  const std::string model = content_of(folder / "run/model.h5");
  fs::remove(folder / "run/verdict.txt");  // as a kill leaves it that comes after the model
  REQUIRE(run(folder, {"resume", "run", "--quiet"}).status == 0);
  CHECK(content_of(folder / "run/verdict.txt") == verdict);
  CHECK(content_of(folder / "run/model.h5") == model);
}

}  // namespace checkpoints_test
