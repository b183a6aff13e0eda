// Means of latent units given what was seen of rows, against sums over all states of all that is free.
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/latent_law.hpp>
#include <harmonium/framework/inference/latent_mixture.hpp>
#include <harmonium/framework/inference/latent_of_seen.hpp>
#include <harmonium/framework/inference/posterior.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace latent_of_seen_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Each unit with probability one half.
HeldMask half_seen(const Layout& layout, Index rows, unsigned seed) {
  std::mt19937 words(seed);
  HeldMask seen;
  for (const LayerId l : layout.ids(layout.observed())) {
    std::vector<std::uint8_t> units(rows * layout[l].size);
    for (std::uint8_t& unit : units) unit = static_cast<std::uint8_t>(words() >> 31);
    seen.hold_units(l, layout[l].size, std::move(units));
  }
  return seen;
}

/// Whether a state is row r as far as that is seen.
bool agrees(const Oracle& oracle, const HeldMask& seen, Index r, const Oracle::State& row, const Oracle::State& state) {
  const Layout& layout = oracle.layout();
  for (const LayerId l : layout.ids(layout.observed()))
    for (Index c = 0; c < layout[l].columns(); ++c)
      if (const Index at = oracle.first(l) + c;
          holds_unit(seen, l, r, c / layout[l].unit->width()) && state[at] != row[at])
        return false;
  return true;
}

/// E[x | seen] of all columns, over all states of the whole model.
std::vector<double> means_over_all(const Oracle& oracle, const HeldMask& seen, Index r, const Oracle::State& row) {
  double sum = 0.0;
  std::vector<double> means(oracle.columns(), 0.0);
  oracle.for_each(oracle.layout().all(), row, [&](const Oracle::State& state) {
    if (!agrees(oracle, seen, r, row, state)) return;
    const double weight = std::exp(-oracle.energy(state));
    sum += weight;
    for (Index c = 0; c < means.size(); ++c) means[c] += weight * state[c];
  });
  for (double& mean : means) mean /= sum;
  return means;
}

/// What stands in the holes is no number.
void forget_holes(const Layout& layout, const HeldMask& seen, Chains& rows) {
  for (const LayerId l : layout.ids(layout.observed())) {
    const MatrixRef x = rows.write(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c)
        if (!holds_unit(seen, l, r, c / layout[l].unit->width())) x(r, c) = std::numeric_limits<Real>::quiet_NaN();
  }
}

struct Machine {
  std::string name;
  std::unique_ptr<LayeredModel> model;
};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  const auto add = [&](const char* name, std::unique_ptr<LayeredModel> model) {
    randomize(*model, 5 + all.size(), 1.5);
    all.push_back({name, std::move(model)});
  };
  add("bits", make_rbm({.num_visible = 4, .num_hidden = 3}));
  add("bits, of fewer ways than latent states", make_rbm({.num_visible = 2, .num_hidden = 8}));
  add("spins", make_rbm({.num_visible = 4,
                         .num_hidden = 3,
                         .visible_units = std::make_unique<SpinUnit>(),
                         .hidden_units = std::make_unique<SpinUnit>()}));
  add("sites", make_rbm({.num_visible = 2,
                         .num_hidden = 3,
                         .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3}),
                         .hidden_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3})}));
  add("labels", make_rbm({.num_visible = 3, .num_hidden = 3, .num_labels = 3}));
  add("visible units that are coupled", make_semi_restricted({.num_visible = 4, .num_hidden = 3}));
  add("two latent layers", make_deep({.num_visible = 3, .num_hidden = {3, 2}}));
  add("two wide latent layers", make_deep({.num_visible = 2, .num_hidden = {6, 5}}));
  add("all units coupled", make_boltzmann_machine({.num_visible = 3, .num_hidden = 3}));
  return all;
}

}  // namespace

TEST_CASE("means of latent units are those over all ways to fill in a row, in every machine") {
  const Executor executor(2);
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto states = oracle.states(layout.observed());
    Chains rows = oracle.chains(states);
    const HeldMask seen = half_seen(layout, states.size(), 11);
    forget_holes(layout, seen, rows);
    for (const LayerId l : layout.ids(layout.latent())) {
      const Matrix<double> told = latent_means_of_seen(*m.model, l, rows, seen, executor);
      CHECK(latent_means_of_seen(*m.model, l, rows, seen, Executor(3)) == told);
      double furthest = 0.0;
      for (Index r = 0; r < states.size(); ++r) {
        const std::vector<double> means = means_over_all(oracle, seen, r, states[r]);
        for (Index c = 0; c < layout[l].columns(); ++c) {
          // Weights are as exact as energies; the means of units are found in Real.
          CHECK(std::abs(told(r, c) - means[oracle.first(l) + c]) <=
                rounding<double>(200, oracle.scale()) + rounding(10, oracle.scale()));
          furthest = std::max(furthest, std::abs(told(r, c) - told(0, c)));
        }
      }
      CHECK(furthest > 0.01);  // or what was seen played no part
    }
  }
}

TEST_CASE("of complete rows the means of latent units are the posterior's, to the bit") {
  const Executor executor(1);
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Layout& layout = m.model->layout();
    const Chains rows = random_rows(layout, 6, 3);
    const HeldMask all(layout.observed());
    Posterior posterior;
    const bool closed = posterior_factorizes(*m.model);
    for (const LayerId l : layout.ids(layout.latent())) {
      const Matrix<double> told = latent_means_of_seen(*m.model, l, rows, all, executor);
      const Chains summed = closed ? rows : enumerated_means(*m.model, rows, executor);
      const ConstMatrixRef means = closed ? posterior.moments(*m.model, rows, executor).mean[l] : summed.read(l);
      for (Index r = 0; r < rows.size(); ++r)
        for (Index c = 0; c < layout[l].columns(); ++c) CHECK(told(r, c) == static_cast<double>(means(r, c)));
    }
  }
}

TEST_CASE("real numbers that rows lack are integrated out given latent units of few states, and refused of many") {
  const Executor executor(1);
  HeldMask half;
  const auto few = make_rbm({.num_visible = 2, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*few, 4, 1.0);
  const LayerId visible = few->layout().find("visible"), hidden = few->layout().find("hidden");
  half.hold_units(visible, 2, {1, 0});
  Chains row(few->layout(), 1);
  row.write(visible)(0, 0) = static_cast<Real>(0.7);
  const std::vector<Index> first{0};
  const Matrix<double> told = latent_means_of_seen(*few, hidden, row, half, executor);
  CHECK(told == LatentMixture::of(*few)->latent_means(hidden, row, half, first, executor));
  CHECK(latent_operations_of_each(*few, half, 1).front() == LatentMixture::of(*few)->operations_of_row());

  const auto many = make_rbm({.num_visible = 2, .num_hidden = 17, .visible_units = std::make_unique<GaussianUnit>()});
  CHECK(std::isinf(latent_operations_of_each(*many, half, 1).front()));
  CHECK_THROWS_AS(latent_means_of_seen(*many, hidden, Chains(many->layout(), 1), half, executor), CapabilityError);
  const HeldMask all(many->layout().observed());
  CHECK(latent_operations_of_each(*many, all, 1).front() == 2.0 * free_energy_operations(*many));
}

}  // namespace latent_of_seen_test
