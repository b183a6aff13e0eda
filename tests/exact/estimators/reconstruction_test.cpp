// The reconstruction errors of Bengio & Delalleau (2009), section 5, against their definitions, and their gradients against
// differences; by draws against the sum over all latent states.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/reconstruction.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/exact/transition.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace reconstruction_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, RandomSource{1, 0}};
const std::vector<double> weights{0.5, 0.125, 0.0, 1.0, 0.25};

std::vector<Example> models() {
  std::vector<Example> all;
  for (Example& m : example_models())
    if (offers_reconstruction(*m.model)) all.push_back(std::move(m));
  all.push_back({"spin RBM", small_spin_rbm()});
  all.push_back({"categorical RBM", small_categorical()});
  return all;
}

std::vector<Oracle::State> some_rows(const Oracle& oracle) {
  const auto all = oracle.states(oracle.layout().observed(), Oracle::State(oracle.columns(), 7.0));
  std::vector<Oracle::State> rows;
  for (Index i = 0; i < 5; ++i) rows.push_back(all[(i * i + 3 * i + 1) % all.size()]);
  return rows;
}

double log_p_given(const Oracle& oracle, LayerSet free, const Oracle::State& x) {
  return -oracle.energy(x) - oracle.log_sum(free, x);
}

/// E[h | x] in the places of the latent units.
Oracle::State with_means(const Oracle& oracle, const Oracle::State& x) {
  const LayerSet latent = oracle.layout().latent();
  const double log_sum = oracle.log_sum(latent, x);
  Oracle::State mean = x;
  for (const LayerId l : oracle.layout().ids())
    for (Index c = 0; latent.contains(l) && c < oracle.layout()[l].columns(); ++c) mean[oracle.first(l) + c] = 0.0;
  oracle.for_each(latent, x, [&](const Oracle::State& s) {
    const double p = std::exp(-oracle.energy(s) - log_sum);
    for (const LayerId l : oracle.layout().ids())
      for (Index c = oracle.first(l); latent.contains(l) && c < oracle.first(l) + oracle.layout()[l].columns(); ++c)
        mean[c] += p * s[c];
  });
  return mean;
}

/// The weighted error; where `frozen` is given, with the latent law or means of that oracle in place of its own.
double error_of(const Oracle& oracle, const std::vector<Oracle::State>& rows, bool mean,
                const Oracle* frozen = nullptr) {
  const LayerSet visible = oracle.layout().observed(), latent = oracle.layout().latent();
  const Oracle& law = frozen ? *frozen : oracle;
  double sum = 0.0;
  for (Index r = 0; r < rows.size(); ++r) {
    if (mean) {
      sum -= weights[r] * log_p_given(oracle, visible, with_means(law, rows[r]));
      continue;
    }
    const double log_sum = law.log_sum(latent, rows[r]);
    oracle.for_each(latent, rows[r], [&](const Oracle::State& s) {
      sum -= weights[r] * std::exp(-law.energy(s) - log_sum) * log_p_given(oracle, visible, s);
    });
  }
  return sum;
}

ReconstructionOptions options_of(ReconstructionFrom latent, bool through_latent, Index draws = 2) {
  ReconstructionOptions options;
  options.latent = latent;
  options.through_latent = through_latent;
  options.num_draws = draws;
  return options;
}

GradientEstimator::Report estimate(Reconstruction& estimator, const EnergyModel& model, const Chains& rows,
                                   std::span<const double> row_weights, std::vector<Real>& gradient, int threads = 2) {
  const Executor work(threads);
  Posterior posterior;
  gradient.assign(model.parameters().size(), Real{-5});
  return estimator.estimate(model, {rows, row_weights, posterior}, gradient, {work, RandomSource{3, 0}});
}

}  // namespace

