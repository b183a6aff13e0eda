// Several processes that share a run, started by mpirun.
#include <algorithm>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"

namespace ranks_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

// Open MPI does not give back all of its own memory, and unloads what asked for it, so that no list of names could set it apart.
// What is ours is looked at for leaks in the tests of one process.
Words mpirun(int ranks) {
  return {
      "mpirun", "--oversubscribe",    "--allow-run-as-root", "--bind-to", "none", "-x", "LSAN_OPTIONS=detect_leaks=0",
      "-n",     std::to_string(ranks)};
}

bool can_start() {
  const fs::path library = fs::path(program_path()).parent_path() / "../lib/harmonium/harmonium_mpi.so";
  if (fs::exists(library) && std::system("mpirun --version > /dev/null 2>&1") == 0) return true;
  skip_test("Harmonium was built without MPI, or there is no mpirun (Debian: libopenmpi-dev, openmpi-bin)");
  return false;
}

Surroundings on(const ScratchFolder& folder, int ranks) { return {.folder = folder.path(), .launcher = mpirun(ranks)}; }

Words train(const std::string& output, const Words& more = {}) {
  Words words{"train", "small.toml", "--output",          output,  "--threads",
              "1",     "--set",      "training.shards=5", "--set", "training.checkpoint_every=1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::ptrdiff_t times(std::string_view text, std::string_view word) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

void check_same(const ScratchFolder& folder, const std::string& run, const std::string& other, const Words& files) {
  for (const std::string& file : files) {
    CAPTURE(run);
    CAPTURE(file);
    CHECK(content_of(folder / (run + "/" + file)) == content_of(folder / (other + "/" + file)));
  }
}

/// Whether a process of another is gone, or will be within ten seconds.
bool ends(pid_t process) {
  for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    const std::string state = content_of("/proc/" + std::to_string(process) + "/stat");
    if (state.empty() || state.find(") Z") != std::string::npos) return true;  // none, or waiting for who would ask
  }
  return false;
}

/// Ends with that status, within a time that no training takes, with one message of Harmonium's that is like the pattern.
void check_end(const Outcome& outcome, int status, std::string_view pattern) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == status);
  CHECK(times(outcome.err, "harmonium: ") == 1);
  CHECK(like(outcome.err, pattern));
}

}  // namespace

TEST_CASE("a run on 1, 2, 3 and 4 ranks writes the bytes of one process, in one folder") {
  if (!can_start()) return;
  const CliFolder folder;
  const Words observed{"--set", "observers=[{type=\"acceptance\"}]", "--set", "estimator.centering=true",
                       "--set", "estimator.sampler=metropolis"};
  REQUIRE(run(folder, train("alone", observed)).status == 0);
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const std::string name = "on" + std::to_string(ranks);
    const Outcome outcome = run(on(folder, ranks), train(name, observed));
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out == (fs::canonical(folder.path()) / name / "model.h5").string() + "\n");
    check_same(folder, name, "alone", {"model.h5", "metrics.jsonl", "config.toml", "checkpoints/6.h5"});
    CHECK(files_below(folder / name) == files_below(folder / "alone"));
  }
}

TEST_CASE("a run goes on with another number of ranks to the same bytes") {
  if (!can_start()) return;
  const CliFolder folder;
  REQUIRE(run(folder, train("alone")).status == 0);
  REQUIRE(run(on(folder, 4), train("run", {"--epochs", "1"})).status == 0);
  REQUIRE(run(on(folder, 2), {"train", "--resume", "run", "--epochs", "2"}).status == 0);
  REQUIRE(run(on(folder, 3), {"train", "--resume", "run", "--epochs", "3"}).status == 0);
  REQUIRE(run(folder, {"train", "--resume", "run", "--epochs", "4"}).status == 0);
  check_same(folder, "run", "alone", {"model.h5", "metrics.jsonl", "checkpoints/8.h5"});
}

TEST_CASE("a rank that is killed ends the run at once, and it goes on from its last checkpoint") {
  if (!can_start()) return;
  const CliFolder folder;
  const auto begun = std::chrono::steady_clock::now();
  {
    Running running(train("run", {"--epochs", "10000000"}), on(folder, 3));
    REQUIRE(appears(folder / "run/checkpoints.jsonl"));
    const std::vector<pid_t> ranks = running.children();
    REQUIRE(ranks.size() == 3);
    ::kill(ranks[1], SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    CHECK(running.wait().status != 0);
    CHECK(std::chrono::steady_clock::now() - killed < std::chrono::seconds(20));
    for (const pid_t rank : ranks) CHECK(ends(rank));
  }
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(100));
  CHECK(!fs::exists(folder / "run/model.h5"));
  std::uint64_t last = 0;  // updates, two an epoch
  for (const auto& entry : fs::directory_iterator(folder / "run/checkpoints"))
    if (entry.path().extension() == ".h5") last = std::max<std::uint64_t>(last, std::stoull(entry.path().stem()));
  REQUIRE(last > 0);
  const std::string epochs = std::to_string(last / 2 + 3);
  REQUIRE(run(on(folder, 2), {"train", "--resume", "run", "--epochs", epochs}).status == 0);
  REQUIRE(run(folder, train("unbroken", {"--epochs", epochs})).status == 0);
  check_same(folder, "run", "unbroken", {"model.h5", "metrics.jsonl"});
}

TEST_CASE("mistakes are told once, by all ranks' status, before anything is written") {
  if (!can_start()) return;
  const CliFolder folder;
  check_end(run(on(folder, 3), {"train", "small.toml", "--output", "run", "--set", "training.shards=2"}), 2,
            "*'shards' is 2, and 3 ranks share a run by whole shards.*");
  check_end(run(on(folder, 2), {"train", "small.toml", "--output", "run"}), 2, "*'shards' is 1, and 2 ranks*");
  check_end(run(on(folder, 2), train("run", {"--set", "model.num_hiden=3"})), 2, "*num_hiden*");
  check_end(run(on(folder, 2), {"list"}), 2, "*only 'harmonium train' is shared by ranks*");
  CHECK(!fs::exists(folder / "run"));
}

TEST_CASE("what goes wrong at one rank alone ends all of them") {
  if (!can_start()) return;
  const CliFolder folder;
  // Each rank with a configuration of its own, which nobody should do.
  const auto unlike = [&](const Words& second) {
    Words launcher = mpirun(1);
    Words words = train("run");
    const Words rest = mpirun(1);
    words.insert(words.end(), {":", "-n", "1", program_path()});
    const Words own = train("run", second);
    words.insert(words.end(), own.begin(), own.end());
    return run({.folder = folder.path(), .launcher = launcher}, words);
  };
  check_end(unlike({"--set", "model.num_hiden=3"}), 2, "*harmonium: rank 1: *num_hiden*");
  CHECK(!fs::exists(folder / "run"));
  // At work: chains that do not meet at rank 1, which may make but two steps.
  const Outcome outcome = unlike({"--set", "estimator={type=\"unbiased_cd\",max_steps=2}"});
  check_end(outcome, 1, "*harmonium: rank 1: phase 'coupled_chains': *");
  CHECK(!fs::exists(folder / "run/model.h5"));
}

TEST_CASE("a run that diverges says so once, and keeps its last good model") {
  if (!can_start()) return;
  const CliFolder folder;
  check_end(run(on(folder, 2), train("run", {"--set", "optimizer.learning_rate=1e30"})), 1, "*the run diverged at *");
  CHECK(fs::exists(folder / "run/checkpoints/last_good.h5"));
}

}  // namespace ranks_test
