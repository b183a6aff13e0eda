// The up-down algorithm against differences of the functions that it follows, which are sums over all states.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/wake_sleep.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stack_gradients.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/exact/estimators/repeats.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/stack_oracle.hpp>

namespace wake_sleep_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using State = Oracle::State;
const Executor executor(2);

std::unique_ptr<EnergyModel> stack_of(std::vector<std::unique_ptr<EnergyModel>> machines, bool untied,
                                      std::uint64_t seed) {
  auto stack = std::make_unique<Stack>(StackOptions{std::move(machines), untied});
  randomize(*stack, seed);
  return stack;
}

std::unique_ptr<EnergyModel> two(bool untied = true) {
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 3}));
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 2}));
  return stack_of(std::move(machines), untied, 3);
}

/// Of several kinds of units.
std::unique_ptr<EnergyModel> three(bool untied = true) {
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(make_rbm({.num_visible = 1,
                               .num_hidden = 2,
                               .num_labels = 2,
                               .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3}),
                               .hidden_units = std::make_unique<SpinUnit>()}));
  machines.push_back(make_rbm({.num_visible = 2, .num_hidden = 2, .visible_units = std::make_unique<SpinUnit>()}));
  machines.push_back(make_rbm({.num_visible = 2, .num_hidden = 2}));
  return stack_of(std::move(machines), untied, 4);
}

/// A law of the layers below the top's latent ones: each state with its probability.
struct Law {
  std::vector<State> states;
  std::vector<double> weights;
};

/// The data, each state of it with its weight.
Law data_of(const StackOracle& loops) {
  Law data{loops.all.states(loops.layout.observed()), {}};
  double sum = 0.0;
  for (Index r = 0; r < data.states.size(); ++r) data.weights.push_back(1.0 + static_cast<double>((7 * r) % 5));
  for (const double w : data.weights) sum += w;
  for (double& w : data.weights) w /= sum;
  return data;
}

/// The wake states: Q from the data up.
Law wake(const StackOracle& loops, const Law& data) {
  Law law;
  for (Index r = 0; r < data.states.size(); ++r)
    loops.all.for_each(loops.below_top() - loops.layout.observed(), data.states[r], [&](const State& x) {
      law.states.push_back(x);
      law.weights.push_back(data.weights[r] * std::exp(loops.log_up(x)));
    });
  return law;
}

/// What the visible units of the top machine hold, as a key.
State key_of(const StackOracle& loops, const State& x) {
  State own = loops.part(loops.top(), x);
  const Oracle& top = loops.each[loops.top()];
  State key;
  for (const LayerId l : top.layout().ids(top.layout().observed()))
    for (Index c = 0; c < top.layout()[l].columns(); ++c) key.push_back(own[top.first(l) + c]);
  return key;
}

/// The law of the top machine's visible units after `steps` of Gibbs sampling from `start`; keys as above.
std::map<State, double> moved(const StackOracle& loops, const Law& start, Index steps) {
  const Oracle& top = loops.each[loops.top()];
  const LayerSet observed = top.layout().observed(), latent = top.layout().latent();
  const std::vector<State> seen = top.states(observed);
  std::map<State, double> now;
  for (Index i = 0; i < start.states.size(); ++i) now[key_of(loops, start.states[i])] += start.weights[i];
  const auto key = [&](const State& own) {
    State k;
    for (const LayerId l : top.layout().ids(observed))
      for (Index c = 0; c < top.layout()[l].columns(); ++c) k.push_back(own[top.first(l) + c]);
    return k;
  };
  for (Index s = 0; s < steps; ++s) {
    std::map<State, double> next;
    for (const State& v : seen) {
      const double up = top.log_sum(latent, v);
      top.for_each(latent, v, [&](const State& vh) {
        const double reached = now[key(v)] * std::exp(-top.energy(vh) - up), down = top.log_sum(observed, vh);
        top.for_each(observed, vh, [&](const State& x) { next[key(x)] += reached * std::exp(-top.energy(x) - down); });
      });
    }
    now = std::move(next);
  }
  return now;
}

/// The sleep states: from that law down.
Law asleep_from(const StackOracle& loops, const std::map<State, double>& top) {
  Law law;
  for (State& x : loops.all.states(loops.below_top())) {
    law.weights.push_back(top.at(key_of(loops, x)) * std::exp(loops.log_down(x)));
    law.states.push_back(std::move(x));
  }
  return law;
}

/// Σ of a law's weights times `f`, f being log_down, log_up or the like of the stack at its present parameters.
template <class F>
double sum_over(const Law& law, const F& f) {
  double sum = 0.0;
  for (Index i = 0; i < law.states.size(); ++i) sum += law.weights[i] * f(law.states[i]);
  return sum;
}

/// ∂f/∂θ by differences.
std::vector<double> slope(EnergyModel& stack, const std::function<double(const StackOracle&)>& f) {
  std::vector<double> all(stack.parameter_layout().size(), 0.0);
  for (const auto& entries : free_parameters(stack))
    all[entries.front()] = derivative(stack, entries, 1.0 / 64, [&] { return std::vector{f(StackOracle(stack))}; })[0];
  return all;
}

double distance(const std::vector<double>& a, std::span<const Real> b) {
  double most = 0.0;
  for (Index i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - static_cast<double>(b[i])));
  return most;
}

/// Differences of fourth order at 1/64 leave some 1e-8 of these functions; sums in single precision their rounding.
const double tolerance = std::max(2e-7, 400.0 * static_cast<double>(std::numeric_limits<Real>::epsilon()));

