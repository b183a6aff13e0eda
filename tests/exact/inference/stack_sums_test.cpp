// Sums over the latent units of a stack, machine by machine, against sums over all its joint states.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/stack_sums.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stack_oracle.hpp>

namespace stack_sums_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using State = Oracle::State;
const Executor executor(2);
constexpr double tolerance = 1000 * std::numeric_limits<Real>::epsilon();

template <class... Machines>
std::unique_ptr<Stack> stack_of(Machines... machines) {
  std::vector<std::unique_ptr<EnergyModel>> all;
  (all.push_back(std::move(machines)), ...);
  return std::make_unique<Stack>(StackOptions{std::move(all)});
}

std::unique_ptr<EnergyModel> rbm(Index visible, Index hidden, std::uint64_t seed, double spread = 1.0) {
  auto model = make_rbm({.num_visible = visible, .num_hidden = hidden});
  randomize(*model, seed, spread);
  return model;
}

/// Two hidden layers side by side, of which the machine above sees both.
std::unique_ptr<Stack> side_by_side() {
  return stack_of(random_machine(binary_layers({4, 2, 3}, {true, false, false}, {{0, 1}, {0, 2}}), 1.0, 1),
                  random_machine(binary_layers({2, 3, 2}, {true, true, false}, {{0, 2}, {1, 2}}), 1.0, 2));
}

/// Units of three states between, and two machines above each other that see them.
std::unique_ptr<Stack> of_three_states() {
  const auto three = [] { return std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3}); };
  auto below = make_rbm({.num_visible = 4, .num_hidden = 3, .hidden_units = three()});
  auto middle = make_rbm({.num_visible = 3, .num_hidden = 2, .visible_units = three(), .hidden_units = three()});
  auto top = make_rbm({.num_visible = 2, .num_hidden = 2, .visible_units = three()});
  randomize(*below, 3);
  randomize(*middle, 4);
  randomize(*top, 5);
  return stack_of(std::move(below), std::move(middle), std::move(top));
}

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log(std::exp(a - high) + std::exp(b - high));
}

/// log Σ exp(−E) over the latent units, by the definition of the law.
double log_sum(const StackOracle& loops, const State& data) {
  double sum = -INFINITY;
  loops.all.for_each(loops.layout.latent(), data, [&](const State& x) { sum = log_add(sum, loops.log_joint(x)); });
  return sum;
}

}  // namespace

TEST_CASE("sums machine by machine are those over all joint states, of several layers and of three states") {
  for (const auto& stack : {side_by_side(), of_three_states(), stack_of(rbm(4, 3, 7), rbm(3, 4, 8), rbm(4, 2, 9))}) {
    const StackOracle loops(*stack);
    const std::vector<State> data = loops.all.states(stack->layout().observed());
    const Chains rows = loops.all.chains(data);
    const std::vector<double> energies = StackSums(*stack, executor).free_energies(rows, executor);
    CHECK(free_energies(*stack, rows, 1.0, executor) == energies);
    CHECK(StackSums(*stack, Executor(1)).free_energies(rows, Executor(1)) == energies);
    for (Index r = 0; r < data.size(); ++r) {
      CAPTURE(r);
      CHECK(std::abs(-energies[r] - log_sum(loops, data[r])) <= tolerance * (1.0 + std::abs(energies[r])));
    }
  }
}

TEST_CASE("a row whose states weigh nothing beside others' keeps its sum, by logarithms") {
  // Weights so large that e^{…} of the states a row prefers is no number beside that of the states the top machine does.
  const auto stack = stack_of(rbm(4, 3, 1, 600.0), rbm(3, 2, 2, 1200.0));
  const StackOracle loops(*stack);
  const std::vector<State> data = loops.all.states(stack->layout().observed());
  const std::vector<double> energies = StackSums(*stack, executor).free_energies(loops.all.chains(data), executor);
  double largest = -INFINITY, least_left = 0.0;
  loops.each[0].for_each(loops.each[0].layout().latent(), State(loops.each[0].columns(), 0.0), [&](const State& h) {
    State above(loops.each[1].columns(), 0.0);
    std::copy_n(h.begin() + 4, 3, above.begin());
    largest = std::max(largest, -loops.each[0].log_sum(loops.each[0].layout().observed(), h) -
                                    loops.each[1].free_energy(loops.each[1].layout().observed(), above));
  });
  for (Index r = 0; r < data.size(); ++r) {
    CAPTURE(r);
    const double expected = log_sum(loops, data[r]);
    CHECK(std::abs(-energies[r] - expected) <= tolerance * (1.0 + std::abs(expected)));
    const double of_row = loops.each[0].free_energy(loops.each[0].layout().observed(), loops.part(0, data[r]));
    least_left = std::min(least_left, expected + of_row - largest);
  }
  CHECK(least_left < std::log(std::numeric_limits<double>::min()));  // or no row would have needed them
}

}  // namespace stack_sums_test
