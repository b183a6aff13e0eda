// The negative phase from chains against its exact expectation: of k Gibbs steps from each kind of start, by powers of
// the exact transition matrix. Every comparison is a normal score with the exact variance; the false-alarm rate of all
// of them together is below 1e-9, and each wrong estimate below has an expectation that is off by so much that it is
// missed with a probability below 1e-9, which is checked as well.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace chains_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
constexpr Index num_statistics = golden::num_parameters, most_comparisons = 20;
constexpr double false_alarm = 1e-9 / (num_statistics * most_comparisons);

/// The two-sided score that a normal variable exceeds with probability `false_alarm`.
double threshold(double probability = false_alarm) {
  double low = 0.0, high = 40.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return high;
}

/// Mean and variance of each statistic −∂E/∂θ, in the order of θ.
struct Moments2 {
  std::vector<double> mean = std::vector<double>(num_statistics, 0.0), variance = mean;
};

/// −∂E/∂θ of x from `law` and h given x, by its means or by draws.
Moments2 statistics(const Transition& t, const Law& law, bool sampled) {
  Moments2 result;
  std::vector<double> square(num_statistics, 0.0);
  for (Index v = 0; v < law.size(); ++v) {
    const auto& x = t.visible_states[v];
    for (Index i = 0; i < num_statistics; ++i) {
      double mean = 0.0, second = 0.0;
      if (i < golden::num_visible) {
        mean = second = x[i];
      } else {
        const bool bias = i < golden::num_visible + golden::num_hidden;
        const Index at = i - golden::num_visible - (bias ? 0 : golden::num_hidden);
        const double given = bias ? 1.0 : x[at / golden::num_hidden];
        mean = given * t.hidden_means[v][at % golden::num_hidden];
        second = sampled ? mean : mean * mean;
      }
      result.mean[i] += law[v] * mean;
      square[i] += law[v] * second;
    }
  }
  for (Index i = 0; i < num_statistics; ++i) result.variance[i] = square[i] - result.mean[i] * result.mean[i];
  return result;
}

/// The expectation of an estimate of the gradient of the mean log likelihood (ascent), and its variance.
struct Expectation {
  std::vector<double> mean, variance;
};

/// Positive phase at the golden rows, `copies` of each; negative phase with chains of these laws, `chains` of each.
Expectation expectation(const Transition& t, const std::vector<Law>& laws, double chains, bool sampled, double copies) {
  Expectation e{std::vector<double>(num_statistics, 0.0), std::vector<double>(num_statistics, 0.0)};
  const double n = golden::num_rows, m = static_cast<double>(laws.size());
  for (const std::vector<double>& row : golden_rows()) {
    const Moments2 s = statistics(t, t.at(row), sampled);
    for (Index i = 0; i < num_statistics; ++i) {
      e.mean[i] += s.mean[i] / n;
      if (sampled) e.variance[i] += s.variance[i] / (n * n * copies);
    }
  }
  for (const Law& law : laws) {
    const Moments2 s = statistics(t, law, sampled);
    for (Index i = 0; i < num_statistics; ++i) {
      e.mean[i] -= s.mean[i] / m;
      e.variance[i] += s.variance[i] / (m * m * chains);
    }
  }
  return e;
}

std::vector<double> scores(const std::vector<double>& ascent, const Expectation& e) {
  // What rounding in sums over the batch may add is no evidence.
  const double rounded = rounding(2000.0);
  std::vector<double> z;
  for (Index i = 0; i < ascent.size(); ++i)
    z.push_back(std::max(0.0, std::abs(ascent[i] - e.mean[i]) - rounded) / std::sqrt(e.variance[i]));
  return z;
}
double worst(const std::vector<double>& ascent, const Expectation& e) { return std::ranges::max(scores(ascent, e)); }

/// Whether an estimate that follows `wrong` would be found out by a test for `right`, but for a probability of 1e-9.
bool powerful(const Expectation& wrong, const Expectation& right) {
  for (Index i = 0; i < num_statistics; ++i) {
    const double shift = std::abs(wrong.mean[i] - right.mean[i]) - rounding(2000.0);
    if (shift > threshold() * std::sqrt(right.variance[i]) + threshold(2e-9) * std::sqrt(wrong.variance[i]))
      return true;
  }
  return false;
}

std::unique_ptr<GradientEstimator> make(const Value& spec) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  return registries.make<GradientEstimator>(spec, effective);
}
Value number(Index n) { return make_value(static_cast<std::int64_t>(n)); }

