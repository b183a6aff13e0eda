// harmonium observe --clamp
#include <bit>
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace observe_clamp_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

/// Of the 4 × 4 torus with the spins 0 and 5 up, by the 16384 states that have them so.
Json torus_by_loops(double beta) {
  double z = 0.0, e1 = 0.0, m1 = 0.0, m2 = 0.0;
  for (unsigned state = 0; state < 65536; ++state) {
    const auto spin = [&](int i) { return (state >> i & 1u) != 0 ? 1.0 : -1.0; };
    if (spin(0) < 0.0 || spin(5) < 0.0) continue;
    double energy = 0.0;
    for (int i = 0; i < 16; ++i) energy -= spin(i) * (spin(i / 4 * 4 + (i + 1) % 4) + spin((i + 4) % 16));
    const double weight = std::exp(-beta * energy), m = (2.0 * std::popcount(state) - 16.0) / 16.0;
    z += weight;
    e1 += weight * energy;
    m1 += weight * m;
    m2 += weight * m * m;
  }
  return {{"energy", e1 / z}, {"magnetization", m1 / z}, {"squared_magnetization", m2 / z}};
}

const Words held{"--clamp", "visible[0]=1", "--clamp", "visible[5]=1"};

Outcome observed(const ScratchFolder& folder, const Words& more) {
  Words words{"observe", "ising.h5", "--betas", "0.2,0.4"};
  words.insert(words.end(), held.begin(), held.end());
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

}  // namespace

TEST_CASE("observe --clamp has the averages of the law given what is held, by sums and by chains") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  for (const Words& way : {Words{"--exact"}, Words{"--steps", "4000"}, Words{"--steps", "4000", "--sampler", "gibbs"},
                           Words{"--steps", "4000", "--sampler", "parallel_tempering"}}) {
    CAPTURE(way.back());
    Words words = way;
    words.emplace_back("--json");
    const Outcome outcome = observed(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    const Json found = Json::parse(outcome.out);
    CHECK(found.at("clamp") == Json::array({"visible[0]=1", "visible[5]=1"}));
    const bool exact = way.front() == "--exact";
    if (exact) CHECK(found.at("num_states") == 16384);
    for (const Json& t : found.at("temperatures")) {
      const Json averages = torus_by_loops(t.at("beta").get<double>());
      for (const auto& item : averages.items()) {
        const std::string& name = item.key();
        const Json& value = item.value();
        CAPTURE(name);
        const Json& average = t.at("averages").at(name);
        const double off = std::abs(average.at("value").get<double>() - value.get<double>());
        // Six standard errors: one of the 18 numbers is further away once in some 10^7 times. Free chains have <m> = 0, not 0.3.
        if (exact) CHECK(off <= 1e-11 * (1.0 + std::abs(value.get<double>())));
        else CHECK(off <= 6.0 * average.at("error").get<double>());
        CHECK(average.at("error").get<double>() < 0.1 * std::abs(value.get<double>()));
      }
    }
  }
}

TEST_CASE("observe --clamp says what is held, and does not send to evaluate for the log Z of another law") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  const Outcome exact = observed(folder, {"--exact"});
  CHECK(
      like(exact.out,
           "sum over all 16384 states that agree with what is held: every number is exact, but for rounding\nheld, and "
           "counted: visible[0]=1, visible[5]=1\nenergy of all N = 16 units*"));
  CHECK(exact.out.find("harmonium evaluate") == std::string::npos);
  const Outcome chains = observed(folder, {"--steps", "200"});
  CHECK(like(chains.out, "parallel tempering with gibbs; *\nheld, and counted: visible[0]=1, visible[5]=1\n*"));
  CHECK(chains.out.find("harmonium evaluate") == std::string::npos);
}

TEST_CASE("observe --clamp refuses what is no state that all chains share") {
  const ScratchFolder folder;
  write_torus(folder, 4);
  folder.write("rows.csv", "1,1\n");
  const auto refused = [&](const std::string& clamp, const std::string& pattern) {
    for (const char* way : {"--exact", "--quiet"})
      check_refusal(run(folder, {"observe", "ising.h5", way, "--clamp", clamp}), 2, pattern);
  };
  const std::string one_law =
      ": averages are of one law, given units that are held in one state. Write LAYER=VALUE, LAYER[UNIT]=VALUE, "
      "LAYER[BEGIN:END]=VALUE or COLUMN=VALUE.";
  refused("rows.csv", "--clamp rows.csv" + one_law);
  refused("visible=each", "--clamp LAYER=each" + one_law);
  refused("visible[16]=1", "--clamp visible[16]=1: layer 'visible' has the units 0 to 15.");
  refused("visible[3]=0", "--clamp visible[3]=0: a spin unit of layer 'visible' is one of -1, 1.");
}

}  // namespace observe_clamp_test
