#include <harmonium/framework/inference/expansion.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <xtensor/xmath.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/products.hpp>
#include <harmonium/framework/inference/contrastive_bias.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void check_halves(const ExactChain& chain) {
  if (!chain.has_halves())
    throw CapabilityError(
        "the expansion of the log likelihood needs observed units that are independent given the latent ones and the "
        "reverse, as in an RBM.");
}

/// The laws of H_s and of (X_s, H_s) or (X_{s+1}, H_s), all given one x_1.
class PairLaws {
 public:
  explicit PairLaws(const ExactChain& chain) : chain_(chain), states_(chain.states()) {}

  /// Σ_{x,h} law(x, h) ∂E(x, h)/∂θ.
  template <class Law>
  std::vector<double> mean_energy_gradient(const Law& law) {
    const EnergyModel& model = chain_.model();
    const Index num_states = chain_.num_states();
    std::vector<Real> gradient(model.parameters().size(), Real{0});
    std::vector<double> weights(num_states);
    Chains one(model.layout(), 1);
    for (std::uint64_t h = 0; h < chain_.latent_space().size(); ++h) {
      chain_.latent_space().write(h, h + 1, one);
      states_.copy_to_all(chain_.latent_space().layers(), one, 0);
      for (Index x = 0; x < num_states; ++x) weights[x] = law(x, h);
      model.add_gradient(states_, weights, gradient, executor_);
    }
    return {gradient.begin(), gradient.end()};
  }
  /// Σ of a law of states of `layers` (in `rows`) times ∂F/∂θ, all other layers summed out.
  std::vector<double> mean_free_energy_gradient(LayerSet layers, const Chains& rows,
                                                std::span<const double> law) const {
    std::vector<Real> gradient(chain_.model().parameters().size(), Real{0});
    chain_.model().free_energy()->add_gradient(layers, rows, law, gradient, executor_);
    return {gradient.begin(), gradient.end()};
  }

 private:
  const ExactChain& chain_;
  Chains states_;
  Executor executor_{1};
};

Chains latent_states(const ExactChain& chain) {
  Chains rows(chain.model().layout(), chain.latent_space().size());
  chain.latent_space().write(0, chain.latent_space().size(), rows);
  return rows;
}

/// law · log conditional's expectation, terms of probability 0 left out.
double mean_log(double probability, double conditional) {
  return probability == 0.0 ? 0.0 : probability * std::log(conditional);
}

/// The gradients of the terms, whole or with half a step more, as they are defined: none is simplified against another.
class GradientTerms {
 public:
  GradientTerms(const ExactChain& chain, const Chains& latent) : chain_(chain), pairs_(chain), latent_(latent) {}

  /// E[∂log P(X_s | H_s)/∂θ], ∂log P(x | h) = −∂E(x, h) + ∂F(h).
  std::vector<double> observed_given_latent(const Matrix<double>& x_law, const Matrix<double>& h_law) {
    return difference(pairs_.mean_free_energy_gradient(chain_.latent_space().layers(), latent_, row_of(h_law, 0)),
                      pairs_.mean_energy_gradient(
                          [&](Index x, Index h) { return x_law(0, x) * chain_.latent_given_observed()(x, h); }));
  }
  /// E[∂log P(H_s | X_{s+1})/∂θ], ∂log P(h | x) = −∂E(x, h) + ∂F(x).
  std::vector<double> latent_given_observed(const Matrix<double>& h_law, const Matrix<double>& next_law) {
    return difference(pairs_.mean_free_energy_gradient(chain_.space().layers(), chain_.states(), row_of(next_law, 0)),
                      pairs_.mean_energy_gradient(
                          [&](Index x, Index h) { return h_law(0, h) * chain_.observed_given_latent()(h, x); }));
  }

 private:
  static std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
    std::ranges::transform(a, b, a.begin(), std::minus());
    return a;
  }
  const ExactChain& chain_;
  PairLaws pairs_;
  const Chains& latent_;
};

Matrix<double> law_of_row(const ExactChain& chain, const Chains& rows, Index row) {
  Matrix<double> law = zeros<double>(1, chain.num_states());
  law(0, chain.space().number(rows, row)) = 1.0;
  return law;
}

}  // namespace

