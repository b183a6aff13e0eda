// Exact-start chi-square of Gibbs sampling. False alarms of the suite: 3e-6 in all (chi_square.hpp).
//
// Power, from the laws that kernels with all fields off by a factor leave behind: of fields that are off by 10 %, every
// test of 150,000 draws sees the mean of its statistic 18 standard deviations or more above the limit; by 5 %, 4.7 or
// more; by 2 %, the two million draws of the last test see it 12 above. The controls hold them to it.

#include <doctest/doctest.h>

#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace gibbs_test {

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
                              {"more coupled units than are drawn together", &small_chain},
                              {"spins", &small_spins},
                              {"few couplings", &small_sparse},
                              {"units of four states", &small_categorical},
                              {"Potts units", &small_potts},
                              {"Potts units, few couplings", &small_sparse_potts}};

void check_stationary(const Scenario& scenario, Index tile = 0) {
  Gibbs gibbs({tile});
  const Findings findings = examine(gibbs, drawn_here(scenario));
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
}

/// The pattern i of some that hold about half of the units, other ones for every i.
std::vector<std::vector<std::uint8_t>> some_patterns(std::size_t units) {
  std::vector<std::vector<std::uint8_t>> patterns;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<std::uint8_t> held(units);
    for (std::size_t u = 0; u < units; ++u) held[u] = (u * 5 + i * 3) % 7 < 3 ? 1 : 0;
    patterns.push_back(held);
  }
  patterns.emplace_back(units, std::uint8_t{0});
  return patterns;
}

/// The model without its couplings and with other biases: tractable, and far from uniform.
std::unique_ptr<LayeredModel> uncoupled(const LayeredModel& model) {
  LayerGraph graph;
  graph.layers = model.layout().layers();
  return random_machine(graph, 1.0, 8);
}

}  // namespace

TEST_CASE("Gibbs sampling leaves the law of every kind of graph as it is" * doctest::test_suite("slow")) {
  for (const Kind& kind : all_kinds) {
    for (const Index steps : {1, 2, 5}) {
      CAPTURE(std::string(kind.name));
      CAPTURE(steps);
      const auto model = kind.make();
      check_stationary({.model = *model, .steps = steps});
    }
  }
}

TEST_CASE("Gibbs sampling through block conditionals leaves the law as it is") {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    const WithoutKernel plain(*model);
    check_stationary({.model = plain, .steps = 2});
  }
}

TEST_CASE("few chains or many, and any first chain, leave the law as it is") {
  const auto rbm = small_rbm(), general = small_general();
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(rbm.get()), static_cast<const EnergyModel*>(general.get())}) {
    for (const Index batch : {3, 128, 129, 514}) {
      for (const std::uint32_t first_chain : {1u, 6u}) {
        CAPTURE(batch);
        CAPTURE(first_chain);
        check_stationary({.model = *model, .steps = 2, .batch = batch, .draws = 60'000, .first_chain = first_chain});
      }
    }
    CAPTURE("tiles of 8");
    check_stationary({.model = *model, .steps = 2, .batch = 101, .draws = 60'000, .first_chain = 3, .threads = 2}, 8);
  }
}

TEST_CASE("steps beyond 2^32 leave the law as it is") {
  const auto model = small_rbm();
  check_stationary({.model = *model, .steps = 3, .first_step = (std::uint64_t{1} << 32) - 2});
}

TEST_CASE("with whole layers held Gibbs sampling leaves the posterior as it is and them alone") {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    if (model->layout().latent().empty()) continue;
    check_stationary({.model = *model, .held_layers = model->layout().observed(), .steps = 2});
    check_stationary({.model = *model, .held_layers = model->layout().latent()});
  }
}

TEST_CASE("with single units held Gibbs sampling leaves the law given them as it is and them alone") {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    const auto patterns = some_patterns(StateSpace(model->layout()).num_units());
    check_stationary({.model = *model, .held_units = patterns, .steps = 2, .batch = 1001});
    const WithoutKernel plain(*model);
    check_stationary({.model = plain, .held_units = patterns, .batch = 65});
  }
}

TEST_CASE("at any temperature Gibbs sampling leaves the tempered law as it is") {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    for (const double beta : {0.5, 1.7}) {
      CAPTURE(beta);
      check_stationary({.model = *model, .beta = beta, .steps = 2});
    }
    const WithoutKernel plain(*model);
    check_stationary({.model = plain, .beta = 0.5});
  }
}

TEST_CASE("every rung of a ladder keeps its own law") {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    check_stationary({.model = *model, .ladder = {1.0, 0.7, 0.3, 0.0}, .steps = 2, .batch = 130});
    const WithoutKernel plain(*model);
    check_stationary({.model = plain, .ladder = {1.0, 0.4, 1.5}, .batch = 99});
  }
}

TEST_CASE("between a base distribution and the model every temperature keeps its own law") {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    const auto base = uncoupled(*model);
    check_stationary({.model = *model, .base = base.get(), .beta = 0.5, .steps = 2});
    check_stationary({.model = *model, .base = base.get(), .ladder = {1.0, 0.6, 0.2, 0.0}, .batch = 131});
  }
}

TEST_CASE("conditionals are right to 2 %") {
  for (const auto& model : {small_rbm(), small_general()}) {
    const WithoutKernel plain(*model);
    check_stationary({.model = *model, .draws = 2'000'000});
    check_stationary({.model = plain, .draws = 2'000'000});
  }
}

TEST_CASE("held units, a ladder and a base go together") {
  const auto model = small_general();
  const auto base = uncoupled(*model);
  const auto patterns = some_patterns(StateSpace(model->layout()).num_units());
  check_stationary({.model = *model, .ladder = {1.0, 0.5, 1.3}, .held_units = patterns, .steps = 2, .batch = 203});
  check_stationary({.model = *model, .base = base.get(), .ladder = {1.0, 0.5}, .held_units = patterns, .batch = 203});
  check_stationary({.model = *model, .beta = 0.5, .held_layers = model->layout().observed(), .steps = 2});
}

}  // namespace gibbs_test
