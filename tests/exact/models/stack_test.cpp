// A stack of machines against what its definition comes to by loops over all states of each machine.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/stack_bound.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/stack_oracle.hpp>

namespace stack_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using State = Oracle::State;
const Executor executor(2);
constexpr double tolerance = 4000 * std::numeric_limits<Real>::epsilon();

std::unique_ptr<EnergyModel> rbm(Index visible, Index hidden, std::uint64_t seed) {
  auto model = make_rbm({.num_visible = visible, .num_hidden = hidden});
  randomize(*model, seed);
  return model;
}

std::unique_ptr<Stack> stack_of(std::vector<std::unique_ptr<EnergyModel>> machines) {
  return std::make_unique<Stack>(StackOptions{std::move(machines)});
}

std::unique_ptr<Stack> two() {
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(rbm(4, 3, 1));
  machines.push_back(rbm(3, 2, 2));
  return stack_of(std::move(machines));
}

/// Of several kinds of units, and with a top machine whose visible units are coupled.
std::unique_ptr<Stack> three() {
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(make_rbm({.num_visible = 2,
                               .num_hidden = 3,
                               .num_labels = 2,
                               .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3})}));
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 2}));
  machines.push_back(make_semi_restricted({.num_visible = 2, .num_hidden = 3}));
  for (Index k = 0; k < machines.size(); ++k) randomize(*machines[k], 10 + k);
  return stack_of(std::move(machines));
}

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log(std::exp(a - high) + std::exp(b - high));
}

/// With recognition weights of its own, and all parameters drawn anew.
std::unique_ptr<Stack> untied(std::unique_ptr<Stack> tied, std::uint64_t seed) {
  auto copy = stacked_machines(*tied)->untied_copy();
  randomize(*copy, seed);
  return std::unique_ptr<Stack>(dynamic_cast<Stack*>(copy.release()));
}

}  // namespace

TEST_CASE("the energy of a stack is that of the top machine and the conditionals below it, and so is log Z") {
  for (const auto& stack : {two(), three()}) {
    const StackOracle loops(*stack);
    const std::vector<State> states = loops.all.states(stack->layout().all());
    std::vector<double> energies(states.size());
    stack->energy(loops.all.chains(states), energies);
    double log_z = -INFINITY;
    for (Index s = 0; s < states.size(); ++s) {
      const double expected = -loops.log_joint(states[s]);
      CHECK(std::abs(energies[s] - expected) <= tolerance * (1.0 + std::abs(expected)));
      log_z = log_add(log_z, -expected);
    }
    CHECK(log_z == doctest::Approx(loops.each.back().log_z()).epsilon(1e-10));
    CHECK(&model_of_log_z(*stack) == &loops.machines.top());
    CHECK(Enumeration(*stack, {}, 20).log_sum(1.0, nullptr, executor) == doctest::Approx(log_z).epsilon(1e-6));
    for (const double beta : {0.5, 1.5}) {
      double at_beta = -INFINITY;
      for (const double e : energies) at_beta = log_add(at_beta, -beta * e);
      CHECK(Enumeration(*stack, {}, 20).log_sum(beta, nullptr, executor) == doctest::Approx(at_beta).epsilon(1e-6));
    }
  }
}

TEST_CASE("the likelihood of a small stack, and its bound by draws that go up") {
  for (const auto& stack : {two(), three(), untied(two(), 21), untied(three(), 22)}) {
    const StackOracle loops(*stack);
    const std::vector<State> data = loops.all.states(stack->layout().observed());
    const Chains rows = loops.all.chains(data);
    const std::vector<double> energies = free_energies(*stack, rows, 1.0, executor);
    std::vector<double> errors;
    const std::vector<double> bounds =
        stack_bounds(loops.machines, rows, 4000, {executor, RandomSource{7, 0}}, &errors);
    double widest = 0.0, chi_square = 0.0;
    for (Index r = 0; r < data.size(); ++r) {
      double log_sum = -INFINITY, bound = 0.0;
      loops.all.for_each(stack->layout().latent(), data[r], [&](const State& x) {
        const double joint = loops.log_joint(x);
        const double up = loops.log_up(x);
        log_sum = log_add(log_sum, joint);
        // The units of the top are added up in closed form: their law given the rest is the posterior itself.
        bound += std::exp(up + loops.log_up(loops.each.size() - 1, x)) *
                 (joint - up - loops.log_up(loops.each.size() - 1, x));
      });
      CHECK(-energies[r] == doctest::Approx(log_sum).epsilon(tolerance));
      CHECK(bound < log_sum);
      // 104 rows in all: 6 standard errors are exceeded with probability 2e-7.
      CHECK(std::abs(bounds[r] - bound) < 6.0 * errors[r] + tolerance * std::abs(bound));
      widest = std::max(widest, (log_sum - bound) / errors[r]);
      chi_square += (bounds[r] - bound) * (bounds[r] - bound) / (errors[r] * errors[r]);
    }
    CHECK(chi_square < 4.0 * static_cast<double>(data.size()));
    CHECK(widest > 6.0);  // the control: the sum itself is not within these errors
  }
}

