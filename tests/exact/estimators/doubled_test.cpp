// The parts of a deep Boltzmann machine: conditionals in which one side counts twice, the gradient that they give against
// differences and against the stationary law of their chains, by sums over all states.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/doubled_conditionals.hpp>
#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace doubled_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index visible = 4, hidden = 3;
const Executor executor(2);
const Execution execution{executor, RandomSource{5, 0}};

std::unique_ptr<LayeredModel> machine() { return random_rbm(visible, hidden, 71, 1.5); }

double sigm(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// Of an RBM whose θ is that of `model`: how much the latent units see of the observed ones, and the reverse.
struct Sides {
  double up, down;
  explicit Sides(Doubled doubled)
      : up(doubled == Doubled::observed ? 2.0 : 1.0), down(doubled == Doubled::latent ? 2.0 : 1.0) {}
};

double field_up(const Oracle& o, const Sides& s, const Oracle::State& x, Index j) {
  double sum = o.bias[visible + j];
  for (Index i = 0; i < visible; ++i) sum += s.up * o.coupling(i, visible + j) * x[i];
  return sum;
}
double field_down(const Oracle& o, const Sides& s, const Oracle::State& x, Index i) {
  double sum = o.bias[i];
  for (Index j = 0; j < hidden; ++j) sum += s.down * o.coupling(i, visible + j) * x[visible + j];
  return sum;
}

/// −⟨∂E/∂θ⟩, the latent units given the observed ones by their means: of bias.visible, bias.hidden, weight.visible.hidden.
std::vector<double> statistics(const Oracle& o, const Sides& s, const std::vector<Oracle::State>& states,
                               const std::vector<double>& law) {
  std::vector<double> sum(visible + hidden + visible * hidden, 0.0);
  for (Index n = 0; n < states.size(); ++n) {
    for (Index i = 0; i < visible; ++i) sum[i] += law[n] * states[n][i];
    for (Index j = 0; j < hidden; ++j) {
      const double mean = sigm(field_up(o, s, states[n], j));
      sum[visible + j] += law[n] * mean;
      for (Index i = 0; i < visible; ++i) sum[visible + hidden + i * hidden + j] += law[n] * states[n][i] * mean;
    }
  }
  return sum;
}

/// The probability of the states of one side, its units independent with these fields.
double probability(const std::vector<double>& fields, const Oracle::State& x, Index first) {
  double p = 1.0;
  for (Index k = 0; k < fields.size(); ++k) p *= x[first + k] > 0.5 ? sigm(fields[k]) : 1.0 - sigm(fields[k]);
  return p;
}

/// The stationary law of the observed units under both conditionals in turn, and what is left to it after 2000 steps.
std::vector<double> stationary(const Oracle& o, const Sides& s) {
  const LayerSet v = o.layout().observed(), h = o.layout().latent();
  const auto rows = o.states(v);
  std::vector<double> law(rows.size(), 1.0 / static_cast<double>(rows.size()));
  for (int step = 0; step < 2000; ++step) {
    std::vector<double> next(rows.size(), 0.0);
    for (const Oracle::State& above : o.states(h)) {
      double weight = 0.0;
      for (Index n = 0; n < rows.size(); ++n) {
        std::vector<double> fields;
        for (Index j = 0; j < hidden; ++j) fields.push_back(field_up(o, s, rows[n], j));
        weight += law[n] * probability(fields, above, visible);
      }
      std::vector<double> fields;
      for (Index i = 0; i < visible; ++i) fields.push_back(field_down(o, s, above, i));
      for (Index n = 0; n < rows.size(); ++n) next[n] += weight * probability(fields, rows[n], 0);
    }
    law = next;
  }
  return law;
}

std::unique_ptr<GradientEstimator> doubled(Doubled units, Value negative, bool centering = false) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  return registries.make<GradientEstimator>(
      make_table({{"type", make_value("doubled")},
                  {"units", make_value(units == Doubled::observed ? "observed" : "latent")},
                  {"negative", std::move(negative)},
                  {"centering", make_value(centering)}}),
      effective);
}

Value integer(Index n) { return make_value(static_cast<std::int64_t>(n)); }

}  // namespace

TEST_CASE("each side of a doubled machine sees the other as often as it should") {
  const auto model = machine();
  const Oracle oracle(*model);
  const auto states = oracle.states(model->layout().all());
  const Chains x = oracle.chains(states);
  for (const Doubled units : {Doubled::observed, Doubled::latent}) {
    const DoubledConditionals conditionals(*model, units);
    const BlockConditionals& blocks = *conditionals.block_conditionals();
    for (const Block& block : blocks.blocks()) {
      std::vector<Real> values(states.size() * block.size);
      const MatrixRef out{values.data(), states.size(), block.size, block.size};
      blocks.fields(block, 0, block.size, x.real(), {.linear = out});
      for (Index n = 0; n < states.size(); ++n)
        for (Index k = 0; k < block.size; ++k) {
          const double right = block.layer == LayerId{0} ? field_down(oracle, Sides(units), states[n], k)
                                                         : field_up(oracle, Sides(units), states[n], k);
          CHECK(std::abs(static_cast<double>(out(n, k)) - right) <= rounding(16.0, 16.0));
        }
    }
    std::vector<double> energies(states.size());
    CHECK_THROWS_AS(conditionals.energy(x.real(), energies), CapabilityError);
  }
}

