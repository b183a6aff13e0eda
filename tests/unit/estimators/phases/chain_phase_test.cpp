#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/chain_phase.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace chain_phase_test {

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
  std::unique_ptr<LayeredModel> model = random_rbm(4, 3, 5);
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
  ChainPhase reloaded(ChainPhase& from, ChainStart start) const {
    StateArchive saving;
    from.state(saving);
    ChainPhase to = phase(start);
    to.begin(*model, Phase::negative, {.rows = 3});
    StateArchive loading(saving.fields(), state_sizes(*model, 3));
    to.state(loading);
    return to;
  }
};

}  // namespace

TEST_CASE("chains say what they do not take, in the phase where they do not") {
  const auto lateral = random_model({{observed("v", 3), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}, 1);
  CHECK(message_of<CapabilityError>([&] { phase(ChainStart::data, 0).check(*lateral, Phase::positive); }) ==
        "phase 'chains': in the positive phase the data is held, and start = \"data\" says nothing of the latent "
        "units. Try start = \"persistent\" or \"uniform\".");
  CHECK(message_of<CapabilityError>([&] { phase(ChainStart::persistent, 6).check(*lateral, Phase::positive); }) ==
        "phase 'chains': in the positive phase there is one chain a row of the batch, and num_chains is 6. Remove it.");
  CHECK_NOTHROW(phase(ChainStart::persistent, 0).check(*lateral, Phase::positive));
  for (const ChainStart start : {ChainStart::data, ChainStart::persistent, ChainStart::uniform, ChainStart::marginals})
    CHECK_NOTHROW(phase(start).check(*lateral, Phase::negative));
  ChainPhaseOptions options;
  options.clamped_steps = 3;
  CHECK(message_of<ConfigError>([&] { options.validate(); }) ==
        "'clamped_steps' is 3, but only chains that start at the data make them. Remove it, or set start = \"data\".");
}

namespace {

/// Exact draws given whole layers alone.
class WholeLayers final : public Sampler {
 public:
  void check(const Target& target) const override {
    if (target.held && target.held->any_units()) throw CapabilityError("single units are held. Try 'gibbs'.");
    exact_.check(target);
  }
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& how,
                        LastMeans* last) override {
    return exact_.advance(target, chains, steps, how, last);
  }

 private:
  Exact exact_;
};

template <class Of>
ChainPhase phase_with(ChainStart start) {
  ChainPhaseOptions options;
  options.start = start;
  options.sampler = std::make_unique<Of>();
  return ChainPhase(std::move(options));
}

}  // namespace

TEST_CASE("the exact sampler serves where the positive phase has entries to draw, if few units are free") {
  const auto model = random_rbm(4, 3, 5), wide = random_rbm(30, 3, 5);
  ChainPhase positive = phase_with<Exact>(ChainStart::uniform);
  positive.check(*model, Phase::positive);
  CHECK_NOTHROW(positive.begin(*model, Phase::positive, {.rows = 3, .missing = true}));
  CHECK(message_of<CapabilityError>([&] { positive.begin(*wide, Phase::positive, {.rows = 3, .missing = true}); }) ==
        "phase 'chains', of rows with missing entries: sampler 'exact': enumeration of the units that are free would "
        "take 2^29 states, more than the limit of 2^22 (option max_bits). Raise it where time allows, or hold more of "
        "them. Try 'gibbs' or 'parallel_tempering'.");
}

TEST_CASE("a sampler that holds whole layers only is refused where the positive phase has entries to draw") {
  const auto model = random_rbm(4, 3, 5);
  ChainPhase positive = phase_with<WholeLayers>(ChainStart::uniform);
  positive.check(*model, Phase::positive);
  CHECK_NOTHROW(positive.begin(*model, Phase::positive, {.rows = 3}));
  CHECK(message_of<CapabilityError>([&] { positive.begin(*model, Phase::positive, {.rows = 3, .missing = true}); }) ==
        "phase 'chains', of rows with missing entries: single units are held. Try 'gibbs'.");

  // Its own draws do not depend on where chains start: from rows with holes as from anywhere.
  const Setting s;
  HeldMask mask;
  mask.hold_units(s.model->layout().find("visible"), 4, {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1});
  const auto run = [&](ChainPhase phase) {
    phase.begin(*s.model, Phase::negative, {.rows = 3, .missing = true});
    Posterior posterior;
    std::vector<Real> gradient(s.model->parameters().size(), Real{0});
    phase.accumulate(*s.model, {s.rows, s.weights, posterior, &mask, s.marginals}, Phase::negative, 1.0, gradient,
                     execution);
    return gradient;
  };
  CHECK(run(phase_with<WholeLayers>(ChainStart::data)) == run(phase_with<WholeLayers>(ChainStart::uniform)));
}

