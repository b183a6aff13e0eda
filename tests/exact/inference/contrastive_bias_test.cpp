#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/contrastive_bias.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace contrastive_bias_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A golden statistic is a function of θ; in single precision θ is rounded, and so are the gradients it is made of.
double tolerance() { return in_double ? 1e-12 : 1e-5; }

Chains golden_data(const EnergyModel& model) {
  const Batch batch(model.layout(), golden_rows());
  return batch.rows;
}

std::vector<double> mean_of_rows(const Matrix<double>& m) {
  std::vector<double> mean(m.shape(1), 0.0);
  for (Index r = 0; r < m.shape(0); ++r)
    for (Index c = 0; c < m.shape(1); ++c) mean[c] += m(r, c) / static_cast<double>(m.shape(0));
  return mean;
}

void check_mean(const EnergyModel& model, const Matrix<double>& ascent, const golden::rbm::Gradient& expected) {
  const std::vector<double> mean = mean_of_rows(ascent);
  const ParameterLayout& p = model.parameter_layout();
  Index at = 0;
  for (const char* name : {"bias.visible", "bias.hidden", "weight.visible.hidden"}) {
    const ParameterBlock& b = p[p.find(name)];
    for (Index i = 0; i < b.size(); ++i, ++at) {
      CAPTURE(at);
      CHECK(std::abs(mean[b.offset + i] - expected[at]) <= tolerance());
    }
  }
}

}  // namespace

TEST_CASE("exact gradients and expected contrastive divergences of the golden RBM are those of an enumeration") {
  const auto model = golden_model(false);
  const ExactChain chain(*model);
  const Chains rows = golden_data(*model);
  check_mean(*model, log_likelihood_gradients(chain, rows), golden::rbm::exact);
  for (const golden::rbm::Expected& expected : golden::rbm::contrastive_divergence) {
    CAPTURE(expected.steps);
    check_mean(*model, expected_contrastive_divergences(chain, rows, expected.steps), expected.gradient);
  }
}

TEST_CASE("the exact gradient of a machine with lateral couplings comes from its joint chain") {
  const auto model = golden_model(true);
  const ExactChain chain(*model);
  CHECK(!chain.has_halves());
  check_mean(*model, log_likelihood_gradients(chain, golden_data(*model)), golden::general::exact);
}

TEST_CASE("bias statistics of the golden RBM are those of an enumeration") {
  const auto model = golden_model(false);
  const ExactChain chain(*model);
  const std::vector<Index> weights = coupling_entries(model->parameter_layout());
  REQUIRE(weights.size() == golden::num_visible * golden::num_hidden);
  const auto all = contrastive_bias(chain, golden_data(*model), 10, weights);
  REQUIRE(all.size() == 10);
  for (const golden::rbm::Bias& expected : golden::rbm::bias) {
    CAPTURE(expected.steps);
    const BiasStatistics& got = all[expected.steps - 1];
    CHECK(std::abs(got.delta - expected.delta) <= tolerance());
    // A ratio of an entry that is small is as much less certain.
    CHECK(std::abs(got.r_median - expected.r) <= 100 * tolerance());
    CHECK(got.s == expected.s);
  }
}

TEST_CASE("bias statistics are means over rows and entries") {
  const auto model = random_rbm(4, 3, 11, 4.0);
  const ExactChain chain(*model);
  const Chains rows = golden_data(*model);
  const Matrix<double> exact = log_likelihood_gradients(chain, rows);
  const std::vector<Index> entries = all_entries(model->parameter_layout());
  CHECK(entries.size() == model->parameters().size());
  const auto all = contrastive_bias(chain, rows, 3, entries);
  for (Index k = 1; k <= 3; ++k) {
    const Matrix<double> expected = expected_contrastive_divergences(chain, rows, k);
    double lost = 0.0, full = 0.0, clipped = 0.0, signs = 0.0, cosine = 0.0;
    std::vector<double> ratios;
    for (Index r = 0; r < exact.shape(0); ++r) {
      double ee = 0.0, ec = 0.0, cc = 0.0;
      for (Index i = 0; i < exact.shape(1); ++i) {
        const double e = exact(r, i), c = expected(r, i);
        lost += std::abs(e - c);
        full += std::abs(e);
        ratios.push_back(std::abs((e - c) / e));
        clipped += std::min(2.0, ratios.back());
        signs += (e > 0) != (c > 0);
        ee += e * e;
        ec += e * c;
        cc += c * c;
      }
      cosine += ec / std::sqrt(ee * cc) / static_cast<double>(exact.shape(0));
    }
    std::ranges::sort(ratios);
    const auto count = static_cast<double>(ratios.size());
    CAPTURE(k);
    const BiasStatistics& got = all[k - 1];
    CHECK(got.delta == doctest::Approx(lost / count).epsilon(1e-9));
    CHECK(got.r_ratio_of_means == doctest::Approx(lost / full).epsilon(1e-9));
    CHECK(got.r_clipped_mean == doctest::Approx(clipped / count).epsilon(1e-9));
    REQUIRE(ratios.size() % 2 == 1);
    CHECK(got.r_median == doctest::Approx(ratios[ratios.size() / 2]).epsilon(1e-9));
    CHECK(got.s == doctest::Approx(signs / count).epsilon(1e-9));
    CHECK(got.cosine == doctest::Approx(cosine).epsilon(1e-9));
  }
  CHECK(all[0].s > 0.0);
}

