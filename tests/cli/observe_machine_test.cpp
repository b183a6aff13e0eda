// harmonium observe --exact of a machine whose hidden units are summed out
#include <cmath>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace observe_machine_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

TEST_CASE("observe --exact sums over the observed layer of a machine of many hidden units") {
  // E = -w S H of the sums of 16 spins and of 16 hidden ones: the law of the two by binomials, one factor each.
  constexpr int n = 16;
  constexpr double w = 0.0625;
  const auto ways = [](int k) {
    return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
  };
  const ScratchFolder folder;
  std::ofstream(folder / "m.toml")
      << "precision = \"float64\"\ninitializer = { type = \"normal\", mean = 0.0625, std = 0.0 }\n[model]\ntype = "
         "\"layered\"\nlayers = [{ name = \"s\", size = 16, units = \"spin\", bias = false }, { name = \"h\", size = "
         "16, units = \"spin\", role = \"latent\", bias = false }]\nterms = [{ type = \"coupling\", layers = [\"s\", "
         "\"h\"] }]\n";
  REQUIRE(run(folder, {"import", "m.toml", "--output", "m.h5"}).status == 0);
  const Outcome outcome = run(folder, {"observe", "m.h5", "--betas", "0,1,1.5", "--exact", "--json"});
  REQUIRE(outcome.status == 0);
  const Json found = Json::parse(outcome.out);
  CHECK(found.at("num_states") == 65536);
  for (const Json& t : found.at("temperatures")) {
    const double beta = t.at("beta");
    CAPTURE(beta);
    double z = 0.0, e1 = 0.0, e2 = 0.0, size = 0.0, m2 = 0.0, m4 = 0.0;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j) {
        const double energy = -w * (2.0 * i - n) * (2.0 * j - n), m = (2.0 * i - n) / n;
        const double p = ways(i) * ways(j) * std::exp(-beta * energy);
        z += p;
        e1 += p * energy;
        e2 += p * energy * energy;
        size += p * std::abs(m);
        m2 += p * m * m;
        m4 += p * m * m * m * m;
      }
    e1 /= z, e2 /= z, m2 /= z;
    const std::pair<const char*, double> exact[] = {{"energy", e1},
                                                    {"specific_heat", beta * beta * (e2 - e1 * e1) / (2.0 * n)},
                                                    {"magnetization", 0.0},
                                                    {"abs_magnetization", size / z},
                                                    {"squared_magnetization", m2},
                                                    {"binder_cumulant", 1.0 - m4 / z / (3.0 * m2 * m2)}};
    for (const auto& average : exact) {
      CAPTURE(average.first);
      const double value = t.at("averages").at(average.first).at("value");
      CHECK(std::abs(value - average.second) < 1e-10 * (1.0 + std::abs(average.second)));
    }
  }
  // Who runs chains of it is told.
  CHECK(run(folder, {"observe", "m.h5", "--beta", "1", "--sampler", "gibbs", "--steps", "100"})
            .out.find("\nof so few states --exact has all of this without errors; ") != std::string::npos);
  // A hidden unit that is held is a field on the others, and does not count among the states.
  const Json held = Json::parse(
      run(folder, {"observe", "m.h5", "--beta", "1", "--exact", "--clamp", "s[0:15]=1,h=1", "--local", "all", "--json"})
          .out);
  CHECK(held.at("num_states") == 2);
  const Json& t = held.at("temperatures")[0];
  CHECK(t.at("local_units")[15].at("value").get<double>() == doctest::Approx(std::tanh(1.0)).epsilon(1e-12));
  CHECK(t.at("averages").at("energy").at("value").get<double>() ==
        doctest::Approx(-15.0 - std::tanh(1.0)).epsilon(1e-12));
}

}  // namespace observe_machine_test
