// Exact-start chi-square of the samplers that move single units: Gibbs sampling with a random scan, Metropolis, and
// flip the state. False alarms of the suite: 3e-6 in all (chi_square.hpp); what it sees is in tests/controls.

#include <algorithm>
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/single_site.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace single_site_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Kind {
  const char* name;
  std::unique_ptr<LayeredModel> (*make)();
};
constexpr Kind all_kinds[] = {{"RBM", &small_rbm},
                              {"semi-restricted", &small_semi_restricted},
                              {"coupled hidden units", &small_lateral_hidden},
                              {"general", &small_general},
                              {"deep", &small_deep},
                              {"triangle of layers", &small_triangle},
                              {"fully visible", &small_visible},
                              {"RBM of spins", &small_spin_rbm},
                              {"spin glass", &small_spin_glass},
                              {"units of four states", &small_categorical},
                              {"Potts units", &small_potts},
                              {"few couplings", &small_sparse},
                              {"Potts units, few couplings", &small_sparse_potts}};

struct Candidate {
  const char* name;
  std::function<std::unique_ptr<Sampler>(Index tile)> make;
};
const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all{
      {"gibbs, random scan",
       [](Index tile) { return std::make_unique<Gibbs>(GibbsOptions{.tile = tile, .scan = Scan::random}); }},
      {"metropolis", [](Index tile) { return std::make_unique<Metropolis>(MetropolisOptions{.tile = tile}); }},
      {"flip_the_state", [](Index tile) { return std::make_unique<FlipTheState>(FlipTheStateOptions{.tile = tile}); }},
      {"flip_the_state, never by Gibbs", [](Index tile) {
         return std::make_unique<FlipTheState>(FlipTheStateOptions{.gibbs_probability = 0.0, .tile = tile});
       }}};
  return all;
}

void check_stationary(const Candidate& candidate, const Scenario& scenario, Index tile = 0) {
  const Findings findings = examine(*candidate.make(tile), drawn_here(scenario));
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
}

template <class Body>
void for_all(const Body& body) {
  for (const Candidate& candidate : candidates()) {
    CAPTURE(std::string(candidate.name));
    for (const Kind& kind : all_kinds) {
      CAPTURE(std::string(kind.name));
      const auto model = kind.make();
      body(candidate, *model);
    }
  }
}

/// The pattern i of some that hold about half of the units, other ones for every i.
std::vector<std::vector<std::uint8_t>> some_patterns(std::size_t units) {
  std::vector<std::vector<std::uint8_t>> patterns;
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<std::uint8_t> held(units);
    for (std::size_t u = 0; u < units; ++u) held[u] = (u * 5 + i * 3) % 7 < 3 ? 1 : 0;
    patterns.push_back(held);
  }
  patterns.emplace_back(units, std::uint8_t{0});
  return patterns;
}

std::unique_ptr<LayeredModel> uncoupled(const LayeredModel& model) {
  LayerGraph graph;
  graph.layers = model.layout().layers();
  return random_machine(graph, 1.0, 8);
}

}  // namespace

