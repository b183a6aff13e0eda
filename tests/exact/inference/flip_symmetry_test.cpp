// Models that are as likely after a flip of all units, and what of their averages may be believed when chains do not turn over.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/flip_symmetry.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "flipped_averages.hpp"

namespace flip_symmetry_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::flipped_averages;

namespace {

void set_biases(LayeredModel& model, Real value) {
  model.update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : model.parameter_layout().blocks())
      if (b.role == ParameterRole::bias) std::ranges::fill(theta.subspan(b.offset, b.size()), value);
  });
}

std::unique_ptr<LayeredModel> spin_rbm_without_fields() {
  auto model = small_spin_rbm();
  set_biases(*model, Real(0));
  return model;
}

/// The energy of a model plus a product of three units, which no parameter shows.
class WithTriple final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    for (Index r = 0; r < out.size(); ++r) {
      const auto units = x[LayerId{0}][r];
      out[r] += 0.1 * static_cast<double>(units[0]) * static_cast<double>(units[1]) * static_cast<double>(units[2]);
    }
  }
};

/// Of every state and of its flip the same, by loops.
bool even_by_loops(const EnergyModel& model) {
  const Oracle oracle(model);
  return std::ranges::all_of(oracle.states(model.layout().all()), [&](Oracle::State x) {
    const double energy = oracle.energy(x);
    for (double& unit : x) unit = -unit;
    return std::abs(oracle.energy(x) - energy) < 1e-9;
  });
}

}  // namespace

TEST_CASE("a flip of all units leaves spins without fields as likely as they were, and nothing else") {
  const auto triangle = spins_on({3, {{0, 1, 0.7}, {1, 2, -0.4}, {0, 2, 1.1}}});
  const auto rbm = spin_rbm_without_fields(), with_fields = small_spin_rbm();
  CHECK(flip_symmetry_of(*triangle) == FlipSymmetry::exact);
  CHECK(flip_symmetry_of(*rbm) == FlipSymmetry::exact);
  CHECK(flip_symmetry_of(*with_fields) == FlipSymmetry::none);
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(triangle.get()), static_cast<const EnergyModel*>(rbm.get()),
        static_cast<const EnergyModel*>(with_fields.get())})
    CHECK(even_by_loops(*model) == (flip_symmetry_of(*model) == FlipSymmetry::exact));
  // One field of one unit is enough.
  auto one_field = spin_rbm_without_fields();
  one_field->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : one_field->parameter_layout().blocks())
      if (b.role == ParameterRole::bias) theta[b.offset] = Real(1e-3);
  });
  CHECK(flip_symmetry_of(*one_field) == FlipSymmetry::none);
  // Bits without biases are spins in fields, and these sites have fields.
  CHECK(flip_symmetry_of(*uniform_rbm(4, 4, 0.5, 0.0, 0.0)) == FlipSymmetry::none);
  CHECK(flip_symmetry_of(*small_potts()) == FlipSymmetry::none);
  CHECK(flip_symmetry_of(WithTriple(*triangle)) == FlipSymmetry::none);
}

TEST_CASE("bits whose biases match their couplings are spins without fields") {
  // With x = (1 + s)/2 the field of s_i is b_i/2 + Σ_j W_ij/4.
  CHECK(flip_symmetry_of(*uniform_rbm(20, 20, 0.5, -5.0, -5.0)) == FlipSymmetry::exact);
  CHECK(flip_symmetry_of(*uniform_rbm(20, 20, 0.5, -5.0, -5.001)) == FlipSymmetry::none);
  CHECK(flip_symmetry_of(*uniform_rbm(20, 20, 0.5, 5.0, 5.0)) == FlipSymmetry::none);
  // Couplings within a layer too, which rounding leaves no bias that matches exactly.
  auto model = small_general();
  REQUIRE(flip_symmetry_of(*model) == FlipSymmetry::none);
  const Oracle before(*model);
  const Index columns = model->layout().columns(model->layout().all());
  std::vector<double> fields(columns, 0.0);
  for (Index i = 0; i < columns; ++i)
    for (Index j = 0; j < columns; ++j)
      if (j != i) fields[i] -= 0.5 * before.coupling(i, j);
  Index first = 0;
  std::vector<Index> firsts;
  for (const Layer& layer : model->layout().layers()) {
    firsts.push_back(first);
    first += layer.columns();
  }
  model->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : model->parameter_layout().blocks())
      for (Index i = 0; b.role == ParameterRole::bias && i < b.size(); ++i)
        theta[b.offset + i] = static_cast<Real>(fields[firsts[static_cast<Index>(b.layers[0])] + i]);
  });
  CHECK(flip_symmetry_of(*model) == FlipSymmetry::exact);
  const Oracle oracle(*model);
  for (Oracle::State x : oracle.states(model->layout().all())) {
    const double energy = oracle.energy(x);
    for (double& unit : x) unit = 1.0 - unit;
    CHECK(std::abs(oracle.energy(x) - energy) < (sizeof(Real) == 4 ? 1e-5 : 1e-12));
  }
  CHECK(flip_symmetry_of(WithHiddenField(*model)) == FlipSymmetry::none);
}

