#include <doctest/doctest.h>

#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace resume_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a run that goes on from its checkpoint to twice its length is the unbroken run") {
  for (const Setup& setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    const TrainOutcome whole = train_in(scratch / "whole", config_of(setup, 4, 2));
    train_in(scratch / "parts", config_of(setup, 2, 2));
    const TrainOutcome rest = train_in(scratch / "parts", config_of(setup, 4, 2), {.threads = 2, .resume = true});
    CHECK(rest.updates == whole.updates);
    const std::string last = "checkpoints/" + std::to_string(whole.updates) + ".h5";
    CHECK(differences(scratch / "whole", scratch / "parts", {"model.h5", "metrics.jsonl", last}) == "");
  }
}

TEST_CASE("a run stopped between any two updates goes on as if it had not been") {
  for (Setup setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    // A rate that depends on how far the run has come, and figures that are collected over an epoch.
    setup.optimizer += "schedule = { type = \"cosine\", final = 0.1 }\n";
    const ScratchFolder scratch;
    const std::string config = config_of(setup, 3, 3);
    const TrainOutcome whole = train_in(scratch / "whole", config);
    const auto files = files_of(scratch / "whole");
    for (const double stop_after : {0.0, 0.35, 0.6}) {
      CAPTURE(stop_after);
      const std::string folder = std::to_string(stop_after);
      const TrainOutcome first = train_in(scratch / folder, config, {.stop_after = stop_after});
      REQUIRE(first.stopped);
      CHECK(first.updates < whole.updates);
      CHECK_FALSE(std::filesystem::exists(scratch / folder / "model.h5"));
      train_in(scratch / folder, config, {.resume = true});
      CHECK(differences(scratch / "whole", scratch / folder, files) == "");
    }
  }
}

TEST_CASE("a finished run that is resumed stays as it is") {
  const ScratchFolder scratch;
  const std::string config = config_of(setups().front(), 2, 1);
  train_in(scratch / "once", config);
  train_in(scratch / "twice", config);
  train_in(scratch / "twice", config, {.resume = true});
  CHECK(differences(scratch / "once", scratch / "twice", files_of(scratch / "once")) == "");
}

TEST_CASE("a finished run that lacks its model's checksum is given it when it is resumed") {
  const ScratchFolder scratch;
  const std::string config = config_of(setups().front(), 2, 1);
  train_in(scratch / "once", config);
  train_in(scratch / "twice", config);
  std::filesystem::remove(scratch / "twice" / "model.h5.sha256");
  train_in(scratch / "twice", config, {.resume = true});
  CHECK(differences(scratch / "once", scratch / "twice", files_of(scratch / "once")) == "");
}

}  // namespace resume_test
