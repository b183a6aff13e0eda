// Autocorrelation times that observe reports, against those of the sampler's transition matrix.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace observe_times_test {

using namespace harmonium;
using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

constexpr unsigned side = 4, sites = side * side, states = 1u << sites;
constexpr double beta = 0.3;

double spin(unsigned state, unsigned site) { return state >> site & 1u ? 1.0 : -1.0; }

/// The sum of the four neighbors on the torus.
double field(unsigned state, unsigned site) {
  const unsigned y = site / side, x = site % side;
  return spin(state, y * side + (x + 1) % side) + spin(state, y * side + (x + side - 1) % side) +
         spin(state, (y + 1) % side * side + x) + spin(state, (y + side - 1) % side * side + x);
}

/// f ← what f is expected to be after one sweep of heat baths, the sites of one color of the checkerboard and then those of the other,
/// by every state before it. Sites of a color do not couple, so that one after another is all at once. Which color is first does not
/// change an autocovariance: the one sweep is the other one's reversal.
void sweep(std::vector<double>& f) {
  for (const unsigned color : {1u, 0u})  // the last to be drawn is the first whose mean is taken
    for (unsigned site = 0; site < sites; ++site) {
      if ((site / side + site % side) % 2 != color) continue;
      for (unsigned state = 0; state < states; ++state) {
        if (state >> site & 1u) continue;
        const unsigned other = state | 1u << site;
        const double up = 1.0 / (1.0 + std::exp(-2.0 * beta * field(state, site)));
        f[state] = f[other] = up * f[other] + (1.0 - up) * f[state];
      }
    }
}

/// 1 + 2 Σ ρ_t of a number of a state, by the matrix of all 65,536 of them.
template <class Number>
double exact_time(const Number& number) {
  std::vector<double> law(states), f(states);
  double z = 0.0, mean = 0.0;
  for (unsigned s = 0; s < states; ++s) {
    double energy = 0.0;
    for (unsigned i = 0; i < sites; ++i) energy -= 0.5 * spin(s, i) * field(s, i);
    f[s] = number(s, energy);
    z += law[s] = std::exp(-beta * energy);
  }
  for (unsigned s = 0; s < states; ++s) mean += (law[s] /= z) * f[s];
  for (double& v : f) v -= mean;
  std::vector<double> weighted(states);
  for (unsigned s = 0; s < states; ++s) weighted[s] = law[s] * f[s];
  const double variance = std::inner_product(f.begin(), f.end(), weighted.begin(), 0.0);
  double time = 1.0;
  for (double rho = 1.0; rho > 1e-7;) {
    sweep(f);
    rho = std::inner_product(f.begin(), f.end(), weighted.begin(), 0.0) / variance;
    time += 2.0 * rho;
  }
  return time;
}

double order(unsigned state) { return 2.0 * std::popcount(state) / static_cast<double>(sites) - 1.0; }

struct KnownTime {
  const char* name;
  double time;
};

