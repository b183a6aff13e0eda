// Exact-start tests of parallel tempering: what must stay is the product of the laws of all rungs.

#include <doctest/doctest.h>

#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/tempering.hpp>

namespace parallel_tempering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Kind {
  const char* name;
  std::unique_ptr<LayeredModel> (*make)();
};
constexpr Kind all_kinds[] = {{"RBM", &small_rbm},
                              {"semi-restricted", &small_semi_restricted},
                              {"general", &small_general},
                              {"deep", &small_deep},
                              {"fully visible", &small_visible}};

const std::vector<double> ladder{1.0, 0.75, 0.5, 0.0};

ParallelTempering tempering(std::vector<double> betas, Index swap_every = 1, TemperingBase base = TemperingBase::none) {
  return ParallelTempering(
      {.betas = std::move(betas), .swap_every = swap_every, .base = base, .sampler = std::make_unique<Gibbs>()});
}

void check_stationary(ParallelTempering sampler, const LadderScenario& scenario) {
  const Findings findings = examine_ladder(sampler, drawn_here(scenario));
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
}

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

/// Without couplings and with other biases.
std::unique_ptr<LayeredModel> uncoupled(const LayeredModel& model) {
  LayerGraph graph;
  graph.layers = model.layout().layers();
  return random_machine(graph, 1.0, 8);
}

}  // namespace

TEST_CASE("parallel tempering leaves the laws of all rungs as they are" * doctest::test_suite("slow")) {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    for (const Index steps : {1, 3})
      check_stationary(tempering(ladder), {.model = *model, .betas = ladder, .steps = steps});
    check_stationary(tempering(ladder, 3), {.model = *model, .betas = ladder, .steps = 4, .threads = 2});
  }
}

TEST_CASE("a target at another temperature scales the ladder of parallel tempering") {
  const auto model = small_general();
  for (const double beta : {0.5, 1.5}) {
    CAPTURE(beta);
    check_stationary(tempering({1.0, 0.5}), {.model = *model, .betas = {beta, 0.5 * beta}});
  }
}

TEST_CASE("with layers or units held parallel tempering leaves the laws given them as they are" *
          doctest::test_suite("slow")) {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    const auto patterns = some_patterns(StateSpace(model->layout()).num_units());
    check_stationary(tempering(ladder), {.model = *model, .betas = ladder, .held_units = patterns});
    if (model->layout().latent().empty()) continue;
    check_stationary(tempering(ladder), {.model = *model, .betas = ladder, .held_layers = model->layout().observed()});
    check_stationary(tempering(ladder), {.model = *model, .betas = ladder, .held_layers = model->layout().latent()});
  }
}

TEST_CASE("from a base distribution parallel tempering leaves the laws of all rungs as they are" *
          doctest::test_suite("slow")) {
  for (const Kind& kind : all_kinds) {
    CAPTURE(std::string(kind.name));
    const auto model = kind.make();
    const auto other = uncoupled(*model);
    check_stationary(tempering(ladder), {.model = *model, .betas = ladder, .base = other.get()});
    const FactorialBase own(*model);
    check_stationary(tempering(ladder, 1, TemperingBase::biases),
                     {.model = *model, .betas = ladder, .base = &own, .give_base = false});
    check_stationary(tempering(ladder, 1, TemperingBase::biases), {.model = *model,
                                                                   .betas = ladder,
                                                                   .base = &own,
                                                                   .give_base = false,
                                                                   .held_layers = model->layout().observed()});
  }
}

TEST_CASE("once its ladder stands still, adapted parallel tempering leaves the laws as they are") {
  const auto model = small_general();
  ParallelTempering sampler({.num_rungs = 4, .adapt_steps = 200, .sampler = std::make_unique<Gibbs>()});
  const Executor executor(1);
  Chains chains(model->layout(), 40);
  for (Index r = 0; r < chains.size(); ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 4);
  sampler.advance(Target{*model}, chains, 200, {executor, {3, 4}});
  // As it is rounded for the kernels.
  std::vector<double> betas;
  for (const double b : sampler.ladder()) betas.push_back(static_cast<double>(static_cast<Real>(b)));
  CHECK(betas.front() == 1.0);
  CHECK(betas.back() == 0.0);
  CHECK(betas[1] != doctest::Approx(2.0 / 3.0));
  check_stationary(std::move(sampler), {.model = *model, .betas = betas});
}

}  // namespace parallel_tempering_test
