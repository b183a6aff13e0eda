#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/contrastive_bias.hpp>
#include <harmonium/framework/inference/expansion.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace expansion_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index lengths[] = {1, 2, 3, 6, 11};

/// Gradients are sums in Real over all pairs of states.
double gradient_tolerance() { return in_double ? 1e-12 : 1e-4; }

std::vector<double> sum_of_rows(const Matrix<double>& m, Index left_out) {
  std::vector<double> sum(m.shape(1), 0.0);
  for (Index r = 0; r < m.shape(0); ++r)
    for (Index c = 0; c < m.shape(1) && r != left_out; ++c) sum[c] += m(r, c);
  return sum;
}

double distance(const std::vector<double>& a, const double* b) {
  double most = 0.0;
  for (Index i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE("the log likelihood is the sum of its terms along any path") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto model = random_rbm(5, 4, seed, 2.0);
    const ExactChain chain(*model);
    std::mt19937_64 words(seed);
    for (const Index t : lengths) {
      std::vector<std::uint64_t> observed, latent;
      for (Index s = 0; s < t; ++s) observed.push_back(words() % 32);
      for (Index s = 0; s + 1 < t; ++s) latent.push_back(words() % 16);
      CAPTURE(t);
      const PathExpansion path = expand_path(chain, observed, latent);
      REQUIRE(path.terms.size() == t - 1);
      double sum = path.remainder;
      for (const double term : path.terms) sum += term;
      const double log_p = chain.log_stationary()[observed[0]];
      CHECK(std::abs(sum - log_p) <= 1e-12);
      for (Index s = 0; s + 1 < t; ++s)  // without one it is not; a step that leads back has a term of 0
        if (observed[s] != observed[s + 1]) CHECK(std::abs(sum - path.terms[s] - log_p) > 1e-6);
    }
  }
}

TEST_CASE("the gradient is the sum of the expected terms and the remainder, and without one of them it is not") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    const auto model = random_rbm(4, 3, seed, 2.0);
    const ExactChain chain(*model);
    const Chains& rows = chain.states();
    const Matrix<double> exact = log_likelihood_gradients(chain, rows);
    for (const Index row : {Index{0}, Index{5}, Index{10}}) {
      for (const Index t : lengths) {
        CAPTURE(row);
        CAPTURE(t);
        const Expansion expansion = expand(chain, rows, row, t);
        double log_sum = expansion.remainder;
        for (const double term : expansion.terms) log_sum += term;
        CHECK(std::abs(log_sum - chain.log_stationary()[row]) <= 1e-12);

        const Matrix<double>& terms = expansion.gradient_terms;
        REQUIRE(terms.shape(0) == 2 * (t - 1));
        const auto with_remainder = [&](Index left_out) {
          std::vector<double> sum = sum_of_rows(terms, left_out);
          for (Index i = 0; i < sum.size(); ++i) sum[i] += expansion.gradient_remainder[i];
          return sum;
        };
        CHECK(distance(with_remainder(terms.shape(0)), row_of(exact, row).data()) <= gradient_tolerance());
        for (Index left_out = 0; left_out < std::min<Index>(terms.shape(0), 4); ++left_out)
          CHECK(distance(with_remainder(left_out), row_of(exact, row).data()) > 10 * gradient_tolerance());

        // Without the remainder it is contrastive divergence, of which CD-0 is nothing (equation 4.1).
        if (t > 1) {
          const Matrix<double> cd = expected_contrastive_divergences(chain, rows, t - 1);
          CHECK(distance(sum_of_rows(terms, terms.shape(0)), row_of(cd, row).data()) <= gradient_tolerance());
        }
        double most = 0.0;
        for (const double r : expansion.gradient_remainder) most = std::max(most, std::abs(r));
        CHECK(most <= expansion.remainder_bound + gradient_tolerance());
      }
    }
  }
}

TEST_CASE("a deviation from the model's law shrinks as the expansion grows") {
  const auto model = random_rbm(4, 3, 7, 1.0);
  const ExactChain chain(*model);
  const Expansion at_once = expand(chain, chain.states(), 3, 1), later = expand(chain, chain.states(), 3, 11);
  CHECK(at_once.largest_deviation == doctest::Approx(1.0 - chain.stationary()[3]));
  CHECK(later.largest_deviation < 1e-3 * at_once.largest_deviation);
}

TEST_CASE("half a step more leaves the negative phase at the hidden state that was drawn last") {
  const auto model = random_rbm(4, 3, 5, 2.0);
  const ExactChain chain(*model);
  const Chains& rows = chain.states();
  for (const Index t : {Index{1}, Index{2}, Index{4}}) {
    const Index row = 9;
    CAPTURE(t);
    // −∂F(x_1) + E[∂F(H_t) | x_1], where ∂F(h)/∂θ = E[∂E/∂θ | h].
    Matrix<double> law = chain.start(rows);
    for (Index s = 1; s < t; ++s) chain.advance(law);
    const Matrix<double> gradients = chain.energy_gradients();
    std::vector<double> expected(gradients.shape(1));
    for (Index i = 0; i < expected.size(); ++i) expected[i] = -gradients(row, i);
    const ParameterLayout& p = model->parameter_layout();
    for (Index h = 0; h < chain.latent_space().size(); ++h) {
      double mass = 0.0;
      for (Index x = 0; x < chain.num_states(); ++x) mass += law(row, x) * chain.latent_given_observed()(x, h);
      std::vector<double> mean(4, 0.0);  // of the visible units given h
      for (Index x = 0; x < chain.num_states(); ++x)
        for (Index j = 0; j < 4; ++j) mean[j] += chain.observed_given_latent()(h, x) * static_cast<double>(x >> j & 1);
      for (Index j = 0; j < 4; ++j) {
        expected[p[p.find("bias.visible")].offset + j] -= mass * mean[j];
        for (Index i = 0; i < 3; ++i)
          expected[p[p.find("weight.visible.hidden")].offset + j * 3 + i] -=
              mass * mean[j] * static_cast<double>(h >> i & 1);
      }
      for (Index i = 0; i < 3; ++i)
        expected[p[p.find("bias.hidden")].offset + i] -= mass * static_cast<double>(h >> i & 1);
    }
    const std::vector<double> got = half_step_truncation(chain, rows, row, t);
    CHECK(distance(got, expected.data()) <= gradient_tolerance());
    // Equation 5.2 has no gradient for the hidden biases.
    if (t == 1)
      for (Index i = 0; i < 3; ++i) CHECK(std::abs(got[p[p.find("bias.hidden")].offset + i]) <= gradient_tolerance());
  }
}

TEST_CASE("only a chain with two halves can be expanded") {
  const auto model = golden_model(true);
  const ExactChain chain(*model);
  CHECK_THROWS_WITH_AS(
      expand(chain, chain.states(), 0, 2),
      "the expansion of the log likelihood needs observed units that are independent given the latent ones "
      "and the reverse, as in an RBM.",
      CapabilityError);
}

}  // namespace expansion_test
