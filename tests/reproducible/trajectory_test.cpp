// A run whose chains go along the machines of an earlier one.
#include <doctest/doctest.h>

#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace trajectory_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("training along the trajectory of an earlier run is the same on any number of threads and broken off") {
  const ScratchFolder scratch;
  Setup setup = setups().front();
  setup.more = "";
  train_in(scratch / "earlier", config_of(setup, 8, 1));
  setup.estimator =
      "type = \"pcd\"\nnum_chains = 12\n[estimator.sampler]\ntype = \"trajectory_tempering\"\nnum_rungs = 4\n"
      "adapt_steps = 5\nrun = \"" +
      (scratch / "earlier").string() + "\"\n";
  const std::string config = config_of(setup, 6, 2);
  train_in(scratch / "one", config);
  train_in(scratch / "three", config, {.threads = 3});
  const auto files = files_of(scratch / "one");
  CHECK(differences(scratch / "one", scratch / "three", files) == "");
  for (const double stop_after : {0.3, 0.7}) {
    const std::string folder = std::to_string(stop_after);
    REQUIRE(train_in(scratch / folder, config, {.stop_after = stop_after}).stopped);
    train_in(scratch / folder, config, {.threads = 2, .resume = true});
    CHECK(differences(scratch / "one", scratch / folder, files) == "");
  }
  // The earlier run matters: straight from the machine without couplings the chains go another way.
  setup.estimator =
      "type = \"pcd\"\nnum_chains = 12\n[estimator.sampler]\ntype = \"trajectory_tempering\"\n"
      "num_rungs = 4\nadapt_steps = 5\n";
  train_in(scratch / "straight", config_of(setup, 6, 2));
  CHECK(differences(scratch / "one", scratch / "straight", {"model.h5"}) != "");
}

}  // namespace trajectory_test
