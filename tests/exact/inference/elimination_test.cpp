#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/testing/law.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/discrete.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace elimination_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// Spins on `rows` × `columns` places, each coupled with the next ones to the right and below.
std::unique_ptr<LayeredModel> lattice(Index rows, Index columns, bool isolated_unit) {
  const Index units = rows * columns + (isolated_unit ? 1 : 0);
  auto model = random_model({{observed("v", units, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 17);
  std::vector<std::pair<Index, Index>> edges;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      if (c + 1 < columns) edges.emplace_back(r * columns + c, r * columns + c + 1);
      if (r + 1 < rows) edges.emplace_back(r * columns + c, (r + 1) * columns + c);
    }
  keep_only(*model, "weight.v.v", edges);
  return model;
}

double log_2cosh(double x) { return std::abs(x) + std::log1p(std::exp(-2.0 * std::abs(x))); }

double tolerance(double size) { return (in_double ? 1e-12 : 1e-5) * (1.0 + std::abs(size)); }

}  // namespace

TEST_CASE("log Z by elimination is the sum over all states, and the ground state their least energy") {
  for (const Example& m : example_models()) {
    if (!discrete(*m.model)) continue;
    CAPTURE(m.name);
    const Elimination elimination(*m.model, 20);
    const Oracle oracle(*m.model);
    for (const double beta : {0.0, 0.3, 1.0, 2.5}) {
      CAPTURE(beta);
      CHECK(std::abs(elimination.log_sum(beta, executor) - oracle.log_z(beta)) <= tolerance(oracle.log_z(beta)));
    }
    const conformance::StateSpace space(m.model->layout());
    const std::vector<double> energy = conformance::model_energies(*m.model, space);
    const double lowest = *std::ranges::min_element(energy);
    const Elimination::GroundState ground = elimination.ground_state(executor);
    CHECK(std::abs(ground.energy - lowest) <= tolerance(lowest));
    double of_row = 0.0;
    m.model->energy(ground.row(m.model->layout()).real(), {&of_row, 1});
    CHECK(std::abs(of_row - lowest) <= tolerance(lowest));
  }
}

TEST_CASE("weights beyond the range of doubles are added by their logarithms, with the same sums") {
  // A star of 40 spins about one, each with e^(-2 beta w) at the least: their product underflows at large beta.
  auto model = random_model({{observed("v", 41, std::make_shared<SpinUnit>())}, {{0, 0}}, {}}, 3);
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 1; i < 41; ++i) edges.emplace_back(0, i);
  const ParameterLayout& parameters = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    const MatrixRef w = parameters.view(parameters.find("weight.v.v"), theta.data());
    for (const auto& [a, b] : edges) w(a, b) = w(b, a) = Real{1};
    // Fields turn the others one way and the one in the middle the other way.
    const MatrixRef b = parameters.view(parameters.find("bias.v"), theta.data());
    for (Index i = 1; i < 41; ++i) b.data[i] = Real{2};
    b.data[0] = Real{-70};
  });
  const Elimination elimination(*model, 20);
  for (const double beta : {0.1, 1.0, 4.0, 20.0, 100.0}) {
    CAPTURE(beta);
    // Given the middle s0 = +-1 the others are free: E = 70 s0 - 40 spins of fields 2 + s0.
    const double up = -70.0 * beta + 40.0 * log_2cosh(3.0 * beta), down = 70.0 * beta + 40.0 * log_2cosh(beta);
    const double log_z = std::max(up, down) + std::log1p(std::exp(-std::abs(up - down)));
    const double p = 1.0 / (1.0 + std::exp(down - up));
    const double mean_up = 70.0 - 120.0 * std::tanh(3.0 * beta), mean_down = -70.0 - 40.0 * std::tanh(beta);
    const double variance_up = 360.0 / std::pow(std::cosh(3.0 * beta), 2),
                 variance_down = 40.0 / std::pow(std::cosh(beta), 2);
    const double variance =
        p * variance_up + (1.0 - p) * variance_down + p * (1.0 - p) * std::pow(mean_up - mean_down, 2);
    CHECK(std::abs(elimination.log_sum(beta, executor) - log_z) <= tolerance(log_z));
    const WeighedEnergy all = elimination.energy(beta, executor);
    CHECK(std::abs(all.log_weight - log_z) <= tolerance(log_z));
    CHECK(std::abs(all.mean - (p * mean_up + (1.0 - p) * mean_down)) <= tolerance(110.0));
    CHECK(std::abs(all.variance - variance) <= 1e-9 * variance + 1e-20);
  }
}

TEST_CASE("units that are held keep their state, and sums are over the states that agree") {
  for (const Example& m : example_models()) {
    if (!discrete(*m.model)) continue;
    CAPTURE(m.name);
    const Layout& layout = m.model->layout();
    const conformance::StateSpace space(layout);
    const std::vector<double> energy = conformance::model_energies(*m.model, space);
    const std::size_t last = space.num_units() - 1, state[] = {space.size() / 3};
    HeldState held{Chains(layout, 1), {}};
    space.put(state, held.state);
    for (const LayerId l : layout.ids()) {
      std::vector<std::uint8_t> units(layout[l].size, 0);
      for (const std::size_t u : {std::size_t{0}, last})
        if (space.layer_of(u) == l) units[space.place_of(u)] = 1;
      held.units.hold_units(l, layout[l].size, std::move(units));
    }
    const Elimination elimination(*m.model, 20, &held);
    double lowest = std::numeric_limits<double>::infinity();
    for (const double beta : {0.0, 1.0, 2.5}) {
      CAPTURE(beta);
      LogSumExp sum;
      for (std::size_t s = 0; s < space.size(); ++s) {
        if (space.digit(s, 0) != space.digit(state[0], 0) || space.digit(s, last) != space.digit(state[0], last))
          continue;
        sum.add(-beta * energy[s]);
        lowest = std::min(lowest, energy[s]);
      }
      CHECK(std::abs(elimination.log_sum(beta, executor) - sum.value()) <= tolerance(sum.value()));
      // Where all states weigh alike, half of them at most agree.
      if (beta == 0.0) CHECK(sum.value() < Elimination(*m.model, 20).log_sum(beta, executor) - 0.5);
    }
    CHECK(std::abs(elimination.ground_state(executor).energy - lowest) <= tolerance(lowest));
  }
}

