#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/training/low_rank_fit.hpp>

namespace low_rank_fit_test {

using namespace harmonium;

namespace {

constexpr Index bits = 9, ranks = 2, hidden = 8, num_rows = 700;

/// Rows at random places: what the likelihood is of needs no bits behind them, but for the one test that adds these up.
struct Setting {
  PlacedRows rows;
  std::vector<double> at;  // parameters

  Setting() {
    std::mt19937 words(9);
    std::normal_distribution<double> normal;
    rows.directions = zeros<double>(bits, ranks);
    for (double& u : rows.directions) u = normal(words);
    for (Index i = 0; i < bits; ++i) rows.means.push_back(logistic(normal(words)));
    for (Index a = 0; a < ranks; ++a) rows.center.push_back(normal(words));
    rows.places = zeros<double>(num_rows, ranks);
    for (double& y : rows.places) y = normal(words);
    double total = 0.0;
    for (Index r = 0; r < num_rows; ++r) total += rows.weights.emplace_back(std::abs(normal(words)));
    for (double& w : rows.weights) w /= total;
    rows.number = 600.0;
    for (Index k = 0; k < hidden * (ranks + 1) + bits; ++k) at.push_back(normal(words));
  }

  double plane(Index j, Index a) const { return at[j * (ranks + 1) + a]; }

  /// log of the unnormalized probability of a row of given bits, or of the places of a row that are given instead.
  double latent_part(const std::vector<double>& y) const {
    double sum = 0.0;
    for (Index j = 0; j < hidden; ++j) {
      double field = plane(j, ranks);
      for (Index a = 0; a < ranks; ++a) field += plane(j, a) * y[a];
      sum += log1pexp(field);
    }
    return sum;
  }

  /// By the 2^9 states of the bits: the likelihood goes by those of the hidden units.
  double log_z_by_bits() const {
    std::vector<double> logs;
    for (Index state = 0; state < Index{1} << bits; ++state) {
      std::vector<double> y(ranks);
      for (Index a = 0; a < ranks; ++a) y[a] = -rows.center[a];
      double own = 0.0;
      for (Index i = 0; i < bits; ++i) {
        if ((state >> i & 1) == 0) continue;
        own += at[hidden * (ranks + 1) + i];
        for (Index a = 0; a < ranks; ++a) y[a] += rows.directions(i, a);
      }
      logs.push_back(own + latent_part(y));
    }
    return logsumexp(logs);
  }

  double log_likelihood_by_bits() const {
    double sum = -log_z_by_bits();
    for (Index r = 0; r < num_rows; ++r) sum += rows.weights[r] * latent_part({rows.places(r, 0), rows.places(r, 1)});
    for (Index i = 0; i < bits; ++i) sum += rows.means[i] * at[hidden * (ranks + 1) + i];
    for (Index j = 0; j < hidden; ++j)
      for (Index i = 0; i < bits; ++i) {
        double coupling = 0.0;
        for (Index a = 0; a < ranks; ++a) coupling += rows.directions(i, a) * plane(j, a);
        sum -= coupling * coupling / (2.0 * 25.0 * 600.0);
      }
    return sum;
  }
};

/// Rows of bits near two words that differ in every bit, one of them twice as often, and a tenth of the bits turned over.
void place_two_clusters(PlacedRows& rows) {
  std::mt19937 words(3);
  const auto uniform = [&] { return (static_cast<double>(words()) + 0.5) / 4294967296.0; };
  rows.weights.assign(num_rows, 1.0 / num_rows);
  rows.number = num_rows;
  rows.means.assign(bits, 0.0);
  rows.places = zeros<double>(num_rows, ranks);
  for (Index r = 0; r < num_rows; ++r)
    for (Index i = 0; i < bits; ++i) {
      const double bit = ((i % 2 == 0) != (r % 3 == 0)) != (uniform() < 0.1) ? 1.0 : 0.0;
      rows.means[i] += bit / num_rows;
      for (Index a = 0; a < ranks; ++a) rows.places(r, a) += bit * rows.directions(i, a);
    }
  rows.places -= xt::view(as_xtensor(std::span(std::as_const(rows.center))), xt::newaxis());
}

double length(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("the likelihood of a machine of low rank is that by all states of its bits, for any number of threads") {
  const Setting setting;
  const Executor one(1), three(3);
  const LowRankLikelihood likelihood(setting.rows, hidden, one);
  REQUIRE(likelihood.num_parameters() == setting.at.size());
  const double value = likelihood(setting.at, {});
  CHECK(std::abs(value - setting.log_likelihood_by_bits()) < 1e-11);
  std::vector<double> slopes(setting.at.size()), again(setting.at.size());
  CHECK(likelihood(setting.at, slopes) == value);
  CHECK(LowRankLikelihood(setting.rows, hidden, three)(setting.at, again) == value);
  CHECK(again == slopes);
}

TEST_CASE("slopes of the likelihood are its differences") {
  Setting setting;
  const Executor executor(2);
  const LowRankLikelihood likelihood(setting.rows, hidden, executor);
  std::vector<double> slopes(setting.at.size());
  likelihood(setting.at, slopes);
  for (Index k = 0; k < slopes.size(); ++k) {
    constexpr double h = 1e-5;
    const double middle = setting.at[k];
    setting.at[k] = middle + h;
    const double above = likelihood(setting.at, {});
    setting.at[k] = middle - h;
    const double below = likelihood(setting.at, {});
    setting.at[k] = middle;
    // Truncation is some h² = 1e-10 times a third derivative of some units, rounding 1e-14 / h = 1e-9.
    CHECK(std::abs(slopes[k] - (above - below) / (2.0 * h)) < 1e-7);
  }
}

TEST_CASE("the fit ends where slopes are small, above where it began, and where it is told to") {
  Setting setting;
  place_two_clusters(setting.rows);
  const Executor executor(2);
  const LowRankLikelihood likelihood(setting.rows, hidden, executor);
  LowRankMachine start{zeros<double>(hidden, ranks + 1), std::vector<double>(bits, 0.0)};
  for (Index j = 0; j < hidden; ++j)
    for (Index a = 0; a < ranks; ++a) start.planes(j, a) = 0.1 * setting.plane(j, a);
  const auto at = [&](const LowRankMachine& machine, std::vector<double>& slopes) {
    std::vector<double> x(machine.planes.begin(), machine.planes.end());
    x.insert(x.end(), machine.field.begin(), machine.field.end());
    slopes.resize(x.size());
    return likelihood(x, slopes);
  };
  std::vector<double> first, last, early;
  const double before = at(start, first);
  const FittedMachine fitted = fit_low_rank(setting.rows, start, 300, executor);
  CHECK(at(fitted.machine, last) == fitted.log_likelihood);
  CHECK(fitted.log_likelihood > before + 0.1);
  CHECK(length(last) < 0.05 * length(first));
  CHECK(at(fit_low_rank(setting.rows, start, 2, executor).machine, early) < fitted.log_likelihood);
}

}  // namespace low_rank_fit_test