/// The golden rows, each `copies` times, in turn: neighboring rows are different.
std::vector<std::vector<double>> copies_of_rows(Index copies) {
  std::vector<std::vector<double>> all;
  for (Index c = 0; c < copies; ++c)
    for (const auto& row : golden_rows()) all.push_back(row);
  return all;
}

/// The mean of `repeats` estimates on `copies` of the golden rows, as ascent.
std::vector<double> mean_estimate(const EnergyModel& model, GradientEstimator& estimator, Index repeats, Index copies,
                                  std::uint64_t seed) {
  estimator.check(model);
  Batch batch(model.layout(), copies_of_rows(copies));
  std::vector<Real> gradient(model.parameters().size());
  std::vector<double> mean(gradient.size(), 0.0);
  const Execution execution{executor, RandomSource{seed, 0}};
  for (Index i = 0; i < repeats; ++i) {
    batch.posterior.reset();
    estimator.estimate(model, batch.view(), gradient, execution);
    for (Index k = 0; k < mean.size(); ++k) mean[k] -= static_cast<double>(gradient[k]) / static_cast<double>(repeats);
  }
  return mean;
}

std::vector<Law> laws_from_data(const Transition& t, Index steps) {
  std::vector<Law> laws;
  for (const auto& row : golden_rows()) laws.push_back(t.steps(t.at(row), steps));
  return laws;
}

constexpr Index repeats = 400, copies = 400;
constexpr double chains_a_row = repeats * copies;

}  // namespace

TEST_CASE("the mean of contrastive divergences approaches its expectation, and one step more is found out") {
  const auto model = golden_model(false);
  const Transition t(*model);
  for (const bool sampled : {false, true}) {
    for (const Index k : {Index{1}, Index{2}}) {
      CAPTURE(sampled);
      CAPTURE(k);
      const auto cd = make(make_table(
          {{"type", make_value("cd")}, {"gibbs_steps", number(k)}, {"sampled_statistics", make_value(sampled)}}));
      const std::vector<double> mean = mean_estimate(*model, *cd, repeats, copies, 10 + k);
      const Expectation right = expectation(t, laws_from_data(t, k), chains_a_row, sampled, chains_a_row);
      const Expectation other = expectation(t, laws_from_data(t, k + 1), chains_a_row, sampled, chains_a_row);
      CHECK(worst(mean, right) < threshold());
      CHECK(powerful(right, other));
      CHECK(worst(mean, other) > threshold());
    }
  }
}

TEST_CASE("sampled statistics have the variance that follows from their law") {
  // The sum of squared scores of independent estimates is a chi-square: a wrong variance moves its mean by as much. Its
  // tails are bounded by Laurent & Massart (2000), lemma 1, for 200 degrees of freedom.
  const auto model = golden_model(false);
  const Transition t(*model);
  constexpr Index estimates = 200;
  for (const bool sampled : {false, true}) {
    CAPTURE(sampled);
    const auto cd = make(make_table({{"type", make_value("cd")}, {"sampled_statistics", make_value(sampled)}}));
    const Expectation e = expectation(t, laws_from_data(t, 1), copies, sampled, copies);
    std::vector<double> squares(num_statistics, 0.0);
    Batch batch(model->layout(), copies_of_rows(copies));
    std::vector<Real> gradient(num_statistics);
    const Execution execution{executor, RandomSource{sampled ? 31u : 30u, 0}};
    for (Index i = 0; i < estimates; ++i) {
      batch.posterior.reset();
      cd->estimate(*model, batch.view(), gradient, execution);
      for (Index k = 0; k < num_statistics; ++k) {
        const double d = -static_cast<double>(gradient[k]) - e.mean[k];
        squares[k] += d * d / e.variance[k];
      }
    }
    const double x = -std::log(false_alarm / 2.0), n = estimates;
    for (Index k = 0; k < num_statistics; ++k) {
      CAPTURE(k);
      CHECK(squares[k] <= n + 2.0 * std::sqrt(n * x) + 2.0 * x + (in_double ? 0.0 : 1.0));
      CHECK(squares[k] >= n - 2.0 * std::sqrt(n * x));
    }
  }
}