TEST_CASE("units that are held are none of the tables' units") {
  // Visible units alone make a table of the three hidden ones; with two of these held, of the third.
  const auto model = random_rbm(5, 3, 1);
  HeldState held{Chains(model->layout(), 1), {}};
  held.units.hold_units(LayerId{1}, 3, {1, 0, 1});
  CHECK(Elimination(*model, 20).order().log2_largest == doctest::Approx(3.0));
  CHECK(Elimination(*model, 20, &held).order().log2_largest == doctest::Approx(1.0));
  // A held unit does not join its neighbors either. Here it has 60, too many for one table.
  const auto star = random_rbm(60, 1, 1);
  LogSumExp sum;
  for (const Real h : {Real{0}, Real{1}}) {
    HeldState center{Chains(star->layout(), 1), HeldMask{}.hold(LayerId{1})};
    center.state.write(LayerId{1})(0, 0) = h;
    sum.add(Elimination(*star, 20, &center).log_sum(1.0, executor));
  }
  const double all = Elimination(*star, 20).log_sum(1.0, executor);
  CHECK(std::abs(sum.value() - all) <= tolerance(all));
}

TEST_CASE("units without couplings count, and the numbers are the same on any number of threads") {
  for (const bool isolated : {false, true}) {
    const auto model = lattice(3, 4, isolated);
    const Oracle oracle(*model);
    const Elimination elimination(*model, 20);
    CHECK(elimination.order().log2_largest <= 3.0);
    CHECK(std::abs(elimination.log_sum(1.0, executor) - oracle.log_z(1.0)) <= tolerance(oracle.log_z(1.0)));
  }
  const auto model = lattice(14, 14, false);  // tables of several pieces
  const Elimination elimination(*model, 20);
  CHECK(elimination.log_sum(0.7, Executor(1)) == elimination.log_sum(0.7, Executor(4)));
  CHECK(elimination.ground_state(Executor(1)).states == elimination.ground_state(Executor(4)).states);
}

TEST_CASE("no single change of a unit lowers a ground state of a lattice that cannot be enumerated") {
  const auto model = lattice(10, 12, true);
  const auto ground = Elimination(*model, 20).ground_state(executor);
  Chains x(model->layout(), 122);
  for (Index r = 0; r < x.size(); ++r)
    for (Index u = 0; u < 121; ++u) {
      const Real s = ground.states[u] == 0 ? Real{-1} : Real{1};
      x.write(LayerId{0})(r, u) = r == u + 1 ? -s : s;
    }
  std::vector<double> energy(x.size());
  model->energy(x.real(), energy);
  CHECK(std::abs(energy[0] - ground.energy) <= tolerance(ground.energy));
  for (Index r = 1; r < x.size(); ++r) CHECK(energy[r] > energy[0]);
}

TEST_CASE("what would take too large tables, or is no sum of pairs of discrete units, is refused") {
  const auto dense = random_rbm(30, 30, 5);
  const std::string of_dense = message_of<CapabilityError>([&] { Elimination(*dense, 24); });
  CHECK(of_dense.starts_with("summing units out one by one would take a table of at least 2^"));
  CHECK(of_dense.ends_with(
      " entries, more than the limit of 2^24 (option max_bits). Take a model with fewer couplings, or 'ais'."));
  const auto torus = lattice(12, 12, false);
  CHECK(message_of<CapabilityError>([&] {
          Elimination(*torus, 8);
        }).starts_with("summing units out one by one would take a table of 2^1"));
  // An order is looked for until it leaves a table that nobody could have.
  const auto large = lattice(80, 80, false);
  CHECK(message_of<CapabilityError>([&] {
          Elimination(*large, 32);
        }).starts_with("summing units out one by one would take a table of at least 2^6"));
  // Normal units are summed out (normal_units_test.cpp).
  const auto poisson = random_model({{observed("v", 2, std::make_shared<PoissonUnit>())}, {}, {}}, 1);
  CHECK(message_of<CapabilityError>([&] { Elimination(*poisson, 8); }) ==
        "the units of layer 'v' have no finite list of states. Take 'ais'.");
}

TEST_CASE("the tables that there are at once are those of all units that went and were not summed into another") {
  // Each of 5 visible units leaves a table of the 2³ states of 3 hidden ones; then the first of these one of 2².
  CHECK(Elimination(*random_rbm(5, 3, 1), 20).order().log2_held == doctest::Approx(std::log2(5 * 8 + 4)));
  // A chain is summed up from an end: the last table, and the next.
  CHECK(Elimination(*lattice(1, 9, false), 20).order().log2_held == doctest::Approx(std::log2(2 + 2)));
}

TEST_CASE("control: a unit that is left out of the sums moves log Z by more than the tolerance") {
  const auto with = lattice(3, 4, true), without = lattice(3, 4, false);
  const double a = Elimination(*with, 20).log_sum(1.0, executor);
  CHECK(std::abs(a - Elimination(*without, 20).log_sum(1.0, executor)) > 0.1);
}

}  // namespace elimination_test