TEST_CASE("a machine that is the one below it turned over leaves the likelihood as it was, without a gap") {
  const auto below = rbm(4, 3, 5);
  auto above = make_rbm({.num_visible = 3, .num_hidden = 4});
  const ParameterLayout &old = below->parameter_layout(), &own = above->parameter_layout();
  above->update_parameters([&](std::span<Real> theta) {
    const auto bias = [&](const char* to, const char* from) {
      const ParameterBlock &t = own[own.find(to)], &f = old[old.find(from)];
      std::copy_n(below->parameters().data() + f.offset, f.rows, theta.data() + t.offset);
    };
    bias("bias.visible", "bias.hidden");
    bias("bias.hidden", "bias.visible");
    const ConstMatrixRef w = old.view(old.find("weight.visible.hidden"), below->parameters().data());
    const MatrixRef turned = own.view(own.find("weight.visible.hidden"), theta.data());
    for (Index i = 0; i < w.rows; ++i)
      for (Index j = 0; j < w.cols; ++j) turned(j, i) = w(i, j);
  });
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(below->copy());
  machines.push_back(std::move(above));
  const auto stack = stack_of(std::move(machines));
  const Oracle loops(*below);
  const Chains rows = loops.chains(loops.states(below->layout().observed()));
  Chains stacked(stack->layout(), rows.size());
  stacked.copy_rows(below->layout().observed(), rows.real());
  const std::vector<double> alone = free_energies(*below, rows, 1.0, executor);
  const std::vector<double> both = free_energies(*stack, stacked, 1.0, executor);
  std::vector<double> errors;
  const std::vector<double> bounds =
      stack_bounds(*stacked_machines(*stack), stacked, 3, {executor, RandomSource{1, 0}}, &errors);
  for (Index r = 0; r < rows.size(); ++r) {
    CHECK(both[r] == doctest::Approx(alone[r]).epsilon(tolerance));
    CHECK(bounds[r] == doctest::Approx(-alone[r]).epsilon(tolerance));
    CHECK(errors[r] < tolerance);
  }
}

TEST_CASE("what is no stack is refused, with the machine that is wrong") {
  const auto refused = [](std::unique_ptr<EnergyModel> a, std::unique_ptr<EnergyModel> b) {
    std::vector<std::unique_ptr<EnergyModel>> machines;
    machines.push_back(std::move(a));
    if (b) machines.push_back(std::move(b));
    try {
      stack_of(std::move(machines));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(rbm(4, 3, 1), nullptr).find("two or more") != std::string::npos);
  CHECK(refused(rbm(4, 3, 1), rbm(4, 2, 1)).find("machine 2 has 4 units 'visible'") != std::string::npos);
  CHECK(
      refused(make_boltzmann_machine({.num_visible = 3, .num_hidden = 3}), rbm(3, 2, 1)).find("restricted machines") !=
      std::string::npos);
  CHECK(
      refused(rbm(4, 3, 1), make_rbm({.num_visible = 3, .num_hidden = 2, .num_labels = 2})).find("observes 2 layers") !=
      std::string::npos);
  CHECK(refused(rbm(4, 3, 1), make_boltzmann_machine({.num_visible = 3, .num_hidden = 3})).find("free energy") !=
        std::string::npos);
  CHECK(refused(make_fully_visible({.num_visible = 3}), rbm(3, 2, 1)).find("no latent units") != std::string::npos);
}

TEST_CASE("recognition weights that begin as those of the machines change nothing, and then the bound alone") {
  for (const auto& tied : {two(), three()}) {
    const StackedMachines& machines = *stacked_machines(*tied);
    const auto copy = machines.untied_copy();
    const StackedMachines& own = *stacked_machines(*copy);
    REQUIRE(own.untied());
    REQUIRE(!machines.untied());
    const StackOracle loops(*tied);
    const Chains rows = loops.all.chains(loops.all.states(tied->layout().observed()));
    const Execution execution{executor, RandomSource{3, 0}};
    const std::vector<double> before = stack_bounds(machines, rows, 5, execution);
    const std::vector<double> after = stack_bounds(own, rows, 5, execution);
    const std::vector<double> energies = free_energies(*copy, rows, 1.0, executor);
    for (Index r = 0; r < rows.size(); ++r) {
      CHECK(after[r] == doctest::Approx(before[r]).epsilon(tolerance));
      CHECK(energies[r] == free_energies(*tied, rows, 1.0, executor)[r]);
    }
    // What only one way has is learned on that way alone.
    for (const ParameterBlock& block : copy->parameter_layout().blocks()) {
      const bool idle = (block.name.starts_with("machine1.") && block.name.ends_with("bias.hidden")) ||
                        (block.name.starts_with("recognition1.") && block.name.ends_with("bias.visible"));
      if (idle) CHECK(!block.learned);
    }
    copy->update_parameters([&](std::span<Real> theta) {
      for (Real& x : own.recognition_part(0, theta)) x = -x;
    });
    CHECK(free_energies(*copy, rows, 1.0, executor) == energies);
    CHECK(stack_bounds(own, rows, 5, execution) != after);
    // A copy has them too.
    const auto again = copy->copy();
    CHECK(std::ranges::equal(again->parameters(), copy->parameters()));
    CHECK(stack_bounds(*stacked_machines(*again), rows, 5, execution) == stack_bounds(own, rows, 5, execution));
    CHECK(copy->configuration().find("untied"));
    CHECK(!tied->configuration().find("untied"));
  }
}

}  // namespace stack_test
