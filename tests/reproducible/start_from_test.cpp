#include <doctest/doctest.h>

#include <fmt/format.h>

#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace start_from_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("a run that started from a model is resumed and repeated to the same bits") {
  for (const Setup& setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    train_in(scratch / "first", config_of(setup, 1, 0));
    const std::string config =
        fmt::format("start_from = \"{}\"\n", (scratch / "first").string()) + config_of(setup, 3, 3);
    const TrainOutcome whole = train_in(scratch / "whole", config);
    const auto files = files_of(scratch / "whole");
    REQUIRE(train_in(scratch / "parts", config, {.stop_after = 0.5}).stopped);
    train_in(scratch / "parts", config, {.threads = 2, .resume = true});
    CHECK(differences(scratch / "whole", scratch / "parts", files) == "");
    train_in(scratch / "again", content_of(scratch / "whole/config.toml"));
    const std::vector<std::string> results{"config.toml", "model.h5", "metrics.jsonl"};
    CHECK(differences(scratch / "whole", scratch / "again", results) == "");
    // Broken off, the run no longer needs the model that it started from.
    REQUIRE(train_in(scratch / "gone", config, {.stop_after = 0.5}).stopped);
    std::filesystem::remove_all(scratch / "first");
    train_in(scratch / "gone", content_of(scratch / "gone/config.toml"), {.resume = true});
    CHECK(differences(scratch / "whole", scratch / "gone", results) == "");
  }
}

TEST_CASE("larger latent layers are the same on any number of threads") {
  const ScratchFolder scratch;
  Setup setup = setups().at(3);
  train_in(scratch / "first", config_of(setup, 1, 0));
  setup.model = "type = \"rbm\"\nnum_visible = 15\nnum_hidden = 200\n";
  const std::string config =
      fmt::format("start_from = \"{}\"\n", (scratch / "first/model.h5").string()) + config_of(setup, 2, 1);
  train_in(scratch / "one", config);
  train_in(scratch / "three", config, {.threads = 3});
  CHECK(differences(scratch / "one", scratch / "three", files_of(scratch / "one")) == "");
  CHECK(content_of(scratch / "one/config.toml")
            .find(fmt::format("sha256 = \"{}\"", sha256_of_file(scratch / "first/model.h5"))) != std::string::npos);
}

}  // namespace start_from_test
