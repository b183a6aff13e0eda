// How many standard errors parameters are from their optimum, by elimination, and in the mean at the law of the rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/distance_left.hpp>
#include <harmonium/program/work/gradient_left.hpp>

namespace distance_left_test {

using namespace harmonium;

namespace {

using Rows = std::vector<std::vector<double>>;

/// n (S⁻¹g)² / (S⁻¹)_aa of each parameter, by elimination.
std::vector<double> by_elimination(const Rows& parts, const std::vector<double>& counts) {
  const Index k = parts[0].size(), m = parts.size();
  const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<double> g(k, 0.0);
  for (Index p = 0; p < m; ++p)
    for (Index a = 0; a < k; ++a) g[a] += counts[p] * parts[p][a] / n;
  Rows s(k, std::vector<double>(2 * k, 0.0));  // S, and the inverse beside it
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b)
      for (Index p = 0; p < m; ++p)
        s[a][b] += counts[p] * (parts[p][a] - g[a]) * (parts[p][b] - g[b]) / static_cast<double>(m - 1);
    s[a][k + a] = 1.0;
  }
  for (Index a = 0; a < k; ++a) {
    const double pivot = s[a][a];
    for (double& v : s[a]) v /= pivot;
    for (Index b = 0; b < k; ++b) {
      const double factor = s[b][a];
      if (b == a) continue;
      for (Index c = 0; c < 2 * k; ++c) s[b][c] -= factor * s[a][c];
    }
  }
  std::vector<double> squares(k);
  for (Index a = 0; a < k; ++a) {
    double step = 0.0;
    for (Index b = 0; b < k; ++b) step += s[a][k + b] * g[b];
    squares[a] = n * step * step / s[a][k + a];
  }
  return squares;
}

constexpr Index spins = 12, bonds = spins - 1, num_rows = 160, num_parts = num_rows;

const Executor executor(2);

/// An open chain, E = −Σ J_i s_i s_{i+1}: see the test of the stand-in.
double coupling(Index bond) { return 0.1 + 0.05 * static_cast<double>(bond); }

std::unique_ptr<EnergyModel> chain() {
  Value effective;
  return builtin_registries().make<EnergyModel>(
      parse_toml(fmt::format("type = 'layered'\nlayers = [{{ name = 's', size = {0}, units = 'spin', bias = false }}]\n"
                             "terms = [{{ type = 'lattice', layer = 's', shape = [{0}], open_axes = [0] }}]\n",
                             spins),
                 "test"),
      effective);
}

std::vector<double> draw(std::uint64_t seed) {
  boost::random::mt19937_64 words(seed);
  boost::random::bernoulli_distribution<double> up(0.5);
  std::vector<double> states(num_rows * spins);
  for (Index r = 0; r < num_rows; ++r) {
    double* const s = states.data() + r * spins;
    s[0] = up(words) ? 1.0 : -1.0;
    for (Index b = 0; b < bonds; ++b) {
      boost::random::bernoulli_distribution<double> alike((1.0 + std::tanh(coupling(b))) / 2.0);
      s[b + 1] = alike(words) ? s[b] : -s[b];
    }
  }
  return states;
}

double distance_of(const EnergyModel& model, std::vector<double> states, const char* estimator) {
  const Dataset data(Table{num_rows, spins, NumberArray<double>(std::move(states)), {num_rows, spins}}, "chain");
  const Value config = make_table({{"estimator", make_table({{"type", make_value(estimator)}})}});
  const auto left = gradient_left(model, data, config, {}, builtin_registries(), {executor, {1, 0}});
  REQUIRE(left);
  REQUIRE(left->distance);
  return *left->distance;
}

}  // namespace