TEST_CASE("round trips are those of rows that go on, and not of rows that begin anew") {
  const auto flat = make_fully_visible({.num_visible = 3});  // all parameters 0: every exchange is accepted
  const Chains rows(flat->layout(), 10);
  const std::vector<double> weights(10, 0.1), marginals(3, 0.5);
  const auto trips = [&](ChainStart start) {
    ChainPhaseOptions options;
    options.start = start;
    options.num_chains = start == ChainStart::data ? 0 : 10;
    options.gibbs_steps = 5;
    options.sampler = std::make_unique<ParallelTempering>(
        ParallelTemperingOptions{.betas = {1.0, 0.5, 0.25, 0.0}, .sampler = std::make_unique<Gibbs>()});
    ChainPhase chains(std::move(options));
    chains.check(*flat, Phase::negative);
    chains.begin(*flat, Phase::negative, {.rows = 10});
    std::uint64_t sum = 0;
    for (int call = 0; call < 16; ++call) {
      Posterior posterior;
      std::vector<Real> gradient(flat->parameters().size(), Real{0});
      const PhaseReport report = chains.accumulate(*flat, {rows, weights, posterior, nullptr, marginals},
                                                   Phase::negative, 1.0, gradient, execution);
      sum += report.sampler.ladder->round_trips;
    }
    return sum;
  };
  // A round trip takes 8 steps of 4 rungs (Okabe et al. 2001): each of 40 rows makes some ten in 80 steps, and none in 5.
  CHECK(trips(ChainStart::persistent) >= 40 * 8);
  for (const ChainStart start : {ChainStart::data, ChainStart::uniform, ChainStart::marginals})
    CHECK(trips(start) == 0);
}

TEST_CASE(
    "chains of a model that is trained already begin at rows of the batch, and move before the first update alone") {
  Setting s;
  // Each latent unit follows a visible one and drives it: chains stay where they begin.
  s.model = make_rbm({.num_visible = 3, .num_hidden = 3});
  s.model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{-25});
    const MatrixRef w =
        s.model->parameter_layout().view(s.model->parameter_layout().find("weight.visible.hidden"), theta.data());
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) w(i, j) = i == j ? Real{50} : Real{0};
  });
  s.rows = Chains(s.model->layout(), 3);
  const LayerId visible = s.model->layout().find("visible");
  for (Index r = 0; r < 3; ++r)
    for (Index c = 0; c < 3; ++c) s.rows.write(visible)(r, c) = r == c ? Real{1} : Real{0};
  s.marginals = std::vector<double>(3, 1.0 / 3.0);
  const auto stay = [&](const ChainPhase& p) {
    for (Index r = 0; r < p.chains()->size(); ++r)
      for (Index c = 0; c < 3; ++c)
        if (p.chains()->read(visible)(r, c) != s.rows.read(visible)(r % 3, c)) return false;
    return true;
  };
  ChainPhase burned = phase(ChainStart::persistent, 50), fresh = phase(ChainStart::persistent, 50);
  for (ChainPhase* p : {&burned, &fresh}) p->begin(*s.model, Phase::negative, {.rows = 3});
  CHECK(burned.burn_in(4));
  s.run(burned);
  s.run(fresh);
  CHECK(stay(burned));
  CHECK_FALSE(stay(fresh));
  CHECK(burned.chains()->step() == 5);
  CHECK(fresh.chains()->step() == 1);
  s.run(burned);
  CHECK(burned.chains()->step() == 6);
  // Loaded chains go on.
  StateArchive saving;
  burned.state(saving);
  ChainPhase again = phase(ChainStart::persistent, 50);
  again.begin(*s.model, Phase::negative, {.rows = 3});
  CHECK(again.burn_in(4));
  StateArchive loading(saving.fields(), state_sizes(*s.model, 3));
  again.state(loading);
  s.run(again);
  CHECK(again.chains()->step() == 7);
  // Others begin anew at each update as it is.
  for (const ChainStart start : {ChainStart::data, ChainStart::uniform, ChainStart::marginals})
    CHECK_FALSE(phase(start, 0).burn_in(4));
}

