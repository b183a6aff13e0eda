#include <doctest/doctest.h>

#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace threads_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a run writes the same bytes on one thread, two and three") {
  for (const Setup& setup : setups()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    const std::string config = config_of(setup, 3, 3);
    for (const int threads : {1, 2, 3}) train_in(scratch / std::to_string(threads), config, {.threads = threads});
    const auto files = files_of(scratch / "1");
    REQUIRE(files.size() >= 8);  // a checkpoint with its checksum and three pictures or four among them
    CHECK(differences(scratch / "1", scratch / "2", files) == "");
    CHECK(differences(scratch / "1", scratch / "3", files) == "");
  }
}

TEST_CASE("another seed gives other parameters, chains and metrics") {
  for (const Setup& setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    std::string config = config_of(setup, 2, 2);
    train_in(scratch / "a", config);
    config.replace(config.find("seed = 5"), 8, "seed = 6");
    train_in(scratch / "b", config);
    CHECK(differences(scratch / "a", scratch / "b", {"metrics.jsonl"}) != "");
    CHECK(tensors_of(scratch / "a/model.h5") != tensors_of(scratch / "b/model.h5"));
  }
}

}  // namespace threads_test
