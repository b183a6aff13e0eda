// sample tells where the energy of its rows still moves, and draws the same rows as without looking.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace sample_drift_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// slow.h5, 32 and 32 spins whose couplings are at odds with each other.
class SlowFolder : public ScratchFolder {
 public:
  SlowFolder() {
    write("slow.toml",
          "seed = 2\nprecision = \"float64\"\ninitializer = { type = \"normal\", std = 0.5 }\n"
          "model = { type = \"rbm\", num_visible = 32, num_hidden = 32, visible_units = \"spin\", hidden_units = "
          "\"spin\" }\n");
    REQUIRE(run(*this, {"import", "slow.toml", "--output", "slow.h5"}).status == 0);
  }
  Outcome sample(const char* rows, const char* steps, const Words& more = {}) const {
    Words words{"sample", "slow.h5", "--num-samples", rows, "--steps", steps, "--output", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(*this, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome;
  }
};

bool told(const Outcome& outcome) { return outcome.err.find("do not follow the model's law yet") != std::string::npos; }

}  // namespace

TEST_CASE("rows whose energy still moves are told, with the steps and what to do") {
  const SlowFolder folder;
  CHECK(like(folder.sample("400", "9").err,
             "*The energy of the rows still moves: mean -* after 4 steps, -* after 9, a change of -* ± * of the same "
             "chains. They do not follow the model's law yet: give more --steps or another --sampler "
             "(parallel_tempering). 'harmonium diagnose slow.h5 --sampler gibbs' tells how many.\n"));
  CHECK(like(folder.sample("400", "8", {"--beta", "0.5", "--sampler", "flip_the_state"}).err,
             "*another --sampler (parallel_tempering, gibbs). 'harmonium diagnose slow.h5 --sampler flip_the_state "
             "--beta 0.5' tells how many.\n"));
  // What diagnose looks at has nothing held.
  CHECK(like(folder.sample("400", "8", {"--clamp", "visible[0:4]=1"}).err,
             "*still moves*--sampler (parallel_tempering).\n"));
  // A ladder's rows at the target; nothing else is faster.
  CHECK(like(folder.sample("400", "4", {"--sampler", "parallel_tempering", "--set", "sampler.betas=[1, 0.8]"}).err,
             "*still moves*: give more --steps. 'harmonium diagnose slow.h5 --sampler parallel_tempering' tells how "
             "many.\n*"));
  CHECK(folder.sample("400", "8", {"--quiet"}).err == "");
}

TEST_CASE("the means that are told are those of the rows") {
  const SlowFolder folder;
  const auto mean = [&](const char* steps) {
    folder.sample("400", steps, {"--energies"});
    const Table energies = read_npy(folder / "s.energies.npy");
    double sum = 0.0;
    for (Index r = 0; r < 400; ++r) sum += energies.at(r, 0);
    return sum / 400.0;
  };
  const std::string err = folder.sample("400", "8").err;
  const auto number_behind = [&](const std::string& words) {
    const std::size_t at = err.find(words);
    REQUIRE(at != std::string::npos);
    return std::stod(err.substr(at + words.size()));
  };
  // Chains are the same, however long; to the digits that are told.
  CHECK(std::abs(number_behind("mean ") - mean("4")) < 0.06);
  CHECK(std::abs(number_behind("after 4 steps, ") - mean("8")) < 0.06);
  CHECK(std::abs(number_behind("a change of ") - (mean("8") - mean("4"))) < 0.06);
}

TEST_CASE("columns whose mean still moves are told where the energy is at rest, by their names") {
  // Two spins that begin up: aligned at once, they turn over together once in a few dozen steps.
  const ScratchFolder folder;
  folder.write("pair.txt", "2 1\n1 2 1.5\n");
  REQUIRE(run(folder, {"import", "pair.txt", "--output", "pair.h5"}).status == 0);
  const auto sampled = [&](const char* steps, const Words& more) {
    Words words{"sample", "pair.h5", "--num-samples", "4000", "--steps", steps, "--output", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  CHECK(like(sampled("20", {"--start", "visible=1"}).err,
             "harmonium: note: The mean of column 'visible[*]' still falls: by * standard errors of the change of the "
             "same chains, between 10 and 20 steps. They do not follow the model's law yet: give more --steps or "
             "another --sampler (parallel_tempering). *"));
  CHECK_FALSE(told(sampled("2000", {"--start", "visible=1"})));
  CHECK_FALSE(told(sampled("20", {"--start", "visible=1", "--clamp", "visible=1"})));
}

TEST_CASE("rows at rest, too few of them, one chain and rows taken downhill are told nothing of") {
  const SlowFolder folder;
  CHECK_FALSE(told(folder.sample("400", "600", {"--beta", "0.2"})));
  CHECK_FALSE(told(folder.sample("7", "8")));
  CHECK_FALSE(told(folder.sample("400", "3")));
  CHECK_FALSE(told(folder.sample("400", "0")));
  CHECK_FALSE(told(folder.sample("40", "8", {"--thin", "1"})));
  CHECK_FALSE(told(folder.sample("400", "8", {"--descend"})));
  // Held altogether nothing moves.
  CHECK_FALSE(told(folder.sample("400", "8", {"--clamp", "visible=1", "--clamp", "hidden=1"})));
  write_foreign_model(folder / "small.h5");
  CHECK(run(folder,
            {"sample", "small.h5", "--sampler", "exact", "--num-samples", "2000", "--steps", "4", "--output", "s.npy"})
            .err == "");
}

TEST_CASE("a look on the way leaves the rows as they are") {
  const SlowFolder folder;
  const auto rows = [&](const char* count, const char* steps, const Words& more) {
    folder.sample(count, steps, more);
    return read_npy(folder / "s.npy");
  };
  for (const Words& more : {Words{}, Words{"--sampler", "swendsen_wang"}, Words{"--set", "sampler.scan=random"},
                            Words{"--clamp", "visible[0:4]=1"}, Words{"--start", "visible=1"},
                            Words{"--sampler", "parallel_tempering", "--set", "sampler.betas=[1, 0.7, 0.4]"}}) {
    CAPTURE(more.empty() ? std::string("gibbs") : more[1]);
    // Seven rows are walked through without a look.
    const Table whole = rows("7", "75", more), looked = rows("8", "75", more);
    for (Index r = 0; r < 7; ++r)
      for (Index c = 0; c < whole.cols; ++c) REQUIRE(whole.at(r, c) == looked.at(r, c));
  }
}

}  // namespace sample_drift_test