TEST_CASE("spins of several levels are even about 0, whatever their crystal field") {
  const auto model_of = [](double low) {
    auto unit = std::make_shared<LevelsUnit>(LevelsUnit::Options{.num_states = 3, .low = low});
    auto model = random_model({{observed("s", 4, unit)}, {{0, 0}}, {}}, 7, 0.5);
    set_biases(*model, Real(0));
    return model;
  };
  CHECK(flip_symmetry_of(*model_of(-1.0)) == FlipSymmetry::exact);
  CHECK(flip_symmetry_of(*model_of(0.0)) == FlipSymmetry::none);
}

// Of one temperature by itself, so cold that no chain turns over: two sums over 65536 states.
TEST_CASE("chains that never turn over are doubted for the sign of their order alone, and the others are right") {
  const auto torus = ising_torus(4);
  const double beta = 0.8;
  const Oracle oracle(*torus);
  double z = 0.0, energy = 0.0, size = 0.0;
  const double lowest = -32.0;
  for (const Oracle::State& x : oracle.states(torus->layout().all())) {
    const double e = oracle.energy(x), weight = std::exp(-beta * (e - lowest));
    double m = 0.0;
    for (const double s : x) m += s / 16.0;
    z += weight;
    energy += weight * e;
    size += weight * std::abs(m);
  }
  const ThermalPlan plan{.betas = {beta}, .warm_up = 200, .num_steps = 4000};
  const ThermalAverages found = averages_by_gibbs(*torus, plan, 11);
  for (const ThermalAverage& a : found.averages) {
    CAPTURE(a.name);
    CHECK(a.odd == (a.name == "magnetization" || a.name == "susceptibility" || a.name == "overlap"));
    CHECK(a.long_enough == !a.odd);
  }
  CHECK(std::abs(named(found, "energy").value - energy / z) < student_limit * named(found, "energy").error);
  CHECK(std::abs(named(found, "abs_magnetization").value - size / z) <
        student_limit * named(found, "abs_magnetization").error);
  // The control: a field too weak to be felt here takes the symmetry away, and with it every other average.
  auto in_field = ising_torus(4);
  set_biases(*in_field, Real(1e-4));
  REQUIRE(flip_symmetry_of(*in_field) == FlipSymmetry::none);
  for (const ThermalAverage& a : averages_by_gibbs(*in_field, plan, 11).averages) CHECK_FALSE(a.long_enough);
}

// Two clusters that nothing joins, each in one of two orders that m does not tell: whether they agree is even, and no chain ever changes
// it. All 8 chains agree on it once in 128; the overlaps across the pairs of replicas join three chains in a ring, of which two must
// be alike. Three of 20 seeds have all alike with probability 5e-4.
TEST_CASE("valleys that a flip of all units does not join are doubted with everything in them") {
  EdgeList clusters{.num_nodes = 16};
  for (Index first : {0, 8})
    for (Index i = 0; i < 8; ++i)
      for (Index j = i + 1; j < 8; ++j) clusters.edges.push_back({first + i, first + j, (i + j) % 2 == 0 ? 0.6 : -0.6});
  const auto model = spins_on(clusters);
  REQUIRE(flip_symmetry_of(*model) == FlipSymmetry::exact);
  int vouched = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ThermalAverages found = averages_by_gibbs(*model, {.betas = {1.0}, .warm_up = 200, .num_steps = 1000}, seed);
    vouched += named(found, "energy").long_enough ? 1 : 0;
  }
  INFO(vouched, " of 20 vouched for");
  CHECK(vouched <= 2);
}

}  // namespace flip_symmetry_test
