#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "files.hpp"

namespace resume_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

const Words endless{"train", "small.toml", "--output", "run", "--set", "training.num_epochs=100000000"};

/// The only checkpoint of a run that was stopped.
fs::path checkpoint(const ScratchFolder& folder) {
  for (const auto& entry : fs::directory_iterator(folder / "run/checkpoints"))
    if (entry.path().extension() == ".h5") return entry.path();
  return {};
}

}  // namespace

TEST_CASE("SIGINT and SIGTERM end a run with a checkpoint, which goes on to what an unbroken run gives") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    const CliFolder folder;
    // Long enough to be met in its middle; where it is run twice, no longer than that takes.
    const Words train{"train", "small.toml", "--set",
                      number == SIGINT ? "training.num_epochs=15000" : "training.num_epochs=100000000", "--output"};
    const auto with_output = [&](const char* name) {
      Words words = train;
      words.push_back(name);
      return words;
    };
    {
      Running running(with_output("run"), {.folder = folder.path()});
      REQUIRE(appears(folder / "run/metrics.jsonl"));
      running.signal(number);
      const Outcome outcome = running.wait();
      check_refusal(outcome, 1, "stopped after update *. 'harmonium train --resume */run' goes on.");
    }
    CHECK(!fs::exists(folder / "run/model.h5"));
    REQUIRE(fs::exists(checkpoint(folder)));
    CHECK(run(folder, {"evaluate", checkpoint(folder).string()}).status == 0);  // a checkpoint is a model file, too
    if (number != SIGINT) continue;
    const Outcome resumed = run(folder, {"train", "--resume", "run"});
    // So long a training leaves sharp modes, of which the verdict may warn.
    CHECK((resumed.err.empty() || like(resumed.err, "harmonium: note: verdict on Gibbs chains: *")));
    CHECK(resumed.out == (fs::canonical(folder.path()) / "run/model.h5").string() + "\n");
    CHECK(run(folder, with_output("unbroken")).status == 0);
    for (const char* file : {"config.toml", "metrics.jsonl", "model.h5"})
      CHECK_MESSAGE(content_of(folder / "run" / file) == content_of(folder / "unbroken" / file), file);
  }
}

TEST_CASE("a run that was killed goes on from its latest checkpoint") {
  const CliFolder folder;
  {
    Running running({"train", "small.toml", "--output", "run", "--set", "training.num_epochs=20000", "--set",
                     "training.checkpoint_every=400"},
                    {.folder = folder.path()});
    REQUIRE(appears(folder / "run/checkpoints/800.h5.sha256"));
    running.signal(SIGKILL);
    CHECK(running.wait().status == 128 + SIGKILL);
  }
  CHECK(run(folder, {"train", "--resume", "run", "--quiet"}).status == 0);
  CHECK(run(folder, {"train", "run/config.toml", "--output", "unbroken", "--quiet"}).status == 0);
  CHECK(content_of(folder / "run/model.h5") == content_of(folder / "unbroken/model.h5"));
  CHECK(content_of(folder / "run/metrics.jsonl") == content_of(folder / "unbroken/metrics.jsonl"));
}

TEST_CASE("a folder in which a run is going on is refused") {
  const CliFolder folder;
  Running running(endless, {.folder = folder.path()});
  REQUIRE(appears(folder / "run/metrics.jsonl"));
  const std::string refusal =
      "*/run: another process trains in this folder. Wait for it to end, or take another folder.";
  check_refusal(run(folder, {"train", "--resume", "run", "--quiet"}), 1, refusal);
  check_refusal(run(folder, {"train", "small.toml", "--output", "run", "--overwrite"}), 1, refusal);
  running.signal(SIGTERM);
  CHECK(running.wait().status == 1);
}

TEST_CASE("what cannot be resumed is refused") {
  const CliFolder folder;
  fs::create_directories(folder / "empty");
  check_refusal(run(folder, {"train", "--resume", "none"}), 2,
                "--resume none: the folder holds no run (no config.toml).");
  check_refusal(run(folder, {"train", "--resume", "empty"}), 2,
                "--resume empty: the folder holds no run (no config.toml).");
  folder.trained();
  const std::string alone = "--resume RUN goes on with what the folder holds: give no configuration, *";
  check_refusal(run(folder, {"train", "small.toml", "--resume", "run"}), 2, alone);
  check_refusal(run(folder, {"train", "--resume", "run", "--set", "seed=3"}), 2, alone);
  check_refusal(run(folder, {"train", "--resume", "run", "--seed", "3"}), 2, alone);
  check_refusal(run(folder, {"train", "--resume", "run", "--output", "other"}), 2, alone);
  check_refusal(run(folder, {"train", "--resume", "run", "--overwrite"}), 2, alone);
}

