// Exact-start chi-square of targets with continuous units: Langevin dynamics, and what the other samplers do with
// continuous layers. False alarms of the suite: 3e-6 in all (chi_square.hpp).

#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/samplers/flip_the_state.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/hmc.hpp>
#include <harmonium/samplers/langevin.hpp>
#include <harmonium/samplers/locally_balanced.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>

namespace langevin_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Kind {
  const char* name;
  Index num_hidden;
  bool lateral_visible, lateral_hidden;
  std::unique_ptr<LayeredModel> make(std::uint64_t seed = 1) const {
    return small_gaussian(num_hidden, lateral_visible, lateral_hidden, seed);
  }
};
constexpr Kind all_kinds[] = {{"Gaussian-binary RBM", 3, false, false},
                              {"coupled Gaussian units", 3, true, false},
                              {"general", 2, true, true},
                              {"Gaussian units alone", 0, true, false}};

struct Candidate {
  const char* name;
  bool needs_discrete;
  std::function<std::unique_ptr<Sampler>(Index tile)> make;
};
const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all{
      {"langevin, small steps", false,
       [](Index tile) {
         return std::make_unique<Langevin>(LangevinOptions{.step_size = 0.1, .inner_steps = 3, .tile = tile});
       }},
      {"langevin, large steps", false,
       [](Index tile) {
         return std::make_unique<Langevin>(LangevinOptions{.step_size = 0.8, .inner_steps = 1, .tile = tile});
       }},
      {"gibbs", false, [](Index tile) { return std::make_unique<Gibbs>(GibbsOptions{.tile = tile}); }},
      {"gibbs, random scan", false,
       [](Index tile) { return std::make_unique<Gibbs>(GibbsOptions{.tile = tile, .scan = Scan::random}); }},
      {"metropolis", false,
       [](Index tile) { return std::make_unique<Metropolis>(MetropolisOptions{.scale = 1.5, .tile = tile}); }},
      {"flip_the_state", true,
       [](Index tile) { return std::make_unique<FlipTheState>(FlipTheStateOptions{.tile = tile}); }}};
  return all;
}

void check_stationary(Sampler& sampler, const ContinuousScenario& scenario) {
  MeanChanges means(scenario.model, scenario.batch);
  const Findings findings = examine_continuous(sampler, drawn_here(scenario), &means);
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
  CHECK(means.complaint() == "");
}

template <class Body>
void for_all(const Body& body) {
  for (const Candidate& candidate : candidates()) {
    CAPTURE(std::string(candidate.name));
    for (const Kind& kind : all_kinds) {
      if (kind.num_hidden == 0 && candidate.needs_discrete) continue;
      CAPTURE(std::string(kind.name));
      body(*candidate.make(0), kind);
    }
  }
}

std::vector<std::vector<std::uint8_t>> some_patterns(Index units) {
  std::vector<std::vector<std::uint8_t>> patterns(3, std::vector<std::uint8_t>(units, 0));
  patterns[0][1] = 1;
  patterns[1][0] = patterns[1][2] = 1;
  for (Index u = 3; u < units; u += 2) patterns[1][u] = 1;
  return patterns;
}

}  // namespace

