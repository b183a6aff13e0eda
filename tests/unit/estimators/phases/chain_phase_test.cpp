#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(1);
const Execution execution{executor, RandomSource{2, 3}};

ChainPhase phase(ChainStart start, Index num_chains = 6) {
  ChainPhaseOptions options;
  options.start = start;
  options.num_chains = num_chains;
  options.sampler = std::make_unique<Gibbs>();
  return ChainPhase(std::move(options));
}

struct Setting {
  std::unique_ptr<Pairwise> model = random_rbm(4, 3, 5);
  Oracle oracle{*model};
  Chains rows = oracle.chains({{1, 0, 1, 0, 0, 0, 0}, {0, 1, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0}});
  std::vector<double> weights = std::vector<double>(3, 1.0 / 3.0), marginals{0.25, 0.5, 0.5, 0.75};

  std::vector<Real> run(ChainPhase& p) const {
    Posterior posterior;
    std::vector<Real> gradient(model->parameters().size(), Real{0});
    p.accumulate(*model, {rows, weights, posterior, nullptr, marginals}, Phase::negative, 1.0, gradient, execution);
    return gradient;
  }
  /// The state of a phase, loaded into a new one that has done nothing yet.
  static ChainPhase reloaded(ChainPhase& from, ChainStart start) {
    StateArchive saving;
    from.state(saving);
    ChainPhase to = phase(start);
    StateArchive loading(saving.fields());
    to.state(loading);
    return to;
  }
};

}  // namespace

TEST_CASE("chains are a negative phase, and start from the data only where the posterior factorises") {
  const auto lateral = random_model({{observed("v", 3), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}, 1);
  CHECK(message_of<CapabilityError>([&] { phase(ChainStart::persistent).check(*lateral, Phase::positive); }) ==
        "phase 'chains': it is a negative phase, whose chains draw from the model. Try 'posterior_mean' or 'exact' for "
        "the "
        "positive one.");
  CHECK(message_of<CapabilityError>([&] { phase(ChainStart::data).check(*lateral, Phase::negative); }) ==
        "phase 'chains': a start from the data draws the latent units from their posterior, and they are coupled given "
        "the "
        "observed ones. Try start = \"persistent\".");
  CHECK_NOTHROW(phase(ChainStart::persistent).check(*lateral, Phase::negative));
}

TEST_CASE("chains without a sampler or a step are refused") {
  CHECK(message_of<ConfigError>([] { ChainPhase p(ChainPhaseOptions{}); }) ==
        "phase 'chains': a sampler must be given.");
  ChainPhaseOptions options;
  options.sampler = std::make_unique<Gibbs>();
  options.gibbs_steps = 0;
  CHECK(message_of<ConfigError>([&] { ChainPhase p(std::move(options)); }) ==
        "phase 'chains': 'gibbs_steps' must be at least 1.");
}

TEST_CASE("started at the data there is a chain a row, else as many as were asked for, or as the batch has rows") {
  const Setting s;
  const auto chains = [&](ChainStart start, Index num_chains) {
    ChainPhase p = phase(start, num_chains);
    s.run(p);
    return p.chains()->size();
  };
  CHECK(chains(ChainStart::data, 6) == 3);
  CHECK(chains(ChainStart::persistent, 6) == 6);
  CHECK(chains(ChainStart::persistent, 0) == 3);
  CHECK(chains(ChainStart::uniform, 6) == 6);
}

TEST_CASE("steps only ever grow, whether chains go on or start anew") {
  const Setting s;
  for (const ChainStart start :
       {ChainStart::data, ChainStart::persistent, ChainStart::uniform, ChainStart::marginals}) {
    ChainPhase p = phase(start);
    const std::vector<Real> first = s.run(p);
    CHECK(p.chains()->step() == 1);
    const std::vector<Real> second = s.run(p);
    CHECK(p.chains()->step() == 2);
    CHECK(first != second);
  }
}

TEST_CASE("a phase goes on from its state, bit by bit, from every start") {
  const Setting s;
  for (const ChainStart start :
       {ChainStart::data, ChainStart::persistent, ChainStart::uniform, ChainStart::marginals}) {
    ChainPhase whole = phase(start);
    s.run(whole);
    ChainPhase again = Setting::reloaded(whole, start);
    CHECK(s.run(again) == s.run(whole));
    CHECK(s.run(again) == s.run(whole));
  }
}

TEST_CASE("a state that is loaded and saved before the first update is not lost") {
  const Setting s;
  ChainPhase whole = phase(ChainStart::persistent);
  s.run(whole);
  ChainPhase once = Setting::reloaded(whole, ChainStart::persistent);
  ChainPhase twice = Setting::reloaded(once, ChainStart::persistent);
  StateArchive first, second;
  whole.state(first);
  twice.state(second);
  CHECK(first.fields() == second.fields());
  CHECK(s.run(twice) == s.run(whole));
}

TEST_CASE("a phase that has done nothing has no chains to save") {
  ChainPhase p = phase(ChainStart::persistent);
  CHECK(p.chains() == nullptr);
  StateArchive saved;
  p.state(saved);
  CHECK(saved.fields().empty());
  const Setting s;
  ChainPhase loaded = Setting::reloaded(p, ChainStart::persistent);
  ChainPhase fresh = phase(ChainStart::persistent);
  CHECK(s.run(loaded) == s.run(fresh));
}
