// Whether the energy of chains moves: the level and the power of the test, which are known.
#include <cmath>
#include <random>
#include <vector>

#include <boost/math/distributions/non_central_t.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/inference/bound_states.hpp>
#include <harmonium/framework/inference/energy_drift.hpp>
#include <harmonium/framework/inference/works.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace energy_drift_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(1);

std::vector<double> energies(const EnergyModel& model, const Chains& chains) {
  std::vector<double> out(chains.size());
  model.energy(chains, out);
  return out;
}

/// Gibbs chains, looked at after `half` transitions and as many more.
EnergyDrift drift_of(const EnergyModel& model, Chains& chains, double beta, Index half, std::uint64_t seed) {
  const auto gibbs = make<Sampler>("type = 'gibbs'");
  const Target target{.model = model, .beta = beta};
  const Execution execution{executor, {seed, 1}};
  EnergyDrift drift;
  gibbs->advance(target, chains, half, execution);
  const std::vector<double> before = energies(model, chains);
  gibbs->advance(target, chains, half, execution);
  drift.add(before, energies(model, chains));
  return drift;
}

/// Differences that are normal with mean `shift` and deviation 1.
bool normal_told(Index num_chains, double shift, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> before(num_chains), after(num_chains);
  for (Index c = 0; c < num_chains; ++c) {
    before[c] = -40.0 + 3.0 * normal(random);
    after[c] = before[c] + shift + normal(random);
  }
  EnergyDrift drift;
  drift.add(before, after);
  return drift.moves();
}

}  // namespace

TEST_CASE("chains that begin at exact draws are told to move no more often than the level says") {
  const auto model = random_rbm(8, 5, 3, 1.0);
  const auto exact = make<Sampler>("type = 'exact'");
  int told = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Chains chains(model->layout(), 50);
    exact->advance(Target{*model}, chains, 1, {executor, {seed, 0}});
    told += drift_of(*model, chains, 1.0, 3, seed).moves() ? 1 : 0;
  }
  // Binomial of 200 at 1e-4: two or more with probability 2e-4.
  CHECK(told <= 1);
}

TEST_CASE("few chains are told to move by chance as often as the level says") {
  std::mt19937_64 random(11);
  constexpr int trials = 100000;
  int told = 0;
  for (int t = 0; t < trials; ++t) told += normal_told(EnergyDrift::fewest_chains, 0.0, random) ? 1 : 0;
  // Poisson of mean 10: none, or 28 and more, with probability 6e-5. The normal law in place of Student's would give 600.
  static_assert(EnergyDrift::level * trials > 9.99 && EnergyDrift::level * trials < 10.01);
  CHECK(told >= 1);
  CHECK(told <= 27);
}

TEST_CASE("a change is told as often as Student's noncentral law has it, and in 19 of 20 cases where that is said") {
  std::mt19937_64 random(12);
  constexpr int trials = 2000;
  for (const Index n : {Index{8}, Index{20}, Index{200}}) {
    CAPTURE(n);
    const auto chains = static_cast<double>(n);
    for (const double share : {0.7, 1.0}) {
      const double shift = share * EnergyDrift::told_from(n);
      const boost::math::non_central_t law(chains - 1.0, shift * std::sqrt(chains));
      const double power = boost::math::cdf(boost::math::complement(law, half_interval(chains, EnergyDrift::level)));
      int told = 0;
      for (int t = 0; t < trials; ++t) told += normal_told(n, share * EnergyDrift::told_from(n), random) ? 1 : 0;
      // Five standard errors of a share.
      CHECK(std::abs(told / double{trials} - power) < 5.0 * std::sqrt(power * (1.0 - power) / trials));
      if (share == 1.0) CHECK(power > 0.8);
      if (share == 1.0 && n >= 200) CHECK(power == doctest::Approx(0.95).epsilon(0.01));
    }
  }
  CHECK(std::isinf(EnergyDrift::told_from(EnergyDrift::fewest_chains - 1)));
}

TEST_CASE("chains that begin cold are told to move, and rest once they have come to the model's law") {
  const auto model = ising_torus(8);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Chains chains(model->layout(), 200);
    set_to_bound(model->layout(), Bound::lowest, 0, chains.size(), chains);
    const EnergyDrift cold = drift_of(*model, chains, 0.3, 2, seed);
    CHECK(cold.moves());
    CHECK(cold.after().mean > cold.before().mean);
    drift_of(*model, chains, 0.3, 300, seed + 100);
    CHECK_FALSE(drift_of(*model, chains, 0.3, 10, seed + 200).moves());
  }
}

TEST_CASE("numbers of the two looks are means over chains, in whatever parts they come, and rounding is no change") {
  const std::vector<double> before{1, 2, 3, 4, 5, 6, 7, 8, 9}, after{2, 4, 4, 6, 6, 8, 8, 10, 10};
  EnergyDrift whole, parts;
  whole.add(before, after);
  parts.add(std::span(before).first(4), std::span(after).first(4));
  parts.add(std::span(before).subspan(4), std::span(after).subspan(4));
  for (const EnergyDrift* d : {&whole, &parts}) {
    CHECK(d->num_chains() == 9);
    CHECK(d->before().mean == doctest::Approx(5.0));
    CHECK(d->before().error == doctest::Approx(std::sqrt(60.0 / 72.0)));
    CHECK(d->after().mean == doctest::Approx(58.0 / 9.0));
    CHECK(d->change().mean == doctest::Approx(13.0 / 9.0));
    // Five differences of 1 and four of 2: squares 20/9.
    CHECK(d->change().error == doctest::Approx(std::sqrt(20.0 / 9.0 / 72.0)));
    CHECK(d->moves());  // t = 8.2 of 8 degrees of freedom, from 6.4 on
  }
  const auto all_by = [](std::size_t chains, double change) {
    const std::vector<double> from(chains, -3.5), to(chains, -3.5 + change);
    EnergyDrift drift;
    drift.add(from, to);
    return drift.moves();
  };
  CHECK(all_by(8, -1.0));
  CHECK_FALSE(all_by(7, -1.0));
  CHECK_FALSE(all_by(8, 0.0));
  CHECK_FALSE(all_by(8, 10.0 * static_cast<double>(std::numeric_limits<Real>::epsilon())));
  CHECK_FALSE(EnergyDrift().moves());
}

}  // namespace energy_drift_test
