#include <chrono>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "files.hpp"

namespace length_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

bool has(const fs::path& file, const std::string& text) { return content_of(file).find(text) != std::string::npos; }

}  // namespace

TEST_CASE("--epochs is the length of the run") {
  const CliFolder folder;
  const Outcome outcome = run(folder, {"train", "small.toml", "--output", "a", "--epochs", "2"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  REQUIRE(run(folder, {"train", "small.toml", "--output", "b", "--set", "training.num_epochs=2"}).status == 0);
  CHECK(content_of(folder / "a/model.h5") == content_of(folder / "b/model.h5"));
  check_refusal(run(folder, {"train", "small.toml", "--output", "new", "--epochs", "0"}), 2, "*--epochs*");
  check_refusal(
      run(folder, {"train", "small.toml", "--output", "new", "--epochs", "2", "--set", "training.num_epochs=3"}), 2,
      "--epochs 2 and --set training.num_epochs=3 both say how long the run is. Give one of them.");
  check_refusal(
      run(folder, {"train", "small.toml", "--output", "new", "--epochs", "2", "--set", "training.num_updates=3"}), 2,
      "--epochs 2 and --set training.num_updates=3 both say how long the run is. Give one of them.");
}

TEST_CASE("a length on the command line takes the place of the other kind in the file, and says so") {
  const CliFolder folder;
  const Outcome updates =
      run(folder, {"train", "small.toml", "--output", "a", "--set", "training.num_updates=3", "--set", "seed=4"});
  CHECK(updates.status == 0);
  CHECK(
      updates.err ==
      "harmonium: note: --set training.num_updates=3 takes the place of training.num_epochs = 4 (small.toml:18:14).\n");
  CHECK(has(folder / "a/config.toml", "num_updates = 3\n"));
  CHECK_FALSE(has(folder / "a/config.toml", "num_epochs"));
  for (const char* flag : {"--epochs", "--set"}) {
    const std::string value = std::string(flag) == "--set" ? "training.num_epochs=2" : "2";
    const Outcome epochs = run(folder, {"train", "a/config.toml", "--output", "b", "--overwrite", flag, value});
    CHECK(epochs.status == 0);
    CHECK(like(epochs.err, "harmonium: note: " + std::string(flag) + " " + value +
                               " takes the place of training.num_updates = 3 (a/config.toml:*).\n"));
    CHECK(has(folder / "b/config.toml", "num_epochs = 2\n"));
    CHECK_FALSE(has(folder / "b/config.toml", "num_updates"));
  }
  CHECK(run(folder, {"train", "a/config.toml", "--output", "c", "--epochs", "2", "--quiet"}).err == "");
}

TEST_CASE("a run that ended goes on to more epochs from its checkpoint, as the longer run") {
  const CliFolder folder;
  const Words more{"--set", "training.checkpoint_every=2"};
  const auto train = [&](Words words) {
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  REQUIRE(train({"train", "small.toml", "--output", "long", "--epochs", "10"}).status == 0);
  REQUIRE(train({"train", "small.toml", "--output", "run"}).status == 0);
  const Outcome outcome = run(folder, {"train", "--resume", "run", "--epochs", "10"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  for (const char* file : {"model.h5", "metrics.jsonl", "checkpoints/20.h5", "config.toml"})
    CHECK_MESSAGE(content_of(folder / "long" / file) == content_of(folder / "run" / file), file);
  // To be as long as it is already is no work.
  CHECK(like(run(folder, {"train", "--resume", "run", "--epochs", "10"}).err,
             "harmonium: note: */run holds a run that is complete: only its pictures are drawn again.\n"));
  check_refusal(run(folder, {"train", "--resume", "run", "--epochs", "6"}), 2,
                "--resume */run: its latest checkpoint is of update 20, and --epochs 6 asks for 12 in all. Raise it.");
  CHECK(has(folder / "run/config.toml", "num_epochs = 10\n"));
}

TEST_CASE("a run goes on from its end where that is no multiple of the period, and trains no epoch twice") {
  const CliFolder folder;  // 4 epochs of 2 updates
  for (const char* asked : {"training.checkpoint_every=3", "training.checkpoint_minutes=1000"}) {
    CAPTURE(asked);
    const Words more{"--quiet", "--overwrite", "--set", asked};
    const auto train = [&](Words words) {
      words.insert(words.end(), more.begin(), more.end());
      return run(folder, words);
    };
    REQUIRE(train({"train", "small.toml", "--output", "long", "--epochs", "5"}).status == 0);
    REQUIRE(train({"train", "small.toml", "--output", "run"}).status == 0);
    REQUIRE(fs::exists(folder / "run/checkpoints/8.h5"));
    const std::string times = content_of(folder / "run/timing.jsonl");
    const Outcome outcome = run(folder, {"resume", "run", "--epochs", "5"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    CHECK(content_of(folder / "run/timing.jsonl").starts_with(times));
    CHECK_FALSE(fs::exists(folder / "run/checkpoints/8.h5"));
    for (const char* file : {"model.h5", "metrics.jsonl", "checkpoints/10.h5", "config.toml"})
      CHECK_MESSAGE(content_of(folder / "long" / file) == content_of(folder / "run" / file), file);
  }
}

TEST_CASE("a run that ended without a checkpoint is made anew with more epochs, and says so") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, {"train", "small.toml", "--output", "long", "--epochs", "6"}).status == 0);
  const Outcome outcome = run(folder, {"train", "--resume", "run", "--epochs", "6"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: */run holds no checkpoint: the run starts from its first update. *\n"));
  for (const char* file : {"model.h5", "metrics.jsonl", "config.toml"})
    CHECK_MESSAGE(content_of(folder / "long" / file) == content_of(folder / "run" / file), file);
  check_refusal(run(folder, {"train", "--resume", "run", "--epochs", "5"}), 2,
                "--resume */run: its model is of update 12, and --epochs 5 asks for 10 in all. Raise it.");
}

TEST_CASE("a run of so many updates goes on to epochs") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set", "training.num_updates=4", "--set",
                       "training.checkpoint_every=1", "--quiet"})
              .status == 0);
  REQUIRE(run(folder, {"train", "small.toml", "--output", "long", "--set", "training.checkpoint_every=1"}).status == 0);
  const Outcome outcome = run(folder, {"train", "--resume", "run", "--epochs", "4"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "harmonium: note: --epochs 4 takes the place of training.num_updates = 4 (run/config.toml:*).\n"));
  CHECK(content_of(folder / "run/model.h5") == content_of(folder / "long/model.h5"));
}

TEST_CASE("a run that was made longer and is not over counts as none that finished") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, {"train", "small.toml", "--output", "other", "--quiet"}).status == 0);
  const auto compared = [&] { return run(folder, {"compare", "run", "other"}).out; };
  CHECK(compared().find("unfinished") == std::string::npos);
  // The same length said otherwise: 4 epochs of 2 updates.
  REQUIRE(run(folder, {"train", "small.toml", "--output", "updates", "--quiet", "--set", "training.num_updates=8"})
              .status == 0);
  REQUIRE(run(folder, {"resume", "updates", "--epochs", "4", "--quiet"}).status == 0);
  CHECK(has(folder / "updates/config.toml", "num_epochs = 4"));
  CHECK(run(folder, {"compare", "updates", "other"}).out.find("unfinished") == std::string::npos);
  {
    Running running({"resume", "run", "--epochs", "100000000", "--quiet"}, {.folder = folder.path()});
    REQUIRE(running.catches(SIGINT));
    for (int i = 0; i < 2000 && content_of(folder / "run/metrics.jsonl").find("\"epoch\":9,") == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    running.signal(SIGINT);
    CHECK(running.wait().status == 1);
  }
  REQUIRE(has(folder / "run/config.toml", "num_epochs = 100000000"));
  CHECK(like(compared(), "*unfinished *finished*"));
  REQUIRE(run(folder, {"report", "run", "--no-likelihood", "--no-diagnosis", "--quiet"}).status == 0);
  CHECK(has(folder / "report.html", "the model that the run ended with before it was made longer"));
  CHECK(has(folder / "report.html", "unfinished"));
}

TEST_CASE("a run that goes on to another length says so where its schedule goes by the length") {
  const CliFolder folder;
  const auto went_on = [&](const char* schedule, const char* name) {
    REQUIRE(run(folder, {"train", "small.toml", "--output", name, "--quiet", "--set", "training.checkpoint_every=2",
                         "--set", std::string("optimizer.schedule=") + schedule})
                .status == 0);
    const Outcome outcome = run(folder, {"train", "--resume", name, "--epochs", "10"});
    CHECK(outcome.status == 0);
    return outcome.err;
  };
  const std::string note =
      "harmonium: note: the schedule of the learning rate goes by the length of the run, and 8 updates were made when "
      "that was 8: the model will not be that of 20 updates from the start. Start anew for that one; schedules "
      "'constant', 'power' and 'step' do not go by the length.\n";
  CHECK(went_on("linear", "linear") == note);
  CHECK(went_on("{type=\"cosine\", final=0.1}", "cosine") == note);
  CHECK(went_on("exponential", "exponential") == note);
  for (const char* one : {"constant", "power", "step"}) CHECK(went_on(one, one) == "");
}

}  // namespace length_test
