// What log Z differs by along temperatures: the sum over bins against one over draws, the whole against closed forms and enumeration.
#include <algorithm>
#include <cmath>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <doctest/doctest.h>

#include <harmonium/framework/inference/log_z_along.hpp>
#include <harmonium/framework/inference/multistate.hpp>
#include <harmonium/framework/inference/works.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace log_z_along_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const std::vector<double> betas{1.0, 0.75, 0.5, 0.25, 0.0};

/// E is normal at each temperature, of mean m − β s² and variance s²: log Z = −β m + β² s² / 2 and a constant. The quantiles, dealt
/// to four chains in turn, with what a chain has of its own besides.
std::vector<ThermalSeries> normal_series(double m, double s, double of_chains) {
  const ThermalPlan plan{.betas = betas, .num_chains = 4, .num_steps = 1000};
  const boost::math::normal_distribution<> normal;
  std::vector<ThermalSeries> series;
  for (const double beta : betas) {
    ThermalSeries& own = series.emplace_back(beta, plan, 1);
    for (Index i = 0; i < 4000; ++i)
      own.numbers[0][i % 4 * 1000 + i / 4] = m - beta * s * s + of_chains * (static_cast<double>(i % 4) - 1.5) +
                                             s * quantile(normal, (static_cast<double>(i) + 0.5) / 4000.0);
  }
  return series;
}

/// −log Z but for a constant by the draws themselves, of all chains but `left_out`, 4 for none.
std::vector<double> by_draws(const std::vector<ThermalSeries>& series, Index left_out) {
  std::vector<double> energies;
  for (const ThermalSeries& s : series)
    for (Index c = 0; c < 4; ++c)
      if (c != left_out)
        energies.insert(energies.end(), s.numbers[0].begin() + static_cast<std::ptrdiff_t>(c * 1000),
                        s.numbers[0].begin() + static_cast<std::ptrdiff_t>((c + 1) * 1000));
  const double of_each = static_cast<double>(energies.size()) / static_cast<double>(series.size());
  return solve_multistate({betas, of_each, energies, {}}, std::vector<double>(betas.size()));
}

}  // namespace

TEST_CASE("ratios of log Z are right where the law of the energy is normal") {
  const double m = -30.0, s = 2.0;
  const auto log_z = [&](double beta) { return -beta * m + 0.5 * beta * beta * s * s; };
  const std::vector<ThermalSeries> series = normal_series(m, s, 0.0);
  const LogZAlong found = log_z_along(series, executor);
  REQUIRE(found.from_last.size() == 4);
  for (Index k = 0; k < 4; ++k) {
    CAPTURE(k);
    CHECK(std::abs(found.from_last[k].value - log_z(betas[k]) + log_z(0.0)) < 2e-3);
    CHECK(std::abs(found.from_next[k].value - log_z(betas[k]) + log_z(betas[k + 1])) < 2e-3);
    CHECK(found.overlap[k] > 1000.0);
    CHECK(found.overlap[k] < 2000.0);
  }
  // The control: one temperature that is taken for another.
  std::vector<ThermalSeries> wrong = series;
  wrong[2].beta = 0.45;
  CHECK(std::abs(log_z_along(wrong, executor).from_last[0].value - log_z(1.0)) > 0.01);
}

TEST_CASE("a sum over bins is one over draws, and errors are the jackknife's over chains") {
  const std::vector<ThermalSeries> series = normal_series(3.0, 2.0, 0.1);
  const LogZAlong found = log_z_along(series, executor);
  const std::vector<double> all = by_draws(series, 4);
  std::vector<std::vector<double>> rest;
  for (Index c = 0; c < 4; ++c) rest.push_back(by_draws(series, c));
  const auto check = [&](const LogZRatio& ratio, Index k, Index other) {
    CHECK(std::abs(ratio.value - (all[other] - all[k])) < 1e-5);
    double mean = 0.0, squares = 0.0;
    for (const auto& f : rest) mean += (f[other] - f[k]) / 4.0;
    for (const auto& f : rest) squares += std::pow(f[other] - f[k] - mean, 2.0);
    CHECK(ratio.error == doctest::Approx(std::sqrt(0.75 * squares)).epsilon(1e-3));
    CHECK(ratio.high - ratio.low == doctest::Approx(2.0 * half_interval(4.0) * ratio.error).epsilon(1e-6));
  };
  double sum = 0.0;
  for (Index k = 4; k-- > 0;) {
    CAPTURE(k);
    check(found.from_last[k], k, 4);
    check(found.from_next[k], k, k + 1);
    sum += found.from_next[k].value;
    CHECK(found.from_last[k].value == doctest::Approx(sum));
  }
  // A chain whose energies lie 0.1 higher has -log Z higher by 0.1 times the difference of the temperatures: of four neighbors
  // together, and not by the root of four.
  CHECK(found.from_last[0].error > 3.0 * found.from_next[0].error);
}

TEST_CASE("intervals of ratios of an Ising lattice contain the enumerated ones as often as they say") {
  // 40 seeds: so few inside would be met once in a million times where each holds with probability 0.95. The control is a quarter of
  // the interval.
  const auto lattice = ising_torus(3);
  const Oracle oracle(*lattice);
  const LayerObservables what(*lattice, LayerId{0});
  const ThermalPlan plan{.betas = {0.5, 0.4, 0.3, 0.15, 0.0}, .num_chains = 8, .warm_up = 100, .num_steps = 400};
  const double exact = oracle.log_z(0.5) - oracle.log_z(0.0), next = oracle.log_z(0.4) - oracle.log_z(0.3);
  CHECK(oracle.log_z(0.0) == doctest::Approx(9.0 * std::log(2.0)));
  int inside = 0, next_inside = 0, inside_a_quarter = 0;
  constexpr int seeds = 40;
  const auto gibbs = make<Sampler>("type = 'gibbs'");
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ThermalRecord record = record_tempered(*lattice, *gibbs, what, plan, {executor, {seed, 3}});
    const LogZAlong found = log_z_along(record.temperatures, executor);
    const LogZRatio &all = found.from_last[0], &of_neighbors = found.from_next[1];
    CHECK(all.high - all.low < 0.5);
    inside += all.low <= exact && exact <= all.high ? 1 : 0;
    next_inside += of_neighbors.low <= next && next <= of_neighbors.high ? 1 : 0;
    inside_a_quarter += std::abs(exact - all.value) <= 0.125 * (all.high - all.low) ? 1 : 0;
  }
  const boost::math::binomial_distribution<> covered(seeds, 0.95);
  INFO("inside: ", inside, " and ", next_inside, ", a quarter: ", inside_a_quarter);
  CHECK(inside >= quantile(covered, 1e-6));
  CHECK(next_inside >= quantile(covered, 1e-6));
  CHECK(inside_a_quarter < quantile(covered, 1e-6));
}

TEST_CASE("energies that are all alike, and those that do not overlap") {
  std::vector<ThermalSeries> series = normal_series(3.0, 2.0, 0.0);
  for (ThermalSeries& s : series) std::ranges::fill(s.numbers[0], -7.0);
  const LogZAlong alike = log_z_along(series, executor);
  CHECK(alike.from_last[0].value == doctest::Approx(7.0));
  CHECK(alike.from_last[0].error < 1e-9);
  CHECK(alike.overlap[0] == doctest::Approx(2000.0));
  std::ranges::fill(series[3].numbers[0], 0.0);
  std::ranges::fill(series[4].numbers[0], 1e6);
  CHECK(log_z_along(std::span(series).last(2), executor).overlap[0] < 1e-9);
}

}  // namespace log_z_along_test
