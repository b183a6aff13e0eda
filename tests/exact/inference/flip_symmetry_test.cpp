// Models that are as likely after a flip of all units, and what of their averages may be believed when chains do not turn over.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/flip_symmetry.hpp>
#include <harmonium/framework/inference/slowest_time.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/spins.hpp>

namespace flip_symmetry_test {

using namespace harmonium;
using namespace harmonium::testing;

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

/// The energy of a model plus that of a field on one column, which no parameter shows.
class WithHiddenField final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    for (Index r = 0; r < out.size(); ++r) out[r] += 0.1 * static_cast<double>(x[LayerId{0}][r][0]);
  }
};

/// E = −Σ w δ(s, t) over the edges, of sites of q states.
std::unique_ptr<LayeredModel> potts_on(const EdgeList& graph, Index q) {
  auto model = make_fully_visible(
      {.num_visible = graph.num_nodes,
       .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{.num_states = q})});
  const ParameterLayout& layout = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = layout.view(layout.find("weight.visible.visible"), theta.data());
    for (const EdgeList::Edge& e : graph.edges)
      for (Index s = 0; s < q; ++s)
        w(q * e.a + s, q * e.b + s) = w(q * e.b + s, q * e.a + s) = static_cast<Real>(e.weight);
  });
  return model;
}

void change(LayeredModel& model, const char* tensor, const std::vector<Index>& entries, double by) {
  const ParameterBlock& b = model.parameter_layout()[model.parameter_layout().find(tensor)];
  model.update_parameters([&](std::span<Real> theta) {
    for (const Index i : entries) theta[b.offset + i] += static_cast<Real>(by);
  });
}

EdgeList small_torus() {
  EdgeList torus{.num_nodes = 9};
  for (Index i = 0; i < 9; ++i)
    for (const Index j : {i / 3 * 3 + (i + 1) % 3, (i + 3) % 9}) torus.edges.push_back({i, j, 1.0});
  return torus;
}

ThermalAverages averages_by_gibbs(const EnergyModel& model, const ThermalPlan& plan, std::uint64_t seed) {
  const Executor executor(2);
  const LayerObservables what(model, LayerId{0});
  const ThermalRecord record =
      record_alone(model, [] { return make<Sampler>("type = 'gibbs'"); }, what, plan, {executor, {seed, 0}});
  ThermalAverages found =
      averages_of(record.temperatures[0], what, num_all_units(model.layout()), flip_symmetry_of(model));
  doubt_by_slowest(record.temperatures[0], nullptr, found);
  return found;
}

const ThermalAverage& named(const ThermalAverages& found, const std::string& name) {
  return *std::ranges::find(found.averages, name, &ThermalAverage::name);
}

/// Of every state and of its flip the same, by loops.
bool even_by_loops(const EnergyModel& model) {
  const Oracle oracle(model);
  return std::ranges::all_of(oracle.states(model.layout().all()), [&](Oracle::State x) {
    const double energy = oracle.energy(x);
    for (double& unit : x) unit = -unit;
    return std::abs(oracle.energy(x) - energy) < 1e-9;
  });
}