TEST_CASE("hidden means that belong to another row are found out") {
  constexpr Index num_chains = 40'000;  // of each row
  const auto model = golden_model(false);
  const Transition t(*model);
  const auto rows = copies_of_rows(num_chains);
  Batch batch(model->layout(), rows);
  const Execution execution{executor, RandomSource{40, 0}};
  Chains chains(model->layout(), rows.size());
  const LayerId visible = model->layout().find("visible"), hidden = model->layout().find("hidden");
  const ConstMatrixRef data = batch.rows.read(visible);
  std::copy_n(data.data, data.rows * data.cols, chains.write(visible).data);
  batch.posterior.sample(*model, batch.rows, execution.random, chains, executor);
  chains.set_step(1);
  std::vector<Real> means(rows.size() * golden::num_hidden);
  LastMeans last;
  last.mean = {{}, {means.data(), rows.size(), golden::num_hidden, golden::num_hidden}};
  last.second.resize(2);
  Gibbs().advance(Target{*model}, chains, 1, execution, &last);
  REQUIRE(last.filled.contains(hidden));

  const auto estimate = [&](Index shift) {
    std::vector<Real> shifted(means.size()), gradient(num_statistics, Real{0});
    std::rotate_copy(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(shift * golden::num_hidden),
                     means.end(), shifted.begin());
    Moments q;
    q.mean = {chains.read(visible), {shifted.data(), rows.size(), golden::num_hidden, golden::num_hidden}};
    q.second.resize(2);
    std::vector<double> weights = batch.weights;
    const FactorizedExpectation& expectation_of = *model->factorized_expectation();
    expectation_of.add_gradient(batch.posterior.moments(*model, batch.rows, executor), weights, gradient, executor);
    for (double& w : weights) w = -w;
    expectation_of.add_gradient(q, weights, gradient, executor);
    std::vector<double> ascent;
    ascent.reserve(gradient.size());
    for (const Real g : gradient) ascent.push_back(-static_cast<double>(g));
    return ascent;
  };
  const Expectation right = expectation(t, laws_from_data(t, 1), num_chains, false, num_chains);
  CHECK(worst(estimate(0), right) < threshold());

  // What pairing x with the means of the next row estimates: products of means.
  Expectation wrong = right;
  const std::vector<Law> laws = laws_from_data(t, 1);
  for (Index j = 0; j < golden::num_visible; ++j) {
    for (Index i = 0; i < golden::num_hidden; ++i) {
      const Index at = golden::num_visible + golden::num_hidden + j * golden::num_hidden + i;
      for (Index r = 0; r < golden::num_rows; ++r) {
        const Moments2 own = statistics(t, laws[r], false),
                       next = statistics(t, laws[(r + 1) % golden::num_rows], false);
        wrong.mean[at] += (own.mean[at] - own.mean[j] * next.mean[golden::num_visible + i]) / golden::num_rows;
      }
    }
  }
  CHECK(powerful(wrong, right));
  CHECK(worst(estimate(1), right) > threshold());
}

TEST_CASE("chains from every other start approach the expectation of that start") {
  const auto model = golden_model(false);
  const Transition t(*model);
  constexpr Index num_chains = 200'000;
  std::vector<double> means{0.8, 0.6, 0.4, 0.2};
  for (double& m : means) m = (m * 1e6 + 0.5) / (1e6 + 1.0);  // as the binary unit takes them from a million rows
  const auto check = [&](GradientEstimator& estimator, const Law& law, const Law& other, std::uint64_t seed) {
    const std::vector<double> mean = mean_estimate(*model, estimator, 1, 1, seed);
    const Expectation right = expectation(t, {law}, num_chains, false, 1),
                      wrong = expectation(t, {other}, num_chains, false, 1);
    CHECK(worst(mean, right) < threshold());
    CHECK(powerful(right, wrong));
    CHECK(worst(mean, wrong) > threshold());
  };
  const auto spec = [&](const char* type, Index steps) {
    return make_table({{"type", make_value(type)}, {"gibbs_steps", number(steps)}, {"num_chains", number(num_chains)}});
  };

  SUBCASE("uniform") {
    const auto estimator = make(spec("naive_mcmc", 2));
    const Law once = t.from_uniform_hidden();
    check(*estimator, t.steps(once, 1), once, 50);
    check(*estimator, t.steps(once, 1), once, 51);  // a second call starts anew
  }
  SUBCASE("marginals") {
    Value v = spec("naive_mcmc", 1);
    v.set("start", make_value("marginals"));
    const auto estimator = make(v);
    check(*estimator, t.step(t.of_means(means)), t.of_means(means), 52);
    check(*estimator, t.step(t.of_means(means)), t.of_means(means), 53);
  }
  SUBCASE("persistent") {
    const auto estimator = make(spec("pcd", 1));
    const Law first = t.of_means(means);
    check(*estimator, t.steps(first, 1), t.steps(first, 2), 54);
    check(*estimator, t.steps(first, 2), t.steps(first, 1), 54);  // the second call goes on
  }
}

}  // namespace chains_test