TEST_CASE("bounds of the golden RBM's bias are those of an enumeration") {
  const auto model = golden_model(false);
  const FieldBounds fields = field_bounds(*model);
  CHECK(std::abs(fields.alpha() - golden::rbm::alpha) <= tolerance());
  CHECK(std::abs(fields.beta() - golden::rbm::beta) <= tolerance());
  const ExactChain chain(*model);
  for (const golden::rbm::Bias& expected : golden::rbm::bias) {
    CAPTURE(expected.steps);
    const ContrastiveBounds got = contrastive_bounds(chain, expected.steps);
    const double n = static_cast<double>(chain.num_states());
    CHECK(std::abs(got.paper - expected.bound) <= n * tolerance());
    CHECK(std::abs(got.product - expected.product_bound) <= n * tolerance());
    CHECK(std::abs(got.minorization - expected.matrix_bound) <= n * tolerance());
    CHECK(got.sharp == doctest::Approx(got.minorization / n).epsilon(1e-12));
  }
}

TEST_CASE("no bias exceeds any of its bounds, the sharper ones lie below the paper's, and one is nearly attained") {
  double closest = 0.0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const double spread = 0.2 * static_cast<double>(seed % 10 + 1);
    const auto model = random_rbm(2 + seed % 4, 2 + seed % 3, seed, spread);
    CAPTURE(seed);
    const ExactChain chain(*model);
    const Chains& rows = chain.states();
    const Matrix<double> exact = log_likelihood_gradients(chain, rows);
    const double eigenvalue = chain.second_eigenvalue();
    const std::vector<Index> weights = coupling_entries(model->parameter_layout());
    for (const Index k : {1, 3, 10}) {
      CAPTURE(k);
      const Matrix<double> expected = expected_contrastive_divergences(chain, rows, k);
      const ContrastiveBounds bounds = contrastive_bounds(chain, k);
      const std::vector<double> variation = total_variations(chain, rows, k);
      const std::vector<double> by_eigenvalue = eigenvalue_bounds(chain, rows, k, eigenvalue);
      const double slack = in_double ? 1e-12 : 1e-5;
      for (Index r = 0; r < exact.shape(0); ++r) {
        double most = 0.0;
        for (const Index i : weights) most = std::max(most, std::abs(exact(r, i) - expected(r, i)));
        CHECK(most <= variation[r] + slack);
        CHECK(variation[r] <= by_eigenvalue[r] + slack);
        CHECK(variation[r] <= bounds.sharp + slack);
        CHECK(most <= bounds.energy_range + slack);
        if (by_eigenvalue[r] > 1e-6) closest = std::max(closest, variation[r] / by_eigenvalue[r]);
      }
      CHECK(bounds.sharp <= bounds.minorization);
      CHECK(bounds.minorization <= bounds.product * (1 + 1e-12));
      CHECK(bounds.product <= bounds.paper * (1 + 1e-12));
    }
  }
  CHECK(closest > 0.9);
}

TEST_CASE("at parameters of zero the bound of the paper is zero, and where a unit is sure it is the number of states") {
  const auto model = make_rbm({.num_visible = 6, .num_hidden = 6});
  CHECK(contrastive_bounds(ExactChain(*model), 1).paper == doctest::Approx(0.0).epsilon(1e-12));
  model->update_parameters([](std::span<Real> theta) { std::ranges::fill(theta, Real{20}); });
  CHECK(contrastive_bounds(ExactChain(*model), 1).paper == 64.0);
}

TEST_CASE("bounds are refused for what they do not hold for") {
  const auto model = golden_model(true);
  const ExactChain chain(*model);
  CHECK_THROWS_WITH_AS(
      contrastive_bounds(chain, 1),
      "the bounds of contrastive divergence hold for binary units whose observed and latent layers are each "
      "independent given the other, as in an RBM.",
      CapabilityError);
  CHECK_THROWS_WITH_AS(
      eigenvalue_bounds(chain, golden_data(*model), 1, 0.5),
      "the bound by an eigenvalue holds for reversible chains, such as that of an RBM's visible units.",
      CapabilityError);
}

}  // namespace contrastive_bias_test
