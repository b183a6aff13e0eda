// The estimator along drawn paths against its exact expectation. Each comparison is a normal score of the mean over many
// estimates: with 19 parameters and 5 cases, a threshold of 6.5 deviations gives false alarms at a rate below 1e-8, and a
// wrong expectation is off by far more, which is checked as well.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/truncated_expansion.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/contrastive_bias.hpp>
#include <harmonium/framework/inference/expansion.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace truncated_expansion_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
constexpr double threshold = 6.5;

struct Sampled {
  std::vector<double> mean, variance;  ///< of one estimate, direction of ascent
  Index count = 0;
  double score(Index i, double expected) const {
    return std::abs(mean[i] - expected) / std::sqrt(variance[i] / static_cast<double>(count) + 1e-14);
  }
};

Sampled sample(const EnergyModel& model, GradientEstimator& estimator, const std::vector<std::vector<double>>& rows,
               Index count) {
  estimator.check(model);
  Batch batch(model.layout(), rows);
  const std::vector<double> zeros(model.parameters().size(), 0.0);
  Sampled s{zeros, zeros, count};
  std::vector<Real> gradient(s.mean.size());
  for (Index n = 1; n <= count; ++n) {
    batch.posterior.reset();
    estimator.estimate(model, batch.view(), gradient, {executor, RandomSource{n, 0}});
    for (Index i = 0; i < gradient.size(); ++i) {
      const double g = -static_cast<double>(gradient[i]), change = g - s.mean[i];
      s.mean[i] += change / static_cast<double>(n);
      s.variance[i] += change * (g - s.mean[i]);
    }
  }
  for (double& v : s.variance) v /= static_cast<double>(count - 1);
  return s;
}

std::vector<double> mean_of_rows(const Matrix<double>& m) {
  std::vector<double> mean(m.shape(1), 0.0);
  for (Index r = 0; r < m.shape(0); ++r)
    for (Index c = 0; c < m.shape(1); ++c) mean[c] += m(r, c) / static_cast<double>(m.shape(0));
  return mean;
}

double largest_score(const Sampled& sampled, const std::vector<double>& expected) {
  double most = 0.0;
  for (Index i = 0; i < expected.size(); ++i) most = std::max(most, sampled.score(i, expected[i]));
  return most;
}

std::unique_ptr<GradientEstimator> made(const Value& spec) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  return registries.make<GradientEstimator>(spec, effective);
}

}  // namespace

TEST_CASE("the mean of the truncated expansion is contrastive divergence of one step less than it has terms") {
  const auto model = golden_model(false);
  const ExactChain chain(*model);
  const Batch batch(model->layout(), golden_rows());
  const auto cd = [&](Index k) { return mean_of_rows(expected_contrastive_divergences(chain, batch.rows, k)); };
  for (const Index terms : {Index{2}, Index{3}, Index{6}}) {
    CAPTURE(terms);
    TruncatedExpansion estimator({.terms = terms});
    const Sampled sampled = sample(*model, estimator, golden_rows(), 40000);
    CHECK(largest_score(sampled, cd(terms - 1)) < threshold);
    if (terms == 2) CHECK(largest_score(sampled, cd(2)) > 2 * threshold);
    CHECK(largest_score(sampled, std::vector<double>(sampled.mean.size(), 0.0)) > 2 * threshold);
  }
}

TEST_CASE("half a step more is the truncation of the section on reconstruction error") {
  const auto model = golden_model(false);
  const ExactChain chain(*model);
  const Batch batch(model->layout(), golden_rows());
  for (const Index terms : {Index{1}, Index{2}}) {
    CAPTURE(terms);
    std::vector<double> expected(model->parameters().size(), 0.0);
    for (Index r = 0; r < golden::num_rows; ++r) {
      const std::vector<double> one = half_step_truncation(chain, batch.rows, r, terms);
      for (Index i = 0; i < expected.size(); ++i) expected[i] += one[i] / golden::num_rows;
    }
    TruncatedExpansion estimator({.terms = terms, .truncation = Truncation::half_step});
    const Sampled sampled = sample(*model, estimator, golden_rows(), 40000);
    CHECK(largest_score(sampled, expected) < threshold);
    CHECK(largest_score(sampled, mean_of_rows(expected_contrastive_divergences(chain, batch.rows, 1))) > threshold);
  }
}