TEST_CASE(
    "the data's side of the gradient is that of a machine with two copies of the doubled units, a mean over these") {
  const auto model = machine();
  const Oracle oracle(*model);
  const std::vector<Oracle::State> rows{{1, 0, 0, 1, 0, 0, 0}, {1, 1, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}};
  const std::vector<double> weights{0.5, 0.125, 0.375};
  for (const Doubled units : {Doubled::observed, Doubled::latent}) {
    const Index copies_v = units == Doubled::observed ? 2 : 1, copies_h = units == Doubled::latent ? 2 : 1;
    const auto wide = make_rbm({.num_visible = copies_v * visible, .num_hidden = copies_h * hidden});
    const Index wide_v = copies_v * visible, wide_h = copies_h * hidden;
    // The entries of the wide machine that are copies of each one of the small one.
    std::vector<std::vector<Index>> copies(model->parameters().size());
    for (Index i = 0; i < wide_v; ++i) copies[i % visible].push_back(i);
    for (Index j = 0; j < wide_h; ++j) copies[visible + j % hidden].push_back(wide_v + j);
    for (Index i = 0; i < wide_v; ++i)
      for (Index j = 0; j < wide_h; ++j)
        copies[visible + hidden + (i % visible) * hidden + j % hidden].push_back(wide_v + wide_h + i * wide_h + j);
    wide->update_parameters([&](std::span<Real> theta) {
      for (Index t = 0; t < copies.size(); ++t)
        for (const Index at : copies[t]) theta[at] = model->parameters()[t];
    });
    const auto free_energy = [&] {
      const Oracle now(*wide);
      double sum = 0.0;
      for (Index n = 0; n < rows.size(); ++n) {
        Oracle::State x(now.columns(), 0.0);
        for (Index i = 0; i < wide_v; ++i) x[i] = rows[n][i % visible];
        sum += weights[n] * now.free_energy(wide->layout().observed(), x);
      }
      return std::vector<double>{sum};
    };
    const DoubledConditionals conditionals(*model, units);
    const Chains data = oracle.chains(rows);
    Posterior posterior;
    std::vector<Real> gradient(model->parameters().size(), Real{0});
    PosteriorMean().accumulate(conditionals, {data, weights, posterior}, Phase::positive, 1.0, gradient, execution);
    const double h = 0x1p-8;
    for (Index t = 0; t < gradient.size(); ++t) {
      CAPTURE(t);
      const double slope = derivative(*wide, copies[t], h, free_energy)[0] / static_cast<double>(copies[t].size());
      // Rounding of sums over h, h⁴/30 of a fifth derivative (below 5000 where four entries move), and Real's in the code.
      const double bound =
          rounding<double>(200.0, oracle.scale()) / h + 5000.0 * std::pow(h, 4) / 30.0 + rounding(64.0);
      CHECK(std::abs(static_cast<double>(gradient[t]) - slope) <= bound);
    }
  }
}

TEST_CASE(
    "chains of a doubled machine follow the stationary law of its two conditionals, and those of the machine do not") {
  const auto model = machine();
  const Oracle oracle(*model);
  const std::vector<Oracle::State> rows{{1, 0, 0, 1, 0, 0, 0}, {1, 1, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}};
  const std::vector<double> weights{0.5, 0.125, 0.375}, marginals{0.5, 0.25, 0.5, 0.75};
  const Chains data = oracle.chains(rows);
  for (const Doubled units : {Doubled::observed, Doubled::latent}) {
    CAPTURE(static_cast<int>(units));
    const auto expected = [&](const Sides& sides) {
      std::vector<double> gradient =
          statistics(oracle, sides, oracle.states(model->layout().observed()), stationary(oracle, sides));
      const std::vector<double> of_data = statistics(oracle, sides, rows, weights);
      for (Index t = 0; t < gradient.size(); ++t) gradient[t] -= of_data[t];
      return gradient;
    };
    const auto estimator = doubled(
        units,
        make_table({{"type", make_value("chains")}, {"num_chains", integer(500)}, {"gibbs_steps", integer(40)}}));
    estimator->check(*model);
    estimator->begin(*model, {.rows = rows.size()});
    const Repeats repeats(200, [&](std::vector<Real>& gradient) {
      gradient.resize(model->parameters().size());
      Posterior posterior;
      const auto report = estimator->estimate(
          *model, {.rows = data, .weights = weights, .posterior = posterior, .marginals = marginals}, gradient,
          execution);
      CHECK(!report.slope);
    });
    CHECK(repeats.worst(expected(Sides(units))) < repeats.threshold());
    Sides none(units);
    none.up = none.down = 1.0;
    CHECK(repeats.worst(expected(none)) > 2.0 * repeats.threshold());
    CHECK(repeats.worst(expected(Sides(units == Doubled::observed ? Doubled::latent : Doubled::observed))) >
          2.0 * repeats.threshold());
  }
}

