// Potts models that are as likely after a permutation of all states, and what of their averages may be believed when chains keep
// to one.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "flipped_averages.hpp"

namespace state_permutations_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::flipped_averages;

namespace {

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
  for (const auto& exact :
       {std::pair{"energy", energy / z}, {"potts_order", order / z}, {"pair_delta", -energy / z / 18.0}}) {
    CAPTURE(exact.first);
    const ThermalAverage& average = named(found, exact.first);
    CHECK(std::abs(average.value - exact.second) < student_limit * average.error);
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

// The same two clusters as sites of two states, w δ(s, t) being w/2 s t of spins: all of q is odd of them, and Σ Q_ab² tells,
// which is ½ of replicas whose clusters agree alike, and else ¼.
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

}  // namespace state_permutations_test