TEST_CASE("a run without a checkpoint starts again, and says so") {
  const CliFolder folder;
  folder.trained();
  const std::string model = content_of(folder / "run/model.h5");
  std::filesystem::remove(folder / "run/model.h5");  // as a kill before the end leaves it
  const Outcome outcome = run(folder, {"train", "--resume", "run"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: */run holds no checkpoint: the run starts from its first update. *\n"));
  CHECK(content_of(folder / "run/model.h5") == model);
}

TEST_CASE("a complete run that is resumed stays as it is, and has the pictures of its end") {
  const CliFolder folder;
  folder.trained();
  const std::string picture = content_of(folder / "run/pictures/filters.png");
  folder.write("run/pictures/filters.png", "of an earlier epoch");  // as a kill between model and pictures leaves it
  const std::string model = content_of(folder / "run/model.h5"), log = content_of(folder / "run/metrics.jsonl"),
                    times = content_of(folder / "run/timing.jsonl");
  const Outcome outcome = run(folder, {"train", "--resume", "run"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: */run holds a run that is complete: only its pictures are drawn again.\n"));
  CHECK(content_of(folder / "run/pictures/filters.png") == picture);
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(content_of(folder / "run/metrics.jsonl") == log);
  CHECK(content_of(folder / "run/timing.jsonl") == times);  // nothing was trained
}

TEST_CASE("a run that ended after its latest checkpoint has nothing left to do, and is made no shorter") {
  const CliFolder folder;  // 4 epochs of 2 updates
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set", "training.checkpoint_every=3"}).status == 0);
  REQUIRE(fs::exists(folder / "run/checkpoints/6.h5"));
  fs::remove(folder / "run/checkpoints/8.h5");  // that of the end, which earlier versions did not write
  fs::remove(folder / "run/checkpoints/8.h5.sha256");
  const std::string model = content_of(folder / "run/model.h5"), times = content_of(folder / "run/timing.jsonl");
  const Outcome outcome = run(folder, {"resume", "run"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: */run holds a run that is complete: only its pictures are drawn again.\n"));
  check_refusal(run(folder, {"resume", "run", "--epochs", "3"}), 2,
                "--resume */run: its model is of update 8, and --epochs 3 asks for 6 in all. Raise it.");
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(content_of(folder / "run/timing.jsonl") == times);
  REQUIRE(run(folder, {"resume", "run", "--epochs", "6", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"train", "run/config.toml", "--output", "whole", "--quiet"}).status == 0);
  CHECK(content_of(folder / "run/model.h5") == content_of(folder / "whole/model.h5"));
}

TEST_CASE("a run is not resumed under another configuration than its checkpoint's") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set", "training.checkpoint_every=2"}).status == 0);
  std::string config = content_of(folder / "run/config.toml");
  const auto at = config.find("learning_rate = ");
  REQUIRE(at != std::string::npos);
  config.replace(at, std::string("learning_rate = ").size(), "learning_rate = 1");
  folder.write("run/config.toml", config);
  check_refusal(run(folder, {"train", "--resume", "run"}), 2,
                "--resume: config.toml is not the configuration that */run/checkpoints/*.h5 was written under. *");
}

TEST_CASE("files beside a run's own in checkpoints/ are not a new run's to take") {
  const CliFolder folder;
  std::filesystem::create_directories(folder / "run/checkpoints");
  folder.write("run/checkpoints/thesis.txt", "years of work");
  check_refusal(run(folder, {"train", "small.toml", "--output", "run"}), 2,
                "--output */run: its folder 'checkpoints' is not empty. *");
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--overwrite"}).status == 0);
  CHECK(content_of(folder / "run/checkpoints/thesis.txt") == "years of work");
}

TEST_CASE("a run is not resumed on data that has changed, nor from a damaged checkpoint") {
  const CliFolder folder;
  folder.write("d.npy", npy_bytes(14, 9, bit_rows(14, 9)));
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--set", "data={type=\"npy\", path=\"d.npy\"}", "--set",
                     "training.checkpoint_every=2"})
            .status == 0);
  std::vector<double> other = bit_rows(14, 9);
  other[0] = 1;
  folder.write("d.npy", npy_bytes(14, 9, other));
  check_refusal(run(folder, {"train", "--resume", "run"}), 1,
                "*/run/checkpoints/8.h5: the run began with other content of */d.npy (its SHA-256 has changed). *");
  folder.write("d.npy", npy_bytes(14, 9, bit_rows(14, 9)));
  std::string bytes = content_of(folder / "run/checkpoints/8.h5");
  bytes[bytes.size() / 2] ^= 1;
  folder.write("run/checkpoints/8.h5", bytes);
  check_refusal(run(folder, {"train", "--resume", "run"}), 1,
                "*/run/checkpoints/8.h5: *not the file that was written*");
}

TEST_CASE("a signal ends sampling, and nothing is written") {
  const CliFolder folder;
  folder.trained();
  folder.write("s.npy", "old");
  Running running({"sample", "run/model.h5", "--num-samples", "10", "--steps", "100000000000", "--output", "s.npy"},
                  {.folder = folder.path()});
  REQUIRE(running.catches(SIGINT));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  running.signal(SIGINT);
  check_refusal(running.wait(), 1, "stopped by a signal; no file was written.");
  CHECK(content_of(folder / "s.npy") == "old");
}

}  // namespace resume_test
