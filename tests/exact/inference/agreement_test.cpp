// What the diagnosis of a model says beside how its chains mix.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/fitted_beta.hpp>
#include <harmonium/framework/inference/mixing.hpp>
#include <harmonium/framework/inference/moment_agreement.hpp>
#include <harmonium/framework/inference/total_variation.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace agreement_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// Exact draws of a model at β.
Chains draws_of(const EnergyModel& model, double beta, Index num, std::uint64_t seed) {
  Chains chains(model.layout(), num);
  make<Sampler>("type = 'exact'")->advance({.model = model, .beta = beta}, chains, 1, {executor, {seed, 5}});
  return chains;
}

}  // namespace

TEST_CASE("the temperature that fits draws is theirs" * doctest::test_suite("slow")) {
  const auto model = random_rbm(8, 5, 3, 0.7);
  for (const double beta : {0.5, 1.0, 1.6}) {
    if (in_single && beta != 1.0) continue;  // how fits scatter does not hang on the precision
    CAPTURE(beta);
    // The error of a mean of ten fits is told by their scatter; the control is a tenth of β.
    double sum = 0.0, squares = 0.0;
    constexpr int repeats = 10;
    for (std::uint64_t seed = 0; seed < repeats; ++seed) {
      const double found = fitted_beta(*model, draws_of(*model, beta, 8000, seed), {executor, {seed, 6}}).value();
      sum += found;
      squares += found * found;
    }
    const double mean = sum / repeats, error = std::sqrt((squares / repeats - mean * mean) / (repeats - 1.0));
    CHECK(error < 0.016 * beta);
    CHECK(std::abs(mean - beta) < 6.0 * error + 1e-4);
    CHECK(std::abs(mean - 1.1 * beta) > 6.0 * error + 1e-4);
  }
  // Uniform rows fit no temperature of this side better than infinity's.
  Chains uniform(model->layout(), 4000);
  for (const LayerId l : model->layout().ids())
    model->layout()[l].unit->sample_uniform(DrawBlock::of({1, 7}, 0, 0, l), uniform.write(l));
  const auto found = fitted_beta(*model, uniform, {executor, {1, 6}});
  if (found) CHECK(*found < 0.15);
}

TEST_CASE("moments go together as numbers computed by hand") {
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 1});
  const LayerId v = model->layout().find("visible");
  const auto rows = [&](std::vector<std::vector<Real>> values) {
    Chains x(model->layout(), values.size());
    for (Index r = 0; r < values.size(); ++r) std::ranges::copy(values[r], x.write(v).row(r));
    return x;
  };
  // Means (1/2, 3/4, 1/4) and (1/2, 1/2, 1/4); covariances by hand: 12: 1/8, 13: 1/8, 23: 1/16; 12: 0, 13: 1/8, 23: 1/8.
  const Chains a = rows({{1, 1, 1}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}}),
               b = rows({{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}});
  const MomentAgreement found = compare_moments(model->layout(), a, b);
  const auto pearson = [](std::vector<double> x, std::vector<double> y) {
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (Index i = 0; i < x.size(); ++i) mx += x[i] / 3.0, my += y[i] / 3.0;
    for (Index i = 0; i < x.size(); ++i) {
      xx += (x[i] - mx) * (x[i] - mx);
      yy += (y[i] - my) * (y[i] - my);
      xy += (x[i] - mx) * (y[i] - my);
    }
    return LinearAgreement{xy / std::sqrt(xx * yy), xy / yy};
  };
  const LinearAgreement means = pearson({0.5, 0.75, 0.25}, {0.5, 0.5, 0.25}),
                        pairs = pearson({0.125, 0.125, 0.0625}, {0.0, 0.125, 0.125});
  CHECK(found.means.pearson == doctest::Approx(means.pearson).epsilon(1e-12));
  CHECK(found.means.slope == doctest::Approx(means.slope).epsilon(1e-12));
  CHECK(found.correlations.pearson == doctest::Approx(pairs.pearson).epsilon(1e-12));
  CHECK(found.correlations.slope == doctest::Approx(pairs.slope).epsilon(1e-12));
}

TEST_CASE("the mean deviation of a frequency is its sum over the binomial law") {
  for (const double p : {0.001, 0.3, 0.5, 0.97})
    for (const int n : {1, 7, 40}) {
      double sum = 0.0;
      for (int k = 0; k <= n; ++k)
        sum += std::abs(static_cast<double>(k) / n - p) *
               std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                        (n - k) * std::log1p(-p));
      CHECK(binomial_mean_deviation(n, p) == doctest::Approx(sum).epsilon(1e-10));
    }
  CHECK(binomial_mean_deviation(10, 0.0) == 0.0);
  CHECK(binomial_mean_deviation(10, 1.0) == 0.0);
}

TEST_CASE("independent draws are as far from the law as the floor says, draws of another law farther") {
  const auto model = random_rbm(8, 5, 3, 0.7);
  constexpr Index num = 50000;
  const auto of = [&](double beta, std::uint64_t seed) {
    return total_variation(*model, 1.0, draws_of(*model, beta, num, seed), num, executor).value();
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const TotalVariation right = of(1.0, seed);
    // 256 states: the distance scatters by some 5 % about its mean.
    CHECK(right.distance < 1.4 * right.floor);
    CHECK(right.distance > 0.6 * right.floor);
    CHECK(of(0.85, seed).distance > 1.4 * right.floor);
  }
  CHECK_FALSE(total_variation(*random_rbm(20, 3, 1), 1.0, Chains(random_rbm(20, 3, 1)->layout(), 2), 2.0, executor));
}

TEST_CASE("rows that a diagnosis keeps are spread over its chains, and its singular values are those of the weights") {
  const auto model = random_rbm(6, 3, 3, 0.7);
  const auto sampler = make<Sampler>("type = 'gibbs'");
  const MixingReport report =
      examine_mixing(*model, *sampler, nullptr, {.num_steps = 400, .num_rows = 1000}, {executor, {1, 2}});
  CHECK(report.rows.size() == 24 * 41);
  // Their mean energy is that of the whole series, within six of its errors (of a fifth of the times); neighbors in time
  // are not the same rows.
  std::vector<double> energies(report.rows.size());
  model->energy(report.rows, energies);
  const double mean = std::accumulate(energies.begin(), energies.end(), 0.0) / static_cast<double>(energies.size());
  const ObservableMixing& energy = report.observables[0];
  CHECK(std::abs(mean - energy.mean) < 6.0 * 2.3 * energy.error);
  const ConstMatrixRef x = report.rows.read(LayerId{0});
  Index moved = 0;
  for (Index r = 24; r < x.rows; ++r) moved += std::ranges::equal(x[r], x[r - 24]) ? 0 : 1;
  CHECK(moved > x.rows / 2);
  REQUIRE(report.modes.singular_values.size() == 3);
  // Σ σ² is the sum of the squares of all weights.
  double squares = 0.0, sum = 0.0;
  const ParameterLayout& layout = model->parameter_layout();
  const ParameterBlock& w = layout[layout.find("weight.visible.hidden")];
  for (Index k = 0; k < w.size(); ++k) squares += std::pow(static_cast<double>(model->parameters()[w.offset + k]), 2);
  for (const double s : report.modes.singular_values) sum += s * s;
  CHECK(report.modes.coupling == "weight.visible.hidden");
  CHECK(sum == doctest::Approx(squares).epsilon(1e-5));
  CHECK(report.modes.singular_values[0] >= report.modes.singular_values[1]);
}

}  // namespace agreement_test