TEST_CASE("weight by weight the truncated expansion varies 2.5 to 16 times as much as contrastive divergence") {
  // Machines of 6 × 6 units with weights from N(0, 1), on Diag_6. The variance of a weight is known to some 5 % from 2000
  // estimates, and the mean of 36 × 3 ratios to a few per cent.
  std::vector<std::vector<double>> rows;
  for (Index k = 0; k <= 6; ++k) {
    rows.emplace_back(6, 0.0);
    std::fill_n(rows.back().begin(), k, 1.0);
  }
  std::vector<double> ratios[2];
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto model = make_rbm({.num_visible = 6, .num_hidden = 6});
    std::mt19937_64 words(seed);
    std::normal_distribution<double> normal;
    const ParameterBlock& w = model->parameter_layout()[model->parameter_layout().find("weight.visible.hidden")];
    model->update_parameters([&](std::span<Real> theta) {
      for (Index i = 0; i < w.size(); ++i) theta[w.offset + i] = static_cast<Real>(normal(words));
    });
    for (const std::int64_t k : {1, 5}) {
      const auto cd = made(make_table({{"type", make_value("cd")}, {"gibbs_steps", make_value(k)}}));
      TruncatedExpansion expansion({.terms = static_cast<Index>(k) + 1});
      const Sampled own = sample(*model, expansion, rows, 2000), plain = sample(*model, *cd, rows, 2000);
      for (Index i = w.offset; i < w.offset + w.size(); ++i)
        ratios[k == 1 ? 0 : 1].push_back(own.variance[i] / plain.variance[i]);
    }
  }
  double medians[2];
  for (const int which : {0, 1}) {
    std::ranges::sort(ratios[which]);
    medians[which] = ratios[which][ratios[which].size() / 2];
    MESSAGE("variance over that of CD-", which == 0 ? 1 : 5, ": ", ratios[which].front(), ", ", medians[which], ", ",
            ratios[which].back());
  }
  CHECK(medians[0] > 1.2);
  CHECK(medians[0] < 4.0);
  CHECK(medians[1] > 8.0);
  CHECK(medians[1] < 24.0);
}

TEST_CASE("an estimate shares no word with the one after it") {
  // As in a run: one estimator, one purpose, estimate after estimate of the same row. n pairs of independent numbers have a
  // correlation of 1/sqrt(n).
  const auto model = golden_model(false);
  const std::vector<std::vector<double>> one_row{golden_rows()[0]};
  constexpr Index n = 20000;
  for (const Truncation truncation : {Truncation::whole_step, Truncation::half_step}) {
    for (const Index terms : {Index{1}, Index{2}, Index{3}}) {
      if (terms == 1 && truncation == Truncation::whole_step) continue;
      CAPTURE(terms);
      TruncatedExpansion estimator({.terms = terms, .truncation = truncation});
      Batch batch(model->layout(), one_row);
      std::vector<std::vector<double>> all;
      std::vector<Real> gradient(model->parameters().size());
      for (Index i = 0; i < n; ++i) {
        batch.posterior.reset();
        estimator.estimate(*model, batch.view(), gradient, {executor, RandomSource{7, 0}});
        all.emplace_back(gradient.begin(), gradient.end());
      }
      bool any = false;
      for (Index k = 0; k < gradient.size(); ++k) {
        double mean = 0.0, variance = 0.0, lag = 0.0;
        for (const auto& g : all) mean += g[k] / n;
        for (const auto& g : all) variance += (g[k] - mean) * (g[k] - mean) / n;
        for (Index i = 0; i + 1 < n; ++i) lag += (all[i][k] - mean) * (all[i + 1][k] - mean) / n;
        if (variance < 1e-6) continue;
        any = true;
        CHECK(std::abs(lag / variance) < threshold / std::sqrt(static_cast<double>(n)));
      }
      CHECK(any);
    }
  }
}

TEST_CASE("the truncated expansion is refused where it says nothing or the model has no two halves") {
  CHECK_THROWS_WITH_AS(TruncatedExpansion({.terms = 1}),
                       "'terms' is 1, and a truncation there leaves nothing of the gradient. Take 2 or more, or "
                       "truncation = \"half_step\".",
                       ConfigError);
  const auto model = golden_model(true);
  CHECK_THROWS_WITH_AS(
      TruncatedExpansion({}).check(*model),
      "estimator 'truncated_expansion': the observed units must be independent given the latent ones, and "
      "the reverse, as in an RBM. Try 'cd'.",
      CapabilityError);
}

TEST_CASE("the truncated expansion refuses rows with missing entries, also of one who did not begin a run") {
  const auto rbm = golden_model(false);
  const Index rows = golden_rows().size(), units = rbm->layout()[LayerId{0}].size;
  HeldMask seen;
  seen.hold_units(LayerId{0}, units, std::vector<std::uint8_t>(rows * units, 1));
  const Chains x(rbm->layout(), rows);
  const std::vector<double> weights(rows, 1.0);
  std::vector<Real> gradient(rbm->parameters().size());
  Posterior posterior;
  CHECK_THROWS_AS(TruncatedExpansion({}).estimate(*rbm, {x, weights, posterior, &seen}, gradient, {executor, {1, 1}}),
                  CapabilityError);
}

}  // namespace truncated_expansion_test
