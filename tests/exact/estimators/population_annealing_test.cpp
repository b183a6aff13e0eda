// log Z by population annealing against enumeration and elimination.
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "machines.hpp"

namespace population_annealing_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

std::unique_ptr<LogPartition> annealing(const std::string& options = "") {
  return make<LogPartition>("type = 'population_annealing'\n" + options);
}

}  // namespace

TEST_CASE("intervals of population annealing contain log Z as often as they say" * doctest::test_suite("slow") *
          doctest::skip(in_single)) {
  // 6 machines, 10 seeds. So few inside would be met once in a million times where each holds with probability 0.95. The
  // controls: intervals of a quarter of the length, and log Z at an inverse temperature that is 4 % off.
  constexpr int seeds = 10;
  int inside = 0, inside_a_quarter = 0, inside_beside = 0, agreed = 0, all = 0;
  const auto way = annealing("population = 500\nsweeps = 5");
  for (const Example& m : machines()) {
    CAPTURE(m.name);
    const double log_z = exact_log_z(*m.model), beside = exact_log_z(*m.model, 0.96);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const LogPartitionEstimate found = way->estimate(*m.model, 1.0, {executor, {seed, 3}});
      CHECK(found.high - found.low < 0.3);
      ++all;
      agreed += found.agree ? 1 : 0;
      inside += found.low <= log_z && log_z <= found.high ? 1 : 0;
      inside_beside += found.low <= beside && beside <= found.high ? 1 : 0;
      inside_a_quarter += std::abs(log_z - found.log_z) <= 0.125 * (found.high - found.low) ? 1 : 0;
    }
  }
  const boost::math::binomial_distribution<> covered(all, 0.95);
  INFO("inside: ", inside, " of ", all, ", a quarter: ", inside_a_quarter, ", beside: ", inside_beside,
       ", agreed: ", agreed);
  CHECK(inside >= quantile(covered, 1e-6));
  CHECK(inside_a_quarter < quantile(covered, 1e-6));
  CHECK(inside_beside < quantile(covered, 1e-6));
  CHECK(agreed == all);
}

TEST_CASE("population annealing at other inverse temperatures, and at none") {
  const auto model = random_rbm(8, 5, 3);
  for (const double beta : {0.0, 0.5, 1.5}) {
    CAPTURE(beta);
    const LogPartitionEstimate found = annealing()->estimate(*model, beta, {executor, {2, 3}});
    // Twice the interval: a seed in a thousand would miss it, these do not.
    const double half = found.high - found.low + 1e-9;
    CHECK(std::abs(found.log_z - exact_log_z(*model, beta)) <= half);
    CHECK(found.high - found.low < 0.2);
  }
}

TEST_CASE("population annealing gives the same on any number of threads") {
  const auto model = random_rbm(20, 10, 5, 2.0);
  const Executor one(1), three(3);
  const LogPartitionEstimate a = annealing("population = 100")->estimate(*model, 1.0, {one, {4, 3}}),
                             b = annealing("population = 100")->estimate(*model, 1.0, {three, {4, 3}});
  CHECK(a.log_z == b.log_z);
  CHECK(a.error == b.error);
  CHECK(a.ground_state_energy == b.ground_state_energy);
  for (const LayerId l : model->layout().ids())
    CHECK(std::ranges::equal(a.ground_state->read(l)[0], b.ground_state->read(l)[0]));
  CHECK(a.method == b.method);
}

TEST_CASE("the lowest energy that populations meet is that of all states of a small glass") {
  const auto model = random_rbm(12, 8, 7, 2.0);
  const LogPartitionEstimate found = annealing("population = 200")->estimate(*model, 4.0, {executor, {1, 3}});
  REQUIRE(found.ground_state_energy.has_value());
  const double lowest = *make<LogPartition>("type = 'variable_elimination'")
                             ->estimate(*model, 1.0, {executor, {1, 1}})
                             .ground_state_energy;
  CHECK(*found.ground_state_energy == doctest::Approx(lowest).epsilon(1e-6));
  CHECK(found.method.find("the lowest energy was met by ") != std::string::npos);
  REQUIRE(found.ground_state.has_value());
  double of_state = 0.0;
  model->energy(found.ground_state->real(), {&of_state, 1});
  CHECK(of_state == doctest::Approx(*found.ground_state_energy).epsilon(1e-6));
  CHECK(annealing()->finds_ground_state(*model, 4.0));
  CHECK_FALSE(annealing()->finds_ground_state(*model, 0.0));
}

TEST_CASE("populations end where energies are huge") {
  const auto model = spins_on({4, {{0, 1, 1e14}, {1, 2, 1e14}, {2, 3, 1e14}, {0, 3, -1e14}}});
  const LogPartitionEstimate found = annealing("population = 20")->estimate(*model, 1.0, {executor, {1, 3}});
  CHECK(*found.ground_state_energy == doctest::Approx(-2e14));
  CHECK(found.log_z == doctest::Approx(2e14));
}

TEST_CASE("populations that come from few rows are told, and a sampler with temperatures is refused") {
  const auto model = random_rbm(60, 14, 41, 3.0);
  const LogPartitionEstimate found =
      annealing("population = 20\nsweeps = 1")->estimate(*model, 1.0, {executor, {1, 3}});
  CHECK_FALSE(found.agree);
  CHECK(found.why.find("too few families") != std::string::npos);
  CHECK(message_of<ConfigError>([] {
          annealing("sampler = 'parallel_tempering'");
        }).ends_with("the sampler has temperatures of its own. Take 'gibbs'."));
}

}  // namespace population_annealing_test