/// Of every state and of all permutations of its q states the same, by loops.
bool alike_by_loops(const EnergyModel& model, Index q) {
  const Oracle oracle(model);
  std::vector<Index> to(q);
  std::iota(to.begin(), to.end(), Index{0});
  const std::vector<Oracle::State> states = oracle.states(model.layout().all());
  do {
    for (const Oracle::State& x : states) {
      Oracle::State moved(x.size());
      for (Index c = 0; c < x.size(); ++c) moved[c / q * q + to[c % q]] = x[c];
      if (!(std::abs(oracle.energy(moved) - oracle.energy(x)) < 1e-9)) return false;
    }
  } while (std::ranges::next_permutation(to).found);
  return true;
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

TEST_CASE("a permutation of all states leaves sites without fields as likely as they were, and nothing else") {
  const EdgeList triangle{4, {{0, 1, 0.7}, {1, 2, -0.4}, {0, 2, 1.1}, {2, 3, 0.2}}};
  for (const Index q : {2, 3, 4}) {
    CAPTURE(q);
    auto model = potts_on(triangle, q);
    CHECK(flip_symmetry_of(*model) == FlipSymmetry::exact);
    CHECK(alike_by_loops(*model, q));
    CHECK(flip_symmetry_of(WithHiddenField(*model)) == FlipSymmetry::none);
    // The same for all states, a field is none.
    std::vector<Index> site(q);
    std::iota(site.begin(), site.end(), q);
    change(*model, "bias.visible", site, 0.3);
    CHECK(flip_symmetry_of(*model) == FlipSymmetry::exact);
    CHECK(alike_by_loops(*model, q));
    auto with_field = potts_on(triangle, q);
    change(*with_field, "bias.visible", {q + 1}, 1e-3);
    CHECK(flip_symmetry_of(*with_field) == FlipSymmetry::none);
    CHECK_FALSE(alike_by_loops(*with_field, q));
    // One pair that prefers state 0 to the others.
    auto with_preference = potts_on(triangle, q);
    change(*with_preference, "weight.visible.visible", {q, q * 4 * q}, 1e-3);  // (0, q) and (q, 0) of 4q × 4q
    CHECK(flip_symmetry_of(*with_preference) == FlipSymmetry::none);
    CHECK_FALSE(alike_by_loops(*with_preference, q));
  }
  // A clock model is the same after a round of its states, and not after an exchange of two.
  auto clock = potts_on({2, {}}, 4);
  for (Index s = 0; s < 4; ++s) {
    const Index next = (s + 1) % 4, a = s, b = 4 + next, c = 4 + s, d = next;
    change(*clock, "weight.visible.visible", {a * 8 + b, b * 8 + a, c * 8 + d, d * 8 + c}, 0.5);
  }
  CHECK(flip_symmetry_of(*clock) == FlipSymmetry::none);
  CHECK_FALSE(alike_by_loops(*clock, 4));
}

// Of one temperature by itself, twice as cold as the transition: sums over 3^9 states.
TEST_CASE("sites that keep to one state are doubted for their shares and overlaps alone, and the others are right") {
  const EdgeList torus = small_torus();
  auto model = potts_on(torus, 3);
  const double beta = 2.0;
  double z = 0.0, energy = 0.0, order = 0.0;
  for (Index code = 0; code < 19683; ++code) {
    std::vector<Index> sites(9);
    Index rest = code;
    for (Index& s : sites) {
      s = rest % 3;
      rest /= 3;
    }
    double alike = 0.0;
    for (const EdgeList::Edge& e : torus.edges) alike += sites[e.a] == sites[e.b] ? 1.0 : 0.0;
    const double weight = std::exp(beta * (alike - 18.0));
    std::vector<double> counts(3, 0.0);
    for (const Index s : sites) counts[s] += 1.0;
    z += weight;
    energy -= weight * alike;
    order += weight * 0.5 * (std::ranges::max(counts) / 3.0 - 1.0);
  }
  const ThermalPlan plan{.betas = {beta}, .warm_up = 200, .num_steps = 4000};
  const ThermalAverages found = averages_by_gibbs(*model, plan, 12);
  for (const ThermalAverage& a : found.averages) {
    CAPTURE(a.name);
    CHECK(a.odd == (a.name.starts_with("share_") || a.name == "overlap" || a.name == "abs_overlap" ||
                    a.name == "squared_overlap"));
    CHECK(a.long_enough == !a.odd);
  }
  for (const auto& [name, exact] :
       {std::pair{"energy", energy / z}, {"potts_order", order / z}, {"pair_delta", -energy / z / 18.0}}) {
    CAPTURE(name);
    CHECK(std::abs(named(found, name).value - exact) < student_limit * named(found, name).error);
  }
  // The control: a field too weak to be felt here.
  change(*model, "bias.visible", {0}, 1e-4);
  for (const ThermalAverage& a : averages_by_gibbs(*model, plan, 12).averages) CHECK_FALSE(a.long_enough);
}

TEST_CASE("the joint overlap is the same after any permutation of the states of one replica") {
  const auto model = potts_on({4, {{0, 1, 1.0}}}, 3);
  const LayerObservables what(*model, LayerId{0});
  Chains chains(model->layout(), 3);
  const MatrixRef x = chains.write(LayerId{0});
  const auto set = [&](Index r, std::initializer_list<Index> states) {
    Index site = 0;
    for (const Index s : states) x(r, 3 * site++ + s) = Real(1);
  };
  for (Index r = 0; r < 3; ++r) std::ranges::fill(x[r], Real(0));
  set(0, {0, 0, 1, 2});
  set(1, {0, 1, 1, 2});
  set(2, {2, 0, 0, 1});  // the second after a round
  // Q_00 = Q_01 = Q_11 = Q_22 = 1/4.
  CHECK(what.joint_overlap(chains, 0, 1) == doctest::Approx(0.25));
  CHECK(what.joint_overlap(chains, 0, 2) == doctest::Approx(0.25));
  CHECK(what.overlap(chains, 0, 1) == doctest::Approx(0.75));
  CHECK(what.overlap(chains, 0, 2) == doctest::Approx(0.25));
  CHECK(what.joint_overlap(chains, 0, 0) == doctest::Approx(0.375));
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

// The same two clusters as sites of two states, w δ(s, t) being w/2 s t of spins: all of q is odd of them, and Σ Q_ab² tells, which is ½ of
// replicas whose clusters agree alike, and else ¼.
TEST_CASE("valleys that no permutation of the states joins are doubted with everything in them") {
  EdgeList clusters{.num_nodes = 16};
  for (Index first : {0, 8})
    for (Index i = 0; i < 8; ++i)
      for (Index j = i + 1; j < 8; ++j) clusters.edges.push_back({first + i, first + j, (i + j) % 2 == 0 ? 1.2 : -1.2});
  const auto model = potts_on(clusters, 2);
  REQUIRE(flip_symmetry_of(*model) == FlipSymmetry::exact);
  int vouched = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ThermalAverages found = averages_by_gibbs(*model, {.betas = {1.0}, .warm_up = 200, .num_steps = 1000}, seed);
    REQUIRE(found.witnesses.size() == 1);
    vouched += named(found, "energy").long_enough ? 1 : 0;
  }
  INFO(vouched, " of 20 vouched for");
  CHECK(vouched <= 2);
}

}  // namespace flip_symmetry_test