TEST_CASE("the ratio is that of the definition, and twins and what rows say nothing of leave it as it is") {
  boost::random::mt19937_64 words(7);
  boost::random::normal_distribution<double> normal;
  constexpr Index m = 60, k = 4;
  DistanceLeft plain, with_twins;
  Rows parts;
  std::vector<double> counts;
  for (Index p = 0; p < m; ++p) {
    std::vector<double> g(k);
    for (double& v : g) v = 0.1 + normal(words);
    g[1] *= 1000.0;
    g[2] = 0.99 * g[0] + 0.1 * g[2];
    counts.push_back(p < 10 ? 4.0 : 3.0);
    const auto rows = static_cast<Index>(counts.back());
    plain.add(g, rows);
    parts.push_back(g);
    g.push_back(0.25);
    g.insert(g.end(), parts.back().begin(), parts.back().end());
    with_twins.add(g, rows);
  }
  constexpr double f = m - 1, excess = f * (f - 1.0) / ((f - k) * (f - k - 1.0));
  const std::vector<double> squares = by_elimination(parts, counts);
  const double expected = std::accumulate(squares.begin(), squares.end(), 0.0) / k / excess;
  const auto farthest = std::ranges::max_element(squares);
  for (const DistanceLeft* left : {&plain, &with_twins}) {
    const auto ratio = left->ratios();
    REQUIRE(ratio);
    CHECK(std::abs(ratio->rms * ratio->rms / expected - 1.0) < 1e-9);
    CHECK(std::abs(ratio->most * ratio->most / (*farthest / excess) - 1.0) < 1e-9);
    CHECK(ratio->parameter % (k + 1) == static_cast<Index>(farthest - squares.begin()));  // a twin has the same
  }
}

TEST_CASE("rows that are all alike have no distance") {
  DistanceLeft left;
  for (int p = 0; p < 8; ++p) left.add(std::vector{0.5}, 3);
  CHECK_FALSE(left.ratios());
}

TEST_CASE(
    "parts are eight a parameter and 500, as far as there are rows, four a parameter at least, and 2000 at most") {
  CHECK(DistanceLeft::parts_for(20, 1000) == 500);
  CHECK(DistanceLeft::parts_for(1, 100000) == 500);
  CHECK(DistanceLeft::parts_for(100, 100000) == 800);
  CHECK(DistanceLeft::parts_for(20, 100) == 100);
  CHECK(DistanceLeft::parts_for(20, 79) == 0);
  CHECK(DistanceLeft::parts_for(400, 100000) == 2000);
  CHECK(DistanceLeft::parts_for(501, 100000) == 0);
}

TEST_CASE(
    "the square of the ratio is 1 in the mean at the law of the rows, for every objective, and 0 at the optimum") {
  const auto model = chain();
  REQUIRE(model->parameters().size() == bonds);
  constexpr int num_seeds = 600;
  for (const char* estimator : {"pcd", "pseudo_likelihood"}) {
    CAPTURE(estimator);
    double mean = 0.0;
    for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
      model->update_parameters([](std::span<Real> theta) {
        for (Index b = 0; b < bonds; ++b) theta[b] = static_cast<Real>(coupling(b));
      });
      const double distance = distance_of(*model, draw(seed), estimator);
      mean += distance * distance / num_seeds;
    }
    // √(2/k) = 0.43 is the standard deviation in a seed, and 0.47 with that of S. Five of the errors of the mean are 0.096. Without the
    // factor of the inverse of f = 159 and k = 11 it would be 1.155 times as much. Of 2400 seeds the mean is 1.025 (a covariance of 160 rows
    // that are no normal law's) and, of the pseudo likelihood, whose curvature is S in the mean alone, 1.066.
    CHECK(num_parts == DistanceLeft::parts_for(bonds, num_rows));
    CHECK(std::abs(mean - 1.0) < 5.0 * 0.47 / std::sqrt(num_seeds));
  }
  const std::vector<double> states = draw(1);
  model->update_parameters([&](std::span<Real> theta) {
    for (Index b = 0; b < bonds; ++b) {
      double bond = 0.0;
      for (Index r = 0; r < num_rows; ++r) bond += states[r * spins + b] * states[r * spins + b + 1] / num_rows;
      theta[b] = static_cast<Real>(std::atanh(bond));
    }
  });
  CHECK(distance_of(*model, states, "exact") < 1e-3);
}

}  // namespace distance_left_test