TEST_CASE("chains on a ladder of temperatures, and latent units that are coupled given the data, are burned in too") {
  const auto steps_of = [](const LayeredModel& model, std::unique_ptr<Sampler> sampler) {
    ChainPhaseOptions options;
    options.num_chains = 7;
    options.sampler = std::move(sampler);
    ChainPhase p(std::move(options));
    p.check(model, Phase::negative);
    p.begin(model, Phase::negative, {.rows = 3});
    CHECK(p.burn_in(20));
    const Chains rows(model.layout(), 3);
    const std::vector<double> weights(3, 1.0 / 3.0);
    HeldMask mask;
    mask.hold_units(model.layout().find("v"), 4, {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1});
    Posterior posterior;
    std::vector<Real> gradient(model.parameters().size(), Real{0});
    p.accumulate(model, {rows, weights, posterior, &mask, std::vector<double>(4, 0.5)}, Phase::negative, 1.0, gradient,
                 execution);
    return p.chains()->step();
  };
  const auto coupled = random_model({{observed("v", 4), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}, 2);
  CHECK(steps_of(*coupled, std::make_unique<Gibbs>()) == 10 + 20 + 1);  // 10 with the data held
  CHECK(steps_of(*coupled, std::make_unique<ParallelTempering>(ParallelTemperingOptions{
                               .betas = {1.0, 0.5, 0.0}, .sampler = std::make_unique<Gibbs>()})) == 20 + 1);
}

TEST_CASE("the negative phase has the weight of its batch, whatever that is") {
  for (const ChainStart start :
       {ChainStart::data, ChainStart::persistent, ChainStart::uniform, ChainStart::marginals}) {
    Setting s;
    ChainPhase once = phase(start, start == ChainStart::data ? 0 : 6),
               twice = phase(start, start == ChainStart::data ? 0 : 6);
    once.begin(*s.model, Phase::negative, {.rows = 3});
    twice.begin(*s.model, Phase::negative, {.rows = 3});
    std::vector<Real> one = s.run(once);
    for (double& w : s.weights) w *= 2.0;
    const std::vector<Real> two = s.run(twice);
    for (Real& g : one) g *= 2;
    CHECK(one == two);
  }
}

TEST_CASE("persistent chains of the positive phase want to know the rows") {
  const Setting s;
  ChainPhase p = phase(ChainStart::persistent, 0);
  Posterior posterior;
  std::vector<Real> gradient(s.model->parameters().size());
  CHECK(
      message_of<CapabilityError>([&] {
        p.accumulate(*s.model, {s.rows, s.weights, posterior}, Phase::positive, 1.0, gradient, execution);
      }) ==
      "phase 'chains': persistent chains of the positive phase belong to rows of the data, and the batch does not say "
      "which these are. Fill DataBatch::indices, or try start = \"uniform\".");
}

TEST_CASE("clamped chains leave what was seen alone, and go on from their state bit by bit") {
  const auto model = random_model({{observed("v", 4), latent("h", 3)}, {{0, 0}, {0, 1}, {1, 1}}, {}}, 2);
  const Oracle oracle(*model);
  const Chains rows = oracle.chains({{1, 0, 1, 0, 0, 0, 0}, {0, 1, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0}});
  const std::vector<double> weights(3, 1.0 / 3.0);
  for (const bool missing : {false, true}) {
    HeldMask mask;
    mask.hold_units(model->layout().find("v"), 4, {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1});
    const auto run = [&](ChainPhase& p, std::vector<Index> indices) {
      Posterior posterior;
      std::vector<Real> gradient(model->parameters().size(), Real{0});
      p.accumulate(*model, {rows, weights, posterior, missing ? &mask : nullptr, {}, indices}, Phase::positive, 1.0,
                   gradient, execution);
      const ConstMatrixRef now = p.chains()->read(model->layout().find("v")),
                           then = rows.read(model->layout().find("v"));
      for (Index r = 0; r < 3; ++r)
        for (Index c = 0; c < 4; ++c)
          if (!missing || mask.units(model->layout().find("v"), 0, 3)(r, c)) CHECK(now(r, c) == then(r, c));
      return gradient;
    };
    for (const ChainStart start : {ChainStart::persistent, ChainStart::uniform, ChainStart::marginals}) {
      ChainPhase whole = phase(start, 0);
      run(whole, {5, 2, 9});
      StateArchive saving;
      whole.state(saving);
      ChainPhase again = phase(start, 0);
      again.begin(*model, Phase::positive, {.rows = 10, .missing = missing});
      StateArchive loading(saving.fields(), state_sizes(*model, 10));
      again.state(loading);
      CHECK(run(again, {2, 5, 7}) == run(whole, {2, 5, 7}));
      CHECK(run(again, {9, 7, 5}) == run(whole, {9, 7, 5}));
    }
  }
}

TEST_CASE("memory of the positive phase counts a chain a row of the data, a byte a latent unit") {
  const auto model = random_model({{observed("v", 4), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}, 2);
  const auto bytes = [&](ChainStart start, bool missing) {
    ChainPhase p = phase(start, 0);
    p.begin(*model, Phase::positive, {.rows = 1000, .missing = missing});
    MemoryNeed need;
    p.memory(*model, Phase::positive, 10, need);
    return need.state_bytes();
  };
  const double chains = 10.0 * 7.0 * sizeof(Real);
  CHECK(bytes(ChainStart::uniform, false) == chains);
  CHECK(bytes(ChainStart::persistent, false) == chains + 1000.0 * (3.0 + 1.0));
  CHECK(bytes(ChainStart::persistent, true) == chains + 1000.0 * (7.0 + 1.0));
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
    ChainPhase again = s.reloaded(whole, start);
    CHECK(s.run(again) == s.run(whole));
    CHECK(s.run(again) == s.run(whole));
  }
}

TEST_CASE("a state that is loaded and saved before the first update is not lost") {
  const Setting s;
  ChainPhase whole = phase(ChainStart::persistent);
  s.run(whole);
  ChainPhase once = s.reloaded(whole, ChainStart::persistent);
  ChainPhase twice = s.reloaded(once, ChainStart::persistent);
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
  ChainPhase loaded = s.reloaded(p, ChainStart::persistent);
  ChainPhase fresh = phase(ChainStart::persistent);
  CHECK(s.run(loaded) == s.run(fresh));
}

}  // namespace chain_phase_test