TEST_CASE("what passes the check of a doubled machine runs, and samplers that ask for an energy do not pass") {
  const auto model = machine();
  const Oracle oracle(*model);
  const std::vector<Oracle::State> rows{{1, 0, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}};
  const std::vector<double> weights{0.5, 0.5}, marginals{0.5, 0.25, 0.5, 0.75};
  const Chains data = oracle.chains(rows);
  std::vector<std::string> passed;
  for (const char* sampler : {"gibbs", "flip_the_state", "metropolis", "langevin", "hmc", "locally_balanced", "exact",
                              "parallel_tempering", "swendsen_wang", "trajectory_tempering", "tempered_transitions"}) {
    CAPTURE(sampler);
    const auto estimator =
        doubled(Doubled::observed, make_table({{"type", make_value("chains")}, {"sampler", make_value(sampler)}}));
    try {
      estimator->check(*model);
    } catch (const CapabilityError&) {
      continue;
    }
    passed.emplace_back(sampler);
    estimator->begin(*model, {.rows = rows.size()});
    std::vector<Real> gradient(model->parameters().size());
    Posterior posterior;
    estimator->estimate(*model, {.rows = data, .weights = weights, .posterior = posterior, .marginals = marginals},
                        gradient, execution);
  }
  CHECK(std::ranges::count(passed, "gibbs") == 1);
  for (const char* sampler : {"parallel_tempering", "swendsen_wang", "tempered_transitions"})
    CHECK(
        message_of<CapabilityError>([&] {
          doubled(Doubled::observed, make_table({{"type", make_value("chains")}, {"sampler", make_value(sampler)}}))
              ->check(*model);
        }) ==
        "estimator 'doubled': conditionals of which one side counts twice have no energy, and the sampler asks for it. "
        "Take 'gibbs'.");
}

TEST_CASE("only restricted machines are doubled") {
  const auto estimator = doubled(Doubled::latent, make_value("chains"));
  estimator->check(*machine());
  for (const auto& other : {small_general(), small_deep(), small_semi_restricted(), small_visible()})
    CHECK(message_of<CapabilityError>([&] { estimator->check(*other); }) ==
          "estimator 'doubled': it is for restricted machines, whose latent units are independent given the observed "
          "ones "
          "and the reverse. Try the model 'rbm', or the estimator 'pcd'.");
}

TEST_CASE(
    "a centered step of a doubled machine moves each field as a step of weights and biases beside the means does") {
  const auto model = machine();
  const Oracle oracle(*model);
  const std::vector<Oracle::State> rows{{1, 0, 0, 1, 0, 0, 0}, {1, 1, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}};
  const std::vector<double> weights{0.5, 0.125, 0.375}, marginals{0.5, 0.25, 0.5, 0.75};
  const Chains data = oracle.chains(rows);
  for (const Doubled units : {Doubled::observed, Doubled::latent}) {
    const auto step = [&](GradientEstimator& estimator) {
      std::vector<Real> gradient(model->parameters().size());
      Posterior posterior;
      estimator.begin(*model, {.rows = rows.size()});
      estimator.estimate(*model, {data, weights, posterior, nullptr, marginals}, gradient, execution);
      return std::vector<double>(gradient.begin(), gradient.end());
    };
    const Value negative = make_table({{"type", make_value("chains")}, {"num_chains", integer(20)}});
    const auto centered = doubled(units, negative, true);
    // The chains are the same: they draw from the same streams.
    const std::vector<double> plain = step(*doubled(units, negative)), moved = step(*centered);
    StateArchive archive;
    centered->state(archive);
    const auto mu = std::get<std::vector<double>>(archive.fields().at("centering/offsets"));
    const auto weight = [&](Index i, Index j) { return moved[visible + hidden + i * hidden + j]; };
    // count Σ W̃ x + b̃, of the step, less count Σ W̃ (x − μ) + Δ⟨x⟩: the states x fall out.
    const auto off = [&](const Sides& count) {
      std::vector<double> left(visible + hidden);
      for (Index k = 0; k < left.size(); ++k) left[k] = moved[k] - plain[k];
      for (Index i = 0; i < visible; ++i)
        for (Index j = 0; j < hidden; ++j) {
          left[i] += count.down * weight(i, j) * mu[visible + j];
          left[visible + j] += count.up * weight(i, j) * mu[i];
        }
      return std::abs(*std::ranges::max_element(left, {}, [](double l) { return std::abs(l); }));
    };
    CHECK(off(Sides(units)) < rounding(16.0));
    Sides once(units);
    once.up = once.down = 1.0;
    CHECK(off(once) > 0.01);
  }
}

}  // namespace doubled_test
