#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace gradient_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};

template <class Positive>
std::vector<Real> gradient_of(const EnergyModel& model, const Chains& rows, std::span<const double> weights) {
  ContrastiveOptions options;
  options.positive = std::make_unique<Positive>();
  options.negative = std::make_unique<ExactPhase>();
  Contrastive estimator(std::move(options));
  estimator.check(model);
  Posterior posterior;
  std::vector<Real> gradient(model.parameters().size(), Real{-5});
  const auto report = estimator.estimate(model, {rows, weights, posterior}, gradient, execution);
  CHECK(report.positive.exact);
  CHECK(report.negative.exact);
  return gradient;
}

/// A few rows of data: states of the observed layers, the latent ones holding what has no meaning.
std::vector<Oracle::State> data_rows(const Oracle& oracle) {
  const auto all = oracle.states(oracle.layout().observed(), Oracle::State(oracle.columns(), 7.0));
  std::vector<Oracle::State> rows;
  for (Index i = 0; i < 5; ++i) rows.push_back(all[(i * i + 3 * i + 1) % all.size()]);
  return rows;
}

}  // namespace

TEST_CASE("the exact gradient is the derivative of the rows' weighted log likelihood") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const Oracle oracle(model);
    const LayerSet visible = model.layout().observed();
    const auto states = data_rows(oracle);
    const Chains rows = oracle.chains(states);
    for (const std::vector<double>& weights :
         {std::vector<double>(5, 0.2), std::vector<double>{0.5, 0.125, 0.0, 1.0, 0.25}}) {
      const std::vector<Real> gradient = gradient_of<ExactPhase>(model, rows, weights);
      const auto log_likelihood = [&] {
        const Oracle now(model);
        const double log_z = now.log_z();
        double sum = 0.0;
        for (Index r = 0; r < states.size(); ++r) sum += weights[r] * (-now.free_energy(visible, states[r]) - log_z);
        return std::vector<double>{sum};
      };
      const double h = 0x1p-9;
      std::vector<char> seen(gradient.size(), 0);
      for (const std::vector<Index>& entries : free_parameters(model)) {
        const double slope = derivative(model, entries, h, log_likelihood)[0];
        for (const Index i : entries) {
          CAPTURE(i);
          seen[i] = 1;
          bool learned = true;
          for (const ParameterBlock& b : model.parameter_layout().blocks())
            if (i >= b.offset && i < b.offset + b.size()) learned = b.learned;
          // Rounding of two log sums over h, h⁴/30 of a fifth cumulant (below 50 for these), and Real's in the code.
          const double rounding_of_sums = rounding<double>(4.0 * static_cast<double>(oracle.columns()), oracle.scale());
          const double bound = 1.5 * rounding_of_sums / h + 50.0 * std::pow(h, 4) / 30.0 + rounding(128.0, 2.0);
          CHECK(std::abs(static_cast<double>(gradient[i]) - (learned ? -slope : 0.0)) <= bound);
        }
      }
      for (Index i = 0; i < gradient.size(); ++i)
        if (!seen[i]) CHECK(gradient[i] == 0);
    }
  }
}

TEST_CASE("posterior means are the exact positive phase wherever they are offered") {
  int offered = 0, refused = 0;
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Chains rows = oracle.chains(data_rows(oracle));
    const std::vector<double> weights{0.5, 0.125, 0.0, 1.0, 0.25};
    if (!posterior_factorizes(*m.model)) {
      ++refused;
      CHECK(message_of<CapabilityError>([&] { PosteriorMean().check(*m.model, Phase::positive); }) ==
            "phase 'posterior_mean': the latent units are coupled given the observed ones, so their means are no "
            "product. "
            "Try 'mean_field', 'chains' or 'exact'.");
      continue;
    }
    ++offered;
    CHECK(gradient_of<PosteriorMean>(*m.model, rows, weights) == gradient_of<ExactPhase>(*m.model, rows, weights));
  }
  CHECK(offered > 0);
  CHECK(refused > 0);
}

TEST_CASE("the exact gradient vanishes where the rows are the model's own law") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const auto states = oracle.states(m.model->layout().observed());
    std::vector<double> weights;
    const double log_z = oracle.log_z();
    weights.reserve(states.size());
    for (const Oracle::State& x : states)
      weights.push_back(std::exp(-oracle.free_energy(m.model->layout().observed(), x) - log_z));
    for (const Real g : gradient_of<ExactPhase>(*m.model, oracle.chains(states), weights))
      CHECK(std::abs(static_cast<double>(g)) <=
            rounding(128.0, 2.0) + rounding<double>(4.0 * static_cast<double>(oracle.columns()), oracle.scale()));
  }
}

}  // namespace gradient_test