PathExpansion expand_path(const ExactChain& chain, std::span<const std::uint64_t> observed,
                          std::span<const std::uint64_t> latent) {
  check_halves(chain);
  if (observed.size() != latent.size() + 1)
    throw ConfigError("a path x_1, h_1, x_2, … x_t has one state of the observed layers more than of the latent ones.");
  const Matrix<double>&forward = chain.latent_given_observed(), &backward = chain.observed_given_latent();
  PathExpansion result;
  for (Index s = 0; s < latent.size(); ++s) {
    const std::uint64_t x = observed[s], h = latent[s], next = observed[s + 1];
    result.terms.push_back(std::log(backward(h, x)) - std::log(forward(x, h)) + std::log(forward(next, h)) -
                           std::log(backward(h, next)));
  }
  result.remainder = chain.log_stationary()[observed.back()];
  return result;
}

Expansion expand(const ExactChain& chain, const Chains& rows, Index row, Index t) {
  check_halves(chain);
  const Matrix<double>&forward = chain.latent_given_observed(), &backward = chain.observed_given_latent();
  const Index num_parameters = chain.model().parameters().size();
  const Chains latent = latent_states(chain);
  GradientTerms terms(chain, latent);
  Expansion result;
  result.gradient_terms = zeros<double>(2 * (t - 1), num_parameters);
  Matrix<double> law = law_of_row(chain, rows, row);
  for (Index s = 1; s < t; ++s) {
    const Matrix<double> h_law = product(law, forward), next = product(h_law, backward);
    double term = 0.0;
    for (Index x = 0; x < forward.shape(0); ++x)
      for (Index h = 0; h < forward.shape(1); ++h) {
        const double now = law(0, x) * forward(x, h), then = h_law(0, h) * backward(h, x);
        term += mean_log(now, backward(h, x)) - mean_log(now, forward(x, h)) + mean_log(then, forward(x, h)) -
                mean_log(then, backward(h, x));
      }
    result.terms.push_back(term);
    std::ranges::copy(terms.observed_given_latent(law, h_law), row_of(result.gradient_terms, 2 * s - 2).begin());
    std::ranges::copy(terms.latent_given_observed(h_law, next), row_of(result.gradient_terms, 2 * s - 1).begin());
    law = next;
  }
  // ∂log P(x) = −∂F(x) + Σ P ∂F
  const Matrix<double> gradients = chain.energy_gradients();
  Vector<double> mean = zeros<double>(num_parameters);
  for (Index x = 0; x < gradients.shape(0); ++x)
    xt::noalias(mean) += chain.stationary()[x] * as_xtensor(row_of(gradients, x));
  result.gradient_remainder.assign(num_parameters, 0.0);
  double steepest = 0.0;
  for (Index x = 0; x < gradients.shape(0); ++x) {
    if (law(0, x) > 0.0) result.remainder += law(0, x) * chain.log_stationary()[x];
    result.largest_deviation = std::max(result.largest_deviation, std::abs(law(0, x) - chain.stationary()[x]));
    const Vector<double> score = mean - as_xtensor(row_of(gradients, x));
    steepest = std::max(steepest, xt::amax(xt::abs(score))());
    in_place(std::span(result.gradient_remainder)) += law(0, x) * score;
  }
  result.remainder_bound = steepest * static_cast<double>(chain.num_states()) * result.largest_deviation;
  return result;
}

std::vector<double> half_step_truncation(const ExactChain& chain, const Chains& rows, Index row, Index t) {
  const Expansion whole = expand(chain, rows, row, t);
  const Chains latent = latent_states(chain);
  Matrix<double> law = law_of_row(chain, rows, row);
  for (Index s = 1; s < t; ++s) chain.advance(law);
  std::vector<double> sum =
      GradientTerms(chain, latent).observed_given_latent(law, product(law, chain.latent_given_observed()));
  for (Index s = 0; s < whole.gradient_terms.shape(0); ++s)
    in_place(std::span(sum)) += as_xtensor(row_of(whole.gradient_terms, s));
  return sum;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