TEST_CASE("the golden RBM's reconstruction errors are those of its rows") {
  const auto model = golden_model(false);
  const double bound = in_double ? 1e-12 : 1e-5;
  for (Index r = 0; r < golden::num_rows; ++r) {
    Batch row(model->layout(), {golden_rows()[r]});
    std::vector<Real> gradient(model->parameters().size());
    Reconstruction mean, all(options_of(ReconstructionFrom::all, true));
    CHECK(std::abs(*mean.estimate(*model, row.view(), gradient, execution).loss -
                   golden::rbm::reconstruction_error[r]) <= bound);
    CHECK(std::abs(*all.estimate(*model, row.view(), gradient, execution).loss -
                   golden::rbm::stochastic_reconstruction_error[r]) <= bound);
  }
}

TEST_CASE("reconstruction errors are their definitions, and their gradients the derivatives, whole or broken off") {
  for (const Example& m : models()) {
    CAPTURE(m.name);
    LayeredModel& model = *m.model;
    const Oracle oracle(model);
    const auto states = some_rows(oracle);
    const Chains rows = oracle.chains(states);
    for (const ReconstructionFrom from : {ReconstructionFrom::mean, ReconstructionFrom::all}) {
      const bool mean = from == ReconstructionFrom::mean;
      CAPTURE(mean);
      for (const bool through : {true, false}) {
        CAPTURE(through);
        Reconstruction estimator(options_of(from, through));
        estimator.check(model);
        std::vector<Real> gradient;
        const auto report = estimate(estimator, model, rows, weights, gradient);
        const double units = static_cast<double>(oracle.columns()), size = units * oracle.scale();
        // The means are kept in Real.
        CHECK(std::abs(*report.loss - error_of(oracle, states, mean)) <=
              rounding<double>(64.0, size) + (mean ? rounding(16.0, size) : 0.0));
        const double h = 0x1p-9;
        const double bound =
            1.5 * rounding<double>(64.0, size) / h + 100.0 * size * std::pow(h, 4) / 30.0 + rounding(256.0, 4.0 * size);
        for (const std::vector<Index>& entries : free_parameters(model)) {
          const double slope = derivative(model, entries, h, [&] {
            return std::vector<double>{error_of(Oracle(model), states, mean, through ? nullptr : &oracle)};
          })[0];
          for (const Index i : entries) {
            CAPTURE(i);
            CHECK(std::abs(static_cast<double>(gradient[i]) - (learned(model, i) ? slope : 0.0)) <= bound);
          }
        }
        if (through) continue;
        // Broken off, it teaches the latent biases nothing.
        for (const ParameterBlock& b : model.parameter_layout().blocks())
          if (b.role == ParameterRole::bias && model.layout()[b.layers[0]].role == Role::latent)
            for (Index i = b.offset; i < b.offset + b.size(); ++i)
              CHECK(std::abs(static_cast<double>(gradient[i])) <= rounding(64.0));
      }
    }
  }
}

TEST_CASE("the mean-field error of Gaussian units has the slope of its own value") {
  const auto gaussian = std::make_shared<GaussianUnit>();
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(random_model({{observed("v", 3, gaussian), latent("h", 3)}, {{0, 1}}, {0}}, 3));
  machines.push_back(random_model({{observed("v", 3), latent("h", 2, gaussian)}, {{0, 1}}, {1}}, 4));
  machines.push_back(random_model({{observed("v", 2, gaussian), latent("h", 2, gaussian)}, {{0, 1}}, {0, 1}}, 5, 0.4));
  for (const auto& model : machines) {
    const Oracle oracle(*model);
    std::vector<Oracle::State> states;
    for (Index r = 0; r < 5; ++r) {
      states.emplace_back(oracle.columns(), 0.0);
      for (Index c = 0; c < 3; ++c) states.back()[c] = ((r * 3 + c * 2) % 4 < 2) ? 1.0 : 0.0;
    }
    const Chains rows = oracle.chains(states);
    std::vector<Real> gradient, unused;
    Reconstruction estimator;
    estimator.check(*model);
    estimate(estimator, *model, rows, weights, gradient);
    if constexpr (!in_double) continue;  // the value is of means in Real: its differences say nothing there
    for (const std::vector<Index>& entries : free_parameters(*model)) {
      const double slope = derivative(*model, entries, 0x1p-8, [&] {
        return std::vector<double>{*estimate(estimator, *model, rows, weights, unused).loss};
      })[0];
      // Rounding of an error of at most 100 nats over h, and h⁴/30 of a fifth derivative below 1000.
      const double bound = 1.5 * rounding<double>(64.0, 100.0) / 0x1p-8 + 1000.0 * std::pow(0x1p-8, 4) / 30.0;
      for (const Index i : entries) CHECK(std::abs(static_cast<double>(gradient[i]) - slope) <= bound);
    }
  }
}