Json observed(const ScratchFolder& folder, const std::string& steps, int seed) {
  const Outcome outcome = run(folder, {"observe", "ising.h5", "--beta", "0.3", "--sampler", "gibbs", "--steps", steps,
                                       "--seed", std::to_string(seed), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

}  // namespace

TEST_CASE("observe's autocorrelation times are those of the sampler's transition matrix, within their errors") {
  const ScratchFolder folder;
  write_torus(folder, side);
  const std::array known = {
      KnownTime{"energy", exact_time([](unsigned, double energy) { return energy; })},
      KnownTime{"magnetization", exact_time([](unsigned state, double) { return order(state); })},
      KnownTime{"abs_magnetization", exact_time([](unsigned state, double) { return std::abs(order(state)); })},
      KnownTime{"squared_magnetization",
                exact_time([](unsigned state, double) { return order(state) * order(state); })},
  };
  constexpr int seeds = 12;
  constexpr double values = 8.0 * 2000.0;
  double off_by_window = 0.0, off_by_batches = 0.0;
  for (const KnownTime& k : known) {
    CAPTURE(k.name);
    CAPTURE(k.time);
    REQUIRE(k.time > 1.2);
    double mean = 0.0, squares = 0.0, errors = 0.0;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Json found = observed(folder, "2000", seed);
      CHECK(found.at("autocorrelation_time_unit") == "steps: a transition of gibbs");
      const Json& average = found.at("temperatures")[0].at("averages").at(k.name);
      const double time = average.at("autocorrelation_time").get<double>(),
                   error = average.at("autocorrelation_time_error").get<double>();
      const double off = (time - k.time) / error;
      CHECK(std::abs(off) < 5.0);
      mean += time / seeds;
      squares += off * off / seeds;
      errors += error / seeds;
      off_by_window += std::pow(time / k.time - 1.0, 2);
      off_by_batches += std::pow(average.at("autocorrelation_time_batches").get<double>() / k.time - 1.0, 2);
    }
    // A window of W ≥ 5/2 τ, and 3 at the least, has an error of τ √((4 W + 2 − 2 τ)/N): from √(8 τ/N) of a long time on to that of
    // one step more.
    CHECK(errors > 0.8 * k.time * std::sqrt(8.0 * k.time / values));
    CHECK(errors < 1.25 * k.time * std::sqrt((4.0 * std::max(3.0, 2.5 * k.time + 1.0) + 2.0 - 2.0 * k.time) / values));
    // χ² of 12 is below 2 or above 41 with a probability of 6e-4 and 5e-5; the mean of 12 is known to an error/√12, and what the
    // window leaves out is e⁻⁵ of the slowest decay, twice that of several.
    CHECK(squares > 2.0 / seeds);
    CHECK(squares < 41.0 / seeds);
    CHECK(std::abs(mean - k.time) < 4.0 * errors / std::sqrt(double{seeds}) + 2.0 * std::exp(-5.0) * k.time);
    // The control: half of it, by the convention τ_int, would be seen.
    CHECK(std::abs(mean - 0.5 * k.time) > 5.0 * errors);
  }
  // Of the energy to 4 % in place of 14, which batch means of n/8 steps have whatever τ is.
  CHECK(off_by_window < 0.5 * off_by_batches);
}

TEST_CASE("a time that the series are too short to tell is said to be not known") {
  // At beta = 0.9 a chain of 500 sweeps does not turn over, and the energy is forgotten in two.
  const ScratchFolder folder;
  write_torus(folder, side);
  const Words command{"observe", "ising.h5", "--beta", "0.9", "--sampler", "gibbs", "--steps", "500"};
  Words with_json = command, with_files = command;
  with_json.emplace_back("--json");
  with_files.insert(with_files.end(), {"--output", "out"});
  const Json averages = Json::parse(run(folder, with_json).out).at("temperatures")[0].at("averages");
  CHECK(averages.at("magnetization").at("autocorrelation_time").is_null());
  CHECK(averages.at("magnetization").at("autocorrelation_time_error").is_null());
  CHECK(averages.at("magnetization").at("autocorrelation_time_batches").get<double>() > 1.0);
  CHECK(averages.at("energy").at("autocorrelation_time").get<double>() < 3.0);
  const std::string text = run(folder, with_files).out;
  CHECK(like(text,
             "*autocorrelation time ± error in steps, each a transition of gibbs (tau = 1 + 2 sum rho):\n*"
             "0.9  * ± *   not known   * ± *   not known   * ± *\n\n"
             "longest autocorrelation time: not known from 500 steps (<* at beta = 0.9)\n*<* not known,*"
             "not known: of chains of fewer than 20 times it each or 50 together, that differ (R-hat above 1.05), or "
             "of\n    a number that stayed the same\n*"));
  const auto table = csv_fields(folder / "out/observables.csv");
  for (const char* name : {"magnetization", "energy"}) {
    const auto column =
        static_cast<std::size_t>(std::ranges::find(table[0], std::string(name) + "_tau") - table[0].begin());
    REQUIRE(table[0].at(column + 1) == std::string(name) + "_tau_error");
    CHECK(table[1][column].empty() == (std::string(name) == "magnetization"));
    CHECK(table[1][column + 1].empty() == (std::string(name) == "magnetization"));
  }
}

}  // namespace observe_times_test