TEST_CASE("samplers of continuous units leave the joint law as it is" * doctest::test_suite("slow")) {
  for_all([](Sampler& sampler, const Kind& kind) {
    const auto model = kind.make();
    const LawMaker law = gaussian_binary_law(*model);
    check_stationary(sampler, {.model = *model, .law = law});
    check_stationary(sampler, {.model = *model, .law = law, .steps = 4, .batch = 1001, .draws = 60'060});
  });
}

// A change of a mean by 0.01 of its standard deviation is seen (what that takes of a trajectory is in
// tests/controls/moves_test.cpp).
TEST_CASE("samplers of continuous units leave means as they are, by many chains" * doctest::test_suite("slow")) {
  for_all([](Sampler& sampler, const Kind& kind) {
    if (kind.num_hidden == 3) return;  // two of the four kinds: a minute
    const auto model = kind.make();
    const LawMaker law = gaussian_binary_law(*model);
    check_stationary(sampler, {.model = *model, .law = law, .steps = 3, .draws = 800'000});
  });
}

TEST_CASE("with layers held samplers of continuous units leave the conditional law as it is and them alone") {
  for_all([](Sampler& sampler, const Kind& kind) {
    if (kind.num_hidden == 0) return;
    const auto model = kind.make();
    const LawMaker law = gaussian_binary_law(*model);
    check_stationary(
        sampler, {.model = *model, .law = law, .held_layers = model->layout().observed(), .steps = 2, .draws = 30'000});
    check_stationary(
        sampler, {.model = *model, .law = law, .held_layers = model->layout().latent(), .steps = 2, .draws = 30'000});
  });
}

TEST_CASE("with single units held samplers of continuous units leave the conditional law as it is and them alone" *
          doctest::test_suite("slow")) {
  for_all([](Sampler& sampler, const Kind& kind) {
    const auto model = kind.make();
    check_stationary(sampler, {.model = *model,
                               .law = gaussian_binary_law(*model),
                               .held_units = some_patterns(3 + kind.num_hidden),
                               .steps = 2,
                               .batch = 999,
                               .draws = 99'900});
  });
}

TEST_CASE("every rung of a ladder keeps its own law under samplers of continuous units") {
  for_all([](Sampler& sampler, const Kind& kind) {
    const auto model = kind.make();
    check_stationary(sampler, {.model = *model,
                               .law = gaussian_binary_law(*model),
                               .ladder = {1.0, 0.5, 1.4},
                               .steps = 2,
                               .batch = 600,
                               .draws = 120'000});
  });
}

TEST_CASE("between a base and the model samplers of continuous units keep the law of every temperature") {
  for_all([](Sampler& sampler, const Kind& kind) {
    const auto model = kind.make();
    LayerGraph graph;
    graph.layers = model->layout().layers();
    const auto base = random_machine(graph, 1.0, 8);
    check_stationary(sampler, {.model = *model,
                               .law = gaussian_binary_law(*model, base.get()),
                               .base = base.get(),
                               .ladder = {1.0, 0.5, 0.0},
                               .batch = 600,
                               .draws = 120'000});
  });
}

TEST_CASE("between its own biases and a model samplers that go by slopes keep the law of every temperature") {
  const auto model = all_kinds[1].make();
  const FactorialBase base(*model);
  Langevin langevin({.step_size = 0.3, .inner_steps = 2});
  Hmc hmc({.step_size = 0.4, .leapfrog_steps = 4, .adapt_steps = 0});
  for (Sampler* sampler : {static_cast<Sampler*>(&langevin), static_cast<Sampler*>(&hmc)}) {
    const Target between{.model = *model, .base = &base, .beta = 0.5};
    CHECK_NOTHROW(sampler->check(between));
    check_stationary(*sampler, {.model = *model,
                                .law = gaussian_binary_law(*model, &base),
                                .base = &base,
                                .ladder = {1.0, 0.5, 0.0},
                                .steps = 2,
                                .batch = 600,
                                .draws = 120'000});
  }
}

// What was summed out is of another state than the moves led to, until it is drawn itself.
TEST_CASE("moves of seen bits with hidden ones summed out leave the law of seen Gaussian units beside them as it is") {
  LayerGraph graph;
  graph.layers = {{"gray", 2, std::make_shared<GaussianUnit>(), Role::observed},
                  {"bits", 2, std::make_shared<BinaryUnit>(), Role::observed},
                  {"hidden", 2, std::make_shared<BinaryUnit>(), Role::latent}};
  graph.couplings = {{0, 2}, {1, 2}};
  const auto model = random_machine(graph, 2.0, 4);
  const LawMaker law = gaussian_binary_law(*model);
  for (const bool marginal : {false, true}) {
    CAPTURE(marginal);
    LocallyBalanced sampler({.moves = 2, .marginal = marginal});
    sampler.check(Target{*model});
    check_stationary(sampler, {.model = *model, .law = law});
    check_stationary(sampler, {.model = *model, .law = law, .steps = 3});
    check_stationary(sampler, {.model = *model, .law = law, .held_units = {{0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 0, 0}}});
    check_stationary(sampler, {.model = *model, .law = law, .held_layers = LayerSet{}.add(LayerId{0})});
  }
}

TEST_CASE("tiles and threads leave the law as it is under samplers of continuous units") {
  const auto model = all_kinds[2].make();
  const LawMaker law = gaussian_binary_law(*model);
  for (const Candidate& candidate : candidates()) {
    CAPTURE(std::string(candidate.name));
    check_stationary(
        *candidate.make(8),
        {.model = *model, .law = law, .steps = 2, .batch = 101, .draws = 40'400, .first_chain = 3, .threads = 2});
  }
}

TEST_CASE("adjusted Langevin dynamics needs no more than an energy and its slope") {
  const DoubleWell model(1.5, 0.5), base(0.4, -0.3);
  const LawMaker law = double_well_law(model);
  for (const double step_size : {0.02, 0.15, 0.6}) {
    CAPTURE(step_size);
    Langevin langevin({.step_size = step_size, .inner_steps = 2});
    check_stationary(langevin, {.model = model, .law = law});
    check_stationary(langevin, {.model = model, .law = law, .ladder = {1.0, 0.5, 2.0}, .steps = 2, .batch = 999});
    check_stationary(langevin, {.model = model, .law = law, .held_units = {{0, 0}, {1, 0}, {0, 1}}, .batch = 999});
    check_stationary(
        langevin,
        {.model = model, .law = double_well_law(model, &base), .base = &base, .ladder = {1.0, 0.6, 0.0}, .batch = 999});
  }
}

// Without the correction a Gaussian law of precision a keeps its mean and has the precision a (1 − εa/2) instead: the
// fixed point of the variance v = (1 − εa)² v + 2ε.
TEST_CASE("Langevin dynamics that is not adjusted leaves exactly the law that theory says") {
  LayerGraph graph;
  graph.layers = small_gaussian(0, false, false, 1)->layout().layers();
  const auto model = random_machine(graph, 0.8, 3), biased = random_machine(graph, 0.8, 3);
  constexpr double epsilon = 0.4;
  const ParameterLayout& parameters = model->parameter_layout();
  const Index bias = parameters[parameters.find("bias.visible")].offset;
  const Index log_gamma = parameters[parameters.find("log_precision.visible")].offset;
  biased->update_parameters([&](std::span<Real> theta) {
    for (Index i = 0; i < 3; ++i) {
      const double factor = 1.0 - 0.5 * epsilon * std::exp(static_cast<double>(theta[log_gamma + i]));
      REQUIRE(factor > 0.3);
      theta[log_gamma + i] = static_cast<Real>(static_cast<double>(theta[log_gamma + i]) + std::log(factor));
      theta[bias + i] = static_cast<Real>(static_cast<double>(theta[bias + i]) * factor);
    }
  });
  Langevin langevin({.step_size = epsilon, .inner_steps = 2, .adjusted = false});
  check_stationary(langevin, {.model = *model, .law = gaussian_binary_law(*biased), .draws = 500'000});
}

}  // namespace langevin_test
