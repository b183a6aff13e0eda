// Exact-start tests of tempering along a trajectory: what must stay is the product of the laws of all machines.

#include <optional>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/machine_ladder.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/samplers/trajectory_tempering.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/tempering.hpp>
#include <harmonium/tests/support/trajectories.hpp>

namespace trajectory_tempering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const std::vector<double> places{1.0, 0.8, 0.45, 0.0};

/// A model with a run that led to it, the sampler over that, and the machines that its rungs are to be.
struct Trajectory {
  std::unique_ptr<LayeredModel> model;
  ScratchFolder folder;
  std::vector<KeptMachine> kept;

  explicit Trajectory(std::unique_ptr<LayeredModel> of) : model(std::move(of)), kept(made_trajectory(*model, 3, 5)) {
    write_trajectory(folder.path(), *model, kept);
  }
  TrajectoryTempering sampler(Index swap_every = 1, std::unique_ptr<Sampler> inner = std::make_unique<Gibbs>()) const {
    return TrajectoryTempering(
        {.run = folder.path().string(), .places = places, .swap_every = swap_every, .sampler = std::move(inner)});
  }
  void check(TrajectoryTempering tempering, LadderScenario scenario) const {
    std::vector<double> at(tempering.places().begin(), tempering.places().end());
    const MachineRungs rungs(*model, MachinePath(*model, kept), at);
    scenario.machines = rungs.with(*model);
    scenario.betas.assign(at.size(), 1.0);
    const Findings findings = examine_ladder(tempering, drawn_here(scenario));
    INFO(findings.law.summary());
    CHECK(findings.complaint() == "");
  }
};

std::vector<std::vector<std::uint8_t>> patterns_of(const Layout& layout, LayerSet of) {
  std::vector<std::vector<std::uint8_t>> patterns;
  const StateSpace space(layout);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<std::uint8_t> held(space.num_units());
    for (std::size_t u = 0; u < held.size(); ++u)
      held[u] = of.contains(space.layer_of(u)) && (u * 5 + i * 3) % 7 < 3 ? 1 : 0;
    patterns.push_back(held);
  }
  patterns.emplace_back(space.num_units(), std::uint8_t{0});
  return patterns;
}

}  // namespace

TEST_CASE("trajectory tempering leaves the laws of all machines as they are" * doctest::test_suite("slow")) {
  for (auto make : {&small_rbm, &small_spin_rbm, &small_semi_restricted, &small_general, &small_deep, &small_visible}) {
    const Trajectory of(make());
    CAPTURE(of.model->formula());
    for (const Index steps : {1, 3}) of.check(of.sampler(), {.model = *of.model, .betas = {}, .steps = steps});
    of.check(of.sampler(3), {.model = *of.model, .betas = {}, .steps = 4, .threads = 2});
  }
}

TEST_CASE("with layers or units held it leaves the laws given them as they are, by free energies and by energies" *
          doctest::test_suite("slow")) {
  for (auto make : {&small_rbm, &small_semi_restricted, &small_general, &small_visible}) {
    const Trajectory of(make());
    const Layout& layout = of.model->layout();
    CAPTURE(of.model->formula());
    // Of the observed units the latent ones can still be summed out; beside latent ones that are held they cannot.
    for (const LayerSet set : {layout.observed(), layout.all()})
      of.check(of.sampler(), {.model = *of.model, .betas = {}, .held_units = patterns_of(layout, set)});
    if (layout.latent().empty()) continue;
    of.check(of.sampler(), {.model = *of.model, .betas = {}, .held_layers = layout.observed()});
    of.check(of.sampler(), {.model = *of.model, .betas = {}, .held_layers = layout.latent()});
  }
}

TEST_CASE("another sampler may move the rows, and the path may be straight") {
  const Trajectory of(small_rbm());
  of.check(of.sampler(1, std::make_unique<Metropolis>(MetropolisOptions{})), {.model = *of.model, .betas = {}});
  Trajectory straight(small_general());
  straight.kept.clear();
  straight.check(TrajectoryTempering({.places = places, .sampler = std::make_unique<Gibbs>()}),
                 {.model = *straight.model, .betas = {}});
}

TEST_CASE("once its ladder stands still, adapted trajectory tempering leaves the laws as they are") {
  const Trajectory of(small_rbm());
  TrajectoryTempering sampler(
      {.run = of.folder.path().string(), .num_rungs = 4, .adapt_steps = 200, .sampler = std::make_unique<Gibbs>()});
  const Executor executor(1);
  Chains chains(of.model->layout(), 40);
  for (Index r = 0; r < chains.size(); ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % 4);
  sampler.advance(Target{*of.model}, chains, 200, {executor, {3, 4}});
  CHECK(sampler.places().front() == 1.0);
  CHECK(sampler.places().back() == 0.0);
  CHECK(sampler.places()[1] != doctest::Approx(2.0 / 3.0));
  of.check(std::move(sampler), {.model = *of.model, .betas = {}});
}

}  // namespace trajectory_tempering_test