TEST_CASE("the mean over draws is the sum over all latent states, and breaking off is found out" *
          doctest::test_suite("slow")) {
  const auto model = golden_model(false);
  std::vector<std::vector<double>> copies;
  for (Index c = 0; c < 200; ++c)
    for (const auto& row : golden_rows()) copies.push_back(row);
  Batch batch(model->layout(), copies);
  const auto exact = [&](bool through) {
    std::vector<Real> gradient;
    Reconstruction all(options_of(ReconstructionFrom::all, through));
    estimate(all, *model, Batch(model->layout(), golden_rows()).rows, std::vector<double>(5, 0.2), gradient);
    return std::vector<double>(gradient.begin(), gradient.end());
  };
  const std::vector<double> whole = exact(true), broken_off = exact(false);
  for (const Index draws : {Index{1}, Index{3}}) {
    CAPTURE(draws);
    for (const bool through : {true, false}) {
      CAPTURE(through);
      Reconstruction estimator(options_of(ReconstructionFrom::draws, through, draws));
      const Repeats mean(200, [&](std::vector<Real>& g) { estimate(estimator, *model, batch.rows, batch.weights, g); });
      CHECK(mean.worst(through ? whole : broken_off) < mean.threshold());
      CHECK(mean.worst(through ? broken_off : whole) > mean.threshold());
    }
  }
}

TEST_CASE("draws of reconstructions are the same on any number of threads, and go on after a restart") {
  const auto model = golden_model(false);
  std::vector<std::vector<double>> copies;
  for (Index c = 0; c < 60; ++c) copies.push_back(golden_rows()[c % 5]);
  Batch batch(model->layout(), copies);
  Reconstruction one(options_of(ReconstructionFrom::draws, true)), three(options_of(ReconstructionFrom::draws, true)),
      restored(options_of(ReconstructionFrom::draws, true));
  std::vector<Real> a, b, c;
  estimate(one, *model, batch.rows, batch.weights, a, 1);
  estimate(three, *model, batch.rows, batch.weights, b, 3);
  CHECK(a == b);
  StateArchive saved;
  one.state(saved);
  StateArchive loaded(saved.fields(), {});
  restored.state(loaded);
  estimate(one, *model, batch.rows, batch.weights, b, 1);
  estimate(restored, *model, batch.rows, batch.weights, c, 1);
  CHECK(a != b);
  CHECK(b == c);
}

TEST_CASE("what reconstruction errors cannot serve is refused") {
  CHECK(message_of<CapabilityError>([] { Reconstruction().check(*golden_model(true)); }) ==
        "estimator 'reconstruction_error': it takes latent units that are independent given the observed ones, and the "
        "reverse. Try 'pseudo_likelihood' or 'pcd'.");
  CHECK(message_of<CapabilityError>(
            [] { Reconstruction(options_of(ReconstructionFrom::all, true)).check(*random_rbm(3, 20, 1)); }) ==
        "estimator 'reconstruction_error': latent = \"all\" would visit 2^20 states for each row, and at most 2^12 "
        "are. Set "
        "latent = \"draws\".");
  CHECK(message_of<ConfigError>([] { options_of(ReconstructionFrom::mean, true, 5).validate(); }) ==
        "'num_draws' is 5, but the latent units are not drawn. Set latent = \"draws\".");
}

}  // namespace reconstruction_test
