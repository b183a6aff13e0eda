#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace kill_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using std::chrono::microseconds;

/// Waits until training has begun, on a busy disk for some seconds, then for `more`.
void let_it_work(const std::filesystem::path& folder, microseconds more) {
  for (int i = 0; i < 5000 && !std::filesystem::exists(folder / "timing.jsonl"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(more);
}

}  // namespace

// The times of the kills are spread over the length of an unbroken run, which is measured: whatever they hit, the end is
// the same.
TEST_CASE("a run that is killed at any moment is completed to the same bytes") {
  const ScratchFolder scratch;
  const auto config = scratch.write("run.toml", config_of(setups().at(3), 25, 1));
  const auto start = std::chrono::steady_clock::now();
  REQUIRE(run_program({"train", config.string(), "--output", (scratch / "whole").string(), "--quiet"}) == 0);
  const auto length = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - start);
  auto files = files_of(scratch / "whole");
  // A kill may fall between a checkpoint and its checksum, which nobody writes afterwards: then there is none.
  std::erase_if(files, [](const std::string& file) { return file.ends_with(".sha256"); });
  files.emplace_back("model.h5.sha256");

  std::mt19937_64 random(9);
  std::uniform_int_distribution<microseconds::rep> any(0, length.count() * 3 / 4);
  int interrupted = 0;
  for (int run = 0; run < 5; ++run) {
    const std::filesystem::path folder = scratch / std::to_string(run);
    std::vector<std::string> arguments{"train", config.string(), "--output", folder.string(), "--quiet"};
    std::string killed_after;
    for (int kill = 0; kill < 2; ++kill) {
      const microseconds wait(any(random));
      killed_after += std::to_string(wait.count()) + " ";
      const pid_t process = start_program(arguments);
      let_it_work(folder, wait);
      ::kill(process, SIGKILL);
      interrupted += wait_for(process) == -SIGKILL ? 1 : 0;
      // Without a configuration there is no run yet: the same command starts one.
      if (std::filesystem::exists(folder / "config.toml"))
        arguments = {"train", "--resume", folder.string(), "--quiet"};
    }
    CAPTURE(killed_after);
    CHECK(run_program(arguments) == 0);
    CHECK(differences(scratch / "whole", folder, files) == "");
  }
  CHECK(interrupted > 0);
}

}  // namespace kill_test