/// That of `function` in one call, of a law's states.
std::vector<Real> gradient_of(const EnergyModel& stack, const StackOracle& loops, const Law& law,
                              decltype(add_generative_gradient) function) {
  std::vector<Real> gradient(stack.parameter_layout().size());
  function(*stacked_machines(stack), loops.all.chains(law.states), law.weights, gradient, executor);
  return gradient;
}

}  // namespace

TEST_CASE(
    "the wake gradient is that of E_Q log p of the machines below the top, the sleep gradient that of E_p log Q") {
  for (const bool untied : {true, false})
    for (const auto& stack : {two(untied), three(untied)}) {
      const StackOracle loops(*stack);
      const Law awake = wake(loops, data_of(loops)), asleep = asleep_from(loops, moved(loops, awake, 1));
      CHECK(sum_over(awake, [](const State&) { return 1.0; }) == doctest::Approx(1.0));
      CHECK(sum_over(asleep, [](const State&) { return 1.0; }) == doctest::Approx(1.0));
      const auto generative = slope(*stack, [&](const StackOracle& now) {
        return -sum_over(awake, [&](const State& x) { return now.log_down(x); });
      });
      const auto recognition = slope(*stack, [&](const StackOracle& now) {
        return -sum_over(asleep, [&](const State& x) { return now.log_up(x); });
      });
      CHECK(distance(generative, gradient_of(*stack, loops, awake, add_generative_gradient)) < tolerance);
      CHECK(distance(recognition, gradient_of(*stack, loops, asleep, add_recognition_gradient)) < tolerance);
      // The control: with the wake states the recognition gradient is another one.
      CHECK(distance(recognition, gradient_of(*stack, loops, awake, add_recognition_gradient)) > 1e-3);
    }
}

TEST_CASE("the mean of up-down estimates is what both functions and contrastive divergence of the top machine give") {
  constexpr Index steps = 2, copies = 40, repeats = 400;
  for (const auto& stack : {two(), three()}) {
    const StackOracle loops(*stack);
    const Law data = data_of(loops), awake = wake(loops, data);
    const Law asleep = asleep_from(loops, moved(loops, awake, steps));
    const auto expected = [&](const Law& of_recognition) {
      return slope(*stack, [&](const StackOracle& now) {
        double sum = -sum_over(awake, [&](const State& x) { return now.log_down(x); }) -
                     sum_over(of_recognition, [&](const State& x) { return now.log_up(x); });
        sum += sum_over(awake, [&](const State& x) { return now.top_free_energy(x); });
        return sum - sum_over(asleep, [&](const State& x) { return now.top_free_energy(x); });
      });
    };
    std::vector<State> rows;
    std::vector<double> weights;
    for (Index c = 0; c < copies; ++c)
      for (Index r = 0; r < data.states.size(); ++r) {
        rows.push_back(data.states[r]);
        weights.push_back(data.weights[r] / static_cast<double>(copies));
      }
    const Chains x = loops.all.chains(rows);
    WakeSleep estimator({.gibbs_steps = steps, .bound = true, .sampler = std::make_unique<Gibbs>(GibbsOptions{})});
    estimator.check(*stack);
    double bound = 0.0, squares = 0.0;
    Repeats estimates(repeats, [&](std::vector<Real>& gradient) {
      gradient.assign(stack->parameter_layout().size(), Real{7});
      Posterior posterior;
      const auto report = estimator.estimate(*stack, {x, weights, posterior}, gradient, {executor, RandomSource{5, 0}});
      CHECK(!report.slope);
      bound += *report.positive.bound / static_cast<double>(repeats);
      squares += *report.positive.bound * *report.positive.bound / static_cast<double>(repeats);
    });
    CHECK(estimates.worst(expected(asleep)) < estimates.threshold());
    CHECK(estimates.worst(expected(awake)) > estimates.threshold());  // the control: Q taught by the wake states
    const double right =
        sum_over(awake, [&](const State& s) { return loops.log_down(s) - loops.top_free_energy(s) - loops.log_up(s); });
    const double error = std::sqrt((squares - bound * bound) / static_cast<double>(repeats - 1));
    CHECK(std::abs(bound - right) < 6.2 * error);  // exceeded with a probability of 1e-9
  }
}

TEST_CASE("rows that all weigh nothing have the bound of rows that weigh alike") {
  const auto stack = two();
  const StackOracle loops(*stack);
  const Chains x = loops.all.chains(data_of(loops).states);
  const auto bound = [&](double weight) {
    const std::vector<double> weights(x.size(), weight);
    WakeSleep estimator({.bound = true, .sampler = std::make_unique<Gibbs>(GibbsOptions{})});
    std::vector<Real> gradient(stack->parameter_layout().size());
    Posterior posterior;
    return *estimator.estimate(*stack, {x, weights, posterior}, gradient, {executor, RandomSource{5, 0}})
                .positive.bound;
  };
  CHECK(bound(0.125) != 0.0);
  CHECK(bound(0.0) == doctest::Approx(bound(0.125)).epsilon(1e-12));
}

TEST_CASE("what cannot be fine-tuned is refused, with what to do") {
  const auto why = [](const EnergyModel& model) {
    try {
      WakeSleep({.sampler = std::make_unique<Gibbs>(GibbsOptions{})}).check(model);
    } catch (const CapabilityError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(why(*two()) == "");
  CHECK(why(*two(false)).find("model.untied = true") != std::string::npos);
  CHECK(why(*make_rbm({.num_visible = 3, .num_hidden = 2})).find("the model is none") != std::string::npos);
  CHECK_THROWS_AS(WakeSleep({}), ConfigError);
  ParallelTemperingOptions ladder;
  ladder.betas = {1.0, 0.5};
  CHECK_THROWS_AS(WakeSleep({.sampler = std::make_unique<ParallelTempering>(std::move(ladder))}), ConfigError);
}

}  // namespace wake_sleep_test