TEST_CASE("single-site samplers leave the law of every kind of model as it is" * doctest::test_suite("slow")) {
  for_all([](const Candidate& candidate, const LayeredModel& model) {
    check_stationary(candidate, {.model = model});
    check_stationary(candidate, {.model = model, .steps = 3, .batch = 1029, .draws = 100'000, .first_chain = 2});
  });
}

TEST_CASE("with layers held single-site samplers leave the posterior as it is and them alone") {
  for_all([](const Candidate& candidate, const LayeredModel& model) {
    if (model.layout().latent().empty()) return;
    check_stationary(candidate, {.model = model, .held_layers = model.layout().observed(), .draws = 60'000});
  });
}

TEST_CASE("with single units held single-site samplers leave the law given them as it is and them alone") {
  for_all([](const Candidate& candidate, const LayeredModel& model) {
    const auto patterns = some_patterns(StateSpace(model.layout()).num_units());
    check_stationary(candidate, {.model = model, .held_units = patterns, .steps = 2, .batch = 999, .draws = 90'000});
  });
}

TEST_CASE("every rung of a ladder keeps its own law under single-site samplers" * doctest::test_suite("slow")) {
  for_all([](const Candidate& candidate, const LayeredModel& model) {
    check_stationary(candidate,
                     {.model = model, .ladder = {1.0, 0.4, 1.5, 0.0}, .steps = 2, .batch = 132, .draws = 132'000});
  });
}

TEST_CASE("between a base and the model every temperature keeps its own law under single-site samplers") {
  for_all([](const Candidate& candidate, const LayeredModel& model) {
    const auto base = uncoupled(model);
    check_stationary(candidate, {.model = model, .base = base.get(), .ladder = {1.0, 0.5}, .draws = 100'000});
  });
}

TEST_CASE("few chains or many, tiles and threads leave the law as it is under single-site samplers") {
  const auto rbm = small_rbm(), general = small_general();
  for (const Candidate& candidate : candidates()) {
    CAPTURE(std::string(candidate.name));
    for (const LayeredModel* model : {rbm.get(), general.get()}) {
      check_stationary(candidate, {.model = *model, .steps = 2, .batch = 3, .draws = 30'000, .first_chain = 1});
      check_stationary(candidate,
                       {.model = *model, .steps = 2, .batch = 101, .draws = 60'600, .first_chain = 3, .threads = 2}, 8);
      const WithoutKernel plain(*model);
      check_stationary(candidate, {.model = plain, .draws = 60'000, .first_step = (std::uint64_t{1} << 32) - 1});
    }
  }
}

// The power is that of tests/controls/moves_test.cpp, which holds kernels that are off by 2 % to the same.
TEST_CASE("acceptance ratios are right to 2 %" * doctest::test_suite("slow")) {
  const auto rbm = small_rbm(), potts = small_potts();
  for (const FineTest& fine : fine_tests()) {
    CAPTURE(std::string(fine.name));
    for (const LayeredModel* model : {rbm.get(), potts.get()}) {
      const Findings findings =
          examine(*fine.make(), {.model = *model, .steps = fine_steps, .draws = draws_here(fine_draws)});
      INFO(findings.law.summary());
      CHECK(findings.complaint() == "");
    }
  }
}

namespace {

/// The law after `steps` sweeps over all units from each state.
std::vector<Law> matrix_of(const EnergyModel& model, double beta, Index steps, const UnitLaw& unit_law) {
  const StateSpace space(model.layout());
  std::vector<double> energy = energies(model, space);
  for (double& e : energy) e *= beta;
  std::vector<Law> matrix;
  for (std::size_t from = 0; from < space.size(); ++from) {
    Law law(space.size(), 0.0);
    law[from] = 1.0;
    matrix.push_back(swept(std::move(law), energy, space, steps, unit_law));
  }
  return matrix;
}

void check_matrix(Sampler& sampler, const EnergyModel& model, double beta, Index steps, const std::vector<Law>& exact) {
  const TransitionFindings findings = examine_transitions(sampler, model, beta, exact, steps, 130, draws_here(390'000));
  CHECK_MESSAGE(!findings.matrix.rejected(), findings.matrix.summary());
}

std::vector<std::unique_ptr<LayeredModel>> tiny_machines() {
  std::vector<std::unique_ptr<LayeredModel>> all;
  all.push_back(random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}}), 1.0, 11));
  all.push_back(random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}, {0, 0}, {1, 1}}), 0.8, 12));
  LayerGraph graph = binary_layers({2, 1}, {true, false}, {{0, 1}, {0, 0}});
  graph.layers[0].unit = small_categorical()->layout()[LayerId{0}].unit;
  all.push_back(random_machine(graph, 0.8, 13));
  return all;
}

}  // namespace

TEST_CASE("the matrices of transitions of Metropolis and flip the state are those of their definitions" *
          doctest::test_suite("slow")) {
  for (const auto& model : tiny_machines()) {
    for (const double beta : {1.0, 0.5}) {
      for (const Index steps : {1, 2}) {
        CAPTURE(beta);
        CAPTURE(steps);
        Metropolis metropolis;
        check_matrix(metropolis, *model, beta, steps, matrix_of(*model, beta, steps, metropolis_law));
        Metropolis restless({.rest_probability = 0.0});
        check_matrix(restless, *model, beta, steps,
                     matrix_of(*model, beta, steps,
                               [](const Law& weights, std::size_t s) { return lazy_metropolis_law(weights, s, 0.0); }));
        for (const double g : {0.0, 0.1, 1.0}) {
          CAPTURE(g);
          FlipTheState flip({.gibbs_probability = g});
          check_matrix(flip, *model, beta, steps,
                       matrix_of(*model, beta, steps,
                                 [&](const Law& weights, std::size_t s) { return flip_law(weights, s, g); }));
        }
      }
    }
  }
}

namespace {

/// A ring of six spins without a field, each coupled with its neighbors by 0.4.
std::unique_ptr<LayeredModel> ring_of_spins() {
  LayerGraph graph;
  graph.layers = {{"spins", 6, std::make_shared<SpinUnit>(), Role::observed}};
  graph.couplings = {{0, 0}};
  auto ring = std::make_unique<LayeredModel>(std::move(graph));
  const ParameterLayout& p = ring->parameter_layout();
  ring->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = p.view(p.find("weight.spins.spins"), theta.data());
    for (Index i = 0; i < 6; ++i) w(i, (i + 1) % 6) = w((i + 1) % 6, i) = static_cast<Real>(0.4);
  });
  return ring;
}

/// Whether 20,000 chains that all begin with all spins down follow the law of the model after 200 steps.
ChiSquare law_from_one_state(Sampler& sampler, const EnergyModel& model) {
  const StateSpace space(model.layout());
  Chains chains(model.layout(), 20'000);
  space.put(std::vector<std::size_t>(chains.size(), 0), chains);
  const Executor executor(2);
  sampler.advance(Target{model}, chains, 200, {executor, {7, 9}});
  std::vector<std::uint64_t> counts(space.size(), 0);
  for (const std::size_t state : space.read(chains)) ++counts[state];
  ChiSquare test;
  test.add(counts, law_of(energies(model, space)));
  return test;
}

}  // namespace

// A kernel can leave a law as it is and yet never come to it.
TEST_CASE("from one state of a ring of spins without a field the samplers of single units come to its law") {
  const auto ring = ring_of_spins();
  Metropolis metropolis, restless({.rest_probability = 0.0});
  FlipTheState flip;
  Gibbs gibbs;
  for (Sampler* sampler :
       {static_cast<Sampler*>(&metropolis), static_cast<Sampler*>(&flip), static_cast<Sampler*>(&gibbs)}) {
    const ChiSquare test = law_from_one_state(*sampler, *ring);
    CHECK_MESSAGE(!test.rejected(), test.summary());
  }
  const ChiSquare test = law_from_one_state(restless, *ring);
  CHECK(test.rejected());
  CHECK(test.seen_margin() > 6.0);
}

// All chains of a call share the sequence of blocks, so each transition is made by a call of its own, at its own step.
TEST_CASE("the matrix of transitions of a random scan is the average over sequences of blocks") {
  const auto model = random_machine(binary_layers({2, 2}, {true, false}, {{0, 1}}), 1.0, 11);
  const StateSpace space(model->layout());
  const std::vector<double> energy = energies(*model, space);
  std::vector<Law> exact;
  for (std::size_t from = 0; from < space.size(); ++from) {
    Law mean(space.size(), 0.0);
    for (unsigned sequence = 0; sequence < 4; ++sequence) {
      Law law(space.size(), 0.0);
      law[from] = 1.0;
      for (unsigned visit = 0; visit < 2; ++visit) {
        const std::size_t first = (sequence >> visit & 1u) ? 2 : 0;  // units of the block
        redraw_unit(law, energy, space, first);
        redraw_unit(law, energy, space, first + 1);
      }
      for (std::size_t s = 0; s < law.size(); ++s) mean[s] += law[s] / 4.0;
    }
    exact.push_back(std::move(mean));
  }
  Gibbs gibbs({.scan = Scan::random});
  const Executor executor(1);
  HARMONIUM_ASSERT(space.size() > 0);
  std::vector<std::vector<std::uint64_t>> counts(space.size(), std::vector<std::uint64_t>(space.size(), 0));
  for (std::size_t i = 0; i < 160'000; ++i) {
    Chains chain(model->layout(), 1);
    chain.set_step(i);
    const std::size_t from = i % space.size();
    space.put(std::vector<std::size_t>{from}, chain);
    gibbs.advance(Target{*model}, chain, 1, {executor, {31, 41}});
    ++counts[from][space.read(chain)[0]];
  }
  ChiSquare test;
  for (std::size_t from = 0; from < space.size(); ++from) test.add(counts[from], exact[from]);
  CHECK_MESSAGE(!test.rejected(), test.summary());
}

}  // namespace single_site_test
