// evaluate where log Z is not agreed on: the reason says what failed, and the advice which options mend it, and in what time.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace cli_log_z_advice_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

/// m.h5: spins on 10 × 10 sites, couplings of either sign.
void write_glass(const ScratchFolder& folder) {
  constexpr int side = 10;
  unsigned state = 7;
  const auto sign = [&] { return ((state = state * 1664525u + 1013904223u) >> 16 & 1u) != 0 ? 1 : -1; };
  std::string edges = fmt::format("{} {}\n", side * side, 2 * side * (side - 1));
  for (int i = 1; i <= side * side; ++i) {
    if (i % side != 0) edges += fmt::format("{} {} {}\n", i, i + 1, sign());
    if (i <= side * (side - 1)) edges += fmt::format("{} {} {}\n", i, i + side, sign());
  }
  folder.write("glass.txt", edges);
  REQUIRE(run(folder, {"import", "glass.txt", "--output", "m.h5", "--quiet"}).status == 0);
}

// With an effort of 0.01 ladders walk 80 steps at most, of which 40 count: ten round trips in each would take a ladder of three rungs.
const Words too_short{"--beta", "2", "--log-z", "bennett", "--effort", "0.01"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

constexpr const char* advised =
    "To settle log Z: --effort 0.02 takes some * second*; --seed {} takes as long as this did, * second*, and settles "
    "it where the start was unlucky.";

}  // namespace

TEST_CASE("advice on log Z names an option, its amount and its time, and the reason names none") {
  const ScratchFolder folder;
  write_glass(folder);
  const json found = judged(folder, with(too_short, {"--seed", "5"}));
  CHECK(found["agree"] == false);
  CHECK(found["log_z"].is_null());
  CHECK(found["why"].get<std::string>().find("too few round trips") != std::string::npos);
  for (const json& words : {found["why"], found["reasons"]["log_z"]})
    CHECK(words.get<std::string>().find("ffort") == std::string::npos);
  CHECK(like(found["advice"].get<std::string>(), fmt::format(fmt::runtime(advised), 6)));
  // The seed of an imported model is 1.
  CHECK(like(judged(folder, too_short)["advice"].get<std::string>(), fmt::format(fmt::runtime(advised), 2)));
  const Outcome text = run(folder, with({"evaluate", "m.h5"}, too_short));
  CHECK(text.status == 0);
  CHECK(like(text.out, "*\nNo log_z: *\n\nTo settle log Z: --effort 0.02 takes some *"));
  // An effort that is an option of the way counts as it does by its own name.
  const json set = judged(folder, {"--beta", "2", "--log-z", "bennett", "--set", "log_z.effort=0.01"});
  CHECK(like(set["advice"].get<std::string>(), fmt::format(fmt::runtime(advised), 2)));
}

TEST_CASE("an estimate that is agreed on comes without advice, and so does a bound of one side") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const json found = judged(folder, {"--log-z", "ais", "--seed", "3"});
  REQUIRE(found["agree"] == true);
  CHECK(found["advice"].is_null());
  const json bound = judged(folder, {"--log-z", "ais", "--set", "log_z.sides=forward"});
  CHECK(bound["agree"] == false);
  CHECK(bound["advice"].is_null());
}

TEST_CASE("advice on log Z stands below the parts of a run's data too") {
  const ScratchFolder folder;
  write_glass(folder);
  REQUIRE(run(folder, {"sample", "m.h5", "--num-samples", "40", "--steps", "1", "--output", "d.csv"}).status == 0);
  folder.write("c.toml",
               "seed = 1\nmodel = { type = 'fully_visible', num_visible = 100, visible_units = 'spin' }\n"
               "initializer = { type = 'edge_list', path = 'glass.txt' }\n"
               "data = { type = 'csv', path = 'd.csv', validation = 0.5 }\n"
               "estimator = { type = 'cd' }\noptimizer = { type = 'sgd', learning_rate = 1e-9 }\n"
               "training = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "r", "--quiet"}).status == 0);
  const Outcome parts = run(folder, with({"evaluate", "r"}, too_short));
  CHECK_MESSAGE(like(parts.out, "*validation*\nNo log_z*To settle log Z: --effort 0.02 takes some *"), parts.out,
                parts.err);
}

TEST_CASE("of two models each has advice of its own, and along temperatures the first that needs some") {
  const ScratchFolder folder;
  write_glass(folder);
  const json z = evaluated(folder, with({"m.h5", "--against", "m.h5"}, too_short))["log_z"];
  CHECK(z["difference"].is_null());
  for (const char* model : {"model", "against"})
    CHECK(like(z["advice"][model].get<std::string>(), fmt::format(fmt::runtime(advised), 2)));
  CHECK(like(run(folder, with({"evaluate", "m.h5", "--against", "m.h5"}, too_short)).out,
             "*\nm.h5: To settle log Z: --effort 0.02 *\n\nDifferences of likelihoods: *"));
  const Outcome along = run(folder, {"evaluate", "m.h5", "--betas", "0,2", "--log-z", "bennett", "--effort", "0.01"});
  CHECK(like(along.out, "*\nAt beta = 2. To settle log Z: --effort 0.02 *"));
}

}  // namespace cli_log_z_advice_test
