#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/ladders.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace parallel_tempering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, {5, 6}};

ParallelTempering make(ParallelTemperingOptions options) {
  options.sampler = std::make_unique<Gibbs>();
  return ParallelTempering(std::move(options));
}

bool same(const Chains& a, const Chains& b, const Layout& layout) {
  bool equal = a.step() == b.step() && std::ranges::equal(a.rung(), b.rung());
  for (const LayerId l : layout.ids()) {
    const ConstMatrixRef x = a.read(l), y = b.read(l);
    equal = equal && std::equal(x.data, x.data + x.rows * x.cols, y.data);
  }
  return equal;
}

std::string refused_options(std::vector<double> betas, std::optional<Index> num_rungs = {}) {
  return message_of<ConfigError>([&] { make({.betas = std::move(betas), .num_rungs = num_rungs}); });
}

/// N spins with J/N between each pair: E = −(Σs)²/2N + ½.
std::unique_ptr<LayeredModel> curie_weiss(Index n, double strength) {
  auto model = make_fully_visible({.num_visible = n, .visible_units = std::make_unique<SpinUnit>()});
  model->update_parameters([&](std::span<Real> theta) {
    const ParameterLayout& layout = model->parameter_layout();
    const MatrixRef w = layout.view(layout.find("weight.visible.visible"), theta.data());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) w(i, j) = i == j ? Real{0} : static_cast<Real>(strength / static_cast<double>(n));
  });
  return model;
}

}  // namespace

TEST_CASE("options of parallel tempering that cannot be meant are refused") {
  CHECK(refused_options({1.0}) ==
        "'betas' holds one temperature, and there is none to exchange with. Give two or more.");
  CHECK(
      refused_options({0.9, 0.5}) ==
      "'betas' starts at 0.9, but its first is the target's own. Start at 1; --beta or the target says what that is.");
  CHECK(refused_options({1.0, 0.5, 0.5}) == "'betas' must descend from 1 to 0 or more, but number 3 is 0.5.");
  CHECK(refused_options({1.0, -0.5}) == "'betas' must descend from 1 to 0 or more, but number 2 is -0.5.");
  CHECK(refused_options({1.0, std::nan("")}) == "'betas' must descend from 1 to 0 or more, but number 2 is nan.");
  CHECK(refused_options({1.0, 0.5}, 4) ==
        "'betas' is a ladder already, so 'num_rungs' and 'adapt_steps' have no meaning. Leave one out.");
  CHECK(refused_options({}, 1) == "'num_rungs' must be at least 2.");
  CHECK_THROWS_AS(ParallelTempering({}), ConfigError);
  auto inner = std::make_unique<ParallelTempering>(
      ParallelTemperingOptions{.betas = {1.0, 0.5}, .sampler = std::make_unique<Gibbs>()});
  CHECK(message_of<ConfigError>([&] {
          ParallelTempering({.betas = {1.0, 0.5}, .sampler = std::move(inner)});
        }) == "the inner sampler has temperatures of its own. Try 'gibbs'.");
}

TEST_CASE("a base of biases is refused away from beta = 1, whose model it is not") {
  const auto model = small_rbm();
  Target half{*model};
  half.beta = 0.5;
  const ParallelTempering based = make({.betas = {1.0, 0.0}, .base = TemperingBase::biases});
  CHECK(message_of<CapabilityError>([&] { based.check(half); }) ==
        "sampler 'parallel_tempering': the base \"biases\" is that of the model at beta = 1, and 0.5 is asked for. Set "
        "base = \"none\".");
  half.beta = 1.0;
  based.check(half);
}

TEST_CASE("targets that parallel tempering cannot serve are refused") {
  const auto model = small_rbm();
  const FactorialBase base(*model);
  const std::vector<double> ladder{1.0, 0.5};
  Target with_ladder{*model}, with_base{*model}, cold{*model};
  with_ladder.ladder = ladder;
  with_base.base = &base;
  cold.beta = 2.0;
  ParallelTempering plain = make({.betas = {1.0, 0.0}});
  ParallelTempering based = make({.betas = {1.0, 0.0}, .base = TemperingBase::biases});
  CHECK_THROWS_AS(plain.check(with_ladder), CapabilityError);
  CHECK_NOTHROW(plain.check(with_base));
  CHECK_NOTHROW(plain.check(cold));
  CHECK_THROWS_AS(based.check(with_base), CapabilityError);
  CHECK_THROWS_AS(based.check(cold), CapabilityError);
  CHECK_NOTHROW(based.check(Target{*model}));
  with_base.beta = 1.5;
  CHECK_THROWS_AS(plain.check(with_base), CapabilityError);
  // The inner sampler has its say: 'exact' takes no base.
  const ParallelTempering exact(
      {.betas = {1.0, 0.0}, .base = TemperingBase::biases, .sampler = std::make_unique<Exact>()});
  CHECK_THROWS_AS(exact.check(Target{*model}), CapabilityError);

  LayerGraph graph = binary_layers({3, 2}, {true, false}, {{0, 1}});
  graph.layers[0].unit = std::make_shared<GaussianUnit>();
  const LayeredModel continuous(graph);
  const ParallelTempering without = make({.betas = {1.0, 0.0}, .base = TemperingBase::none});
  const std::string
      lawless = "sampler 'parallel_tempering': at beta = 0 the continuous units of layer 'layer0' have no law. ",
      above = "et 'betas' end above 0 (--set 'sampler.betas=[1, 0.7, 0.5, 0.35, 0.25]').";
  CHECK(message_of<CapabilityError>([&] { without.check(Target{continuous}); }) ==
        lawless + "Set base = \"biases\" (--set sampler.base=biases), or l" + above);
  // The base that is taken unasked is that of β = 1.
  CHECK_NOTHROW(plain.check(Target{continuous}));
  Target colder{continuous};
  colder.beta = 2.0;
  CHECK(message_of<CapabilityError>([&] { plain.check(colder); }) == lawless + "L" + above);
  CHECK_NOTHROW(make({.betas = {1.0, 0.5}}).check(colder));
  CHECK_NOTHROW(based.check(Target{continuous}));
  CHECK_NOTHROW(make({.betas = {1.0, 0.5}}).check(Target{continuous}));
}

TEST_CASE("rows that are no ladder, or hold different things, are refused") {
  const auto model = small_rbm();
  const Layout& layout = model->layout();
  ParallelTempering sampler = make({.betas = {1.0, 0.5, 0.0}});
  Chains odd(layout, 4);
  CHECK_THROWS_AS(sampler.advance(Target{*model}, odd, 1, execution), CapabilityError);
  Chains twice = started_ladders(layout, 2, 3);
  twice.rung()[4] = 0;
  CHECK_THROWS_AS(sampler.advance(Target{*model}, twice, 1, execution), CapabilityError);

  Target target{*model};
  const HeldMask layer(layout.observed());
  target.held = &layer;
  Chains chains = started_ladders(layout, 2, 3);
  CHECK_THROWS_AS(sampler.advance(target, chains, 1, execution), CapabilityError);
  for (Index r = 0; r < 6; ++r) std::copy_n(chains.read(LayerId{0}).row(r / 3 * 3), 5, chains.write(LayerId{0}).row(r));
  CHECK_NOTHROW(sampler.advance(target, chains, 1, execution));
  HeldMask units;
  std::vector<std::uint8_t> bytes(6 * 5, 1);
  bytes[7] = 0;
  units.hold_units(LayerId{0}, 5, bytes);
  target.held = &units;
  CHECK_THROWS_AS(sampler.advance(target, chains, 1, execution), CapabilityError);
}

TEST_CASE("several calls of parallel tempering are one, also between two that remember through an archive") {
  const auto model = small_general();
  const Layout& layout = model->layout();
  for (const bool adapted : {false, true}) {
    CAPTURE(adapted);
    const auto options = [&] {
      ParallelTemperingOptions o;
      if (adapted) {
        o.num_rungs = 4;
        o.adapt_steps = 37;
      } else {
        o.betas = {1.0, 0.7, 0.3, 0.0};
      }
      o.swap_every = 3;
      return o;
    };
    ParallelTempering whole = make(options()), first = make(options()), second = make(options());
    Chains a = started_ladders(layout, 30, 4), b = a;
    const SamplerReport report = whole.advance(Target{*model}, a, 61, execution);
    first.advance(Target{*model}, b, 20, {Executor(1), execution.random});
    StateArchive saved;
    first.state(saved);
    StateArchive loading(saved.fields(), state_sizes(*model));
    second.state(loading);
    second.advance(Target{*model}, b, 11, execution);
    const SamplerReport rest = second.advance(Target{*model}, b, 30, {Executor(1), execution.random});
    CHECK(same(a, b, layout));
    CHECK(std::ranges::equal(whole.ladder(), second.ladder()));
    CHECK(rest.ladder->betas == report.ladder->betas);
  }
}

TEST_CASE("the base of biases is that of the target that has it") {
  const auto model = small_general();
  const FactorialBase base(*model);
  Target with_base{*model};
  with_base.base = &base;
  ParallelTempering own = make({.betas = {1.0, 0.5, 0.0}, .base = TemperingBase::biases});
  ParallelTempering given = make({.betas = {1.0, 0.5, 0.0}});
  Chains a = started_ladders(model->layout(), 10, 3), b = a;
  own.advance(Target{*model}, a, 7, execution);
  given.advance(with_base, b, 7, execution);
  CHECK(same(a, b, model->layout()));
}

TEST_CASE(
    "the base that is taken unasked is that of the biases where continuous units come to zero, else none, and is "
    "told") {
  const auto gaussian =
      random_model({{observed("v", 3, std::make_shared<SpinUnit>()), latent("h", 2, std::make_shared<GaussianUnit>())},
                    {{0, 1}},
                    {}},
                   7, 0.5);
  const auto discrete = small_general();
  struct Case {
    const EnergyModel& model;
    std::vector<double> betas;
    TemperingBase same;
  };
  for (const Case& c :
       {Case{*gaussian, {1.0, 0.5, 0.0}, TemperingBase::biases}, Case{*gaussian, {1.0, 0.7, 0.5}, TemperingBase::none},
        Case{*discrete, {1.0, 0.5, 0.0}, TemperingBase::none}}) {
    ParallelTempering unasked = make({.betas = c.betas}), told = make({.betas = c.betas, .base = c.same});
    Chains a = started_ladders(c.model.layout(), 10, 3), b = a;
    const SamplerReport report = unasked.advance(Target{c.model}, a, 8, execution);
    told.advance(Target{c.model}, b, 8, execution);
    CHECK(same(a, b, c.model.layout()));
    const bool says = report.ladder->summary().find("down to the model without its couplings (base = \"biases\")") !=
                      std::string::npos;
    CHECK(says == (c.same == TemperingBase::biases));
  }
}

TEST_CASE("means that parallel tempering leaves behind are those of the rungs where rows now are") {
  const auto model = small_rbm();
  const Layout& layout = model->layout();
  ParallelTempering sampler = make({.betas = {1.0, 0.6, 0.2}});
  Chains chains = started_ladders(layout, 20, 3);
  const Index rows = chains.size();
  std::vector<Real> means(rows * 4);
  LastMeans last;
  last.mean = {MatrixRef{}, MatrixRef{means.data(), rows, 4, 4}};
  last.second.resize(2);
  const SamplerReport report = sampler.advance(Target{*model}, chains, 5, execution, &last);
  REQUIRE(last.filled.contains(LayerId{1}));
  CHECK(report.ladder->accepted[0] > 0);
  const ConstMatrixRef v = chains.read(LayerId{0});
  const ParameterLayout& parameters = model->parameter_layout();
  const ConstMatrixRef w = parameters.view(parameters.find("weight.layer0.layer1"), model->parameters().data());
  const ConstMatrixRef c = parameters.view(parameters.find("bias.layer1"), model->parameters().data());
  for (Index r = 0; r < rows; ++r) {
    for (Index j = 0; j < 4; ++j) {
      double field = static_cast<double>(c(j, 0));
      for (Index i = 0; i < 5; ++i) field += static_cast<double>(v(r, i) * w(i, j));
      const double mean = 1.0 / (1.0 + std::exp(-report.ladder->betas[chains.rung()[r]] * field));
      CHECK(std::abs(static_cast<double>(means[r * 4 + j]) - mean) < 1e-6);
    }
  }
}

TEST_CASE("rows of a ladder at equal energies exchange always, and travel by round trips") {
  const auto model = make_fully_visible({.num_visible = 3});  // all parameters 0
  ParallelTempering sampler = make({.betas = {1.0, 0.5, 0.25, 0.0}});
  Chains chains = started_ladders(model->layout(), 10, 4);
  const SamplerReport report = sampler.advance(Target{*model}, chains, 80, execution);
  REQUIRE(report.ladder);
  for (Index k = 0; k < 3; ++k) {
    CHECK(report.ladder->proposed[k] == 10 * 40);
    CHECK(report.ladder->accepted[k] == report.ladder->proposed[k]);
  }
  // Even and odd exchanges that all succeed carry every row up and down once in 8 steps (Okabe et al. 2001): each of the
  // 40 rows comes back some ten times.
  CHECK(report.ladder->round_trips >= 40 * 8);
  CHECK(report.ladder->round_trips <= 40 * 10);
  CHECK(report.ladder->summary().starts_with("4 temperatures, exchanges accepted 1.00 to 1.00 of the time, "));
}

TEST_CASE("an adapted ladder rejects equally often between all neighbors") {
  const auto model = curie_weiss(60, 1.8);  // evenly spaced, the rates of this one differ
  const Layout& layout = model->layout();
  const auto rates = [&](Index adapt_steps) {
    ParallelTempering sampler = make({.num_rungs = 6, .adapt_steps = adapt_steps});
    Chains chains = started_ladders(layout, 20, 6);
    sampler.advance(Target{*model}, chains, 600, execution);
    const SamplerReport report = sampler.advance(Target{*model}, chains, 1500, execution);
    std::vector<double> all;
    for (Index k = 0; k < 5; ++k) all.push_back(report.ladder->rate(k));
    return all;
  };
  const std::vector<double> adapted = rates(600), even = rates(0);
  const auto spread = [](const std::vector<double>& r) { return std::ranges::max(r) - std::ranges::min(r); };
  CAPTURE(spread(even));
  CHECK(spread(adapted) < 0.05);
  CHECK(spread(even) > 0.15);
}

TEST_CASE("parallel tempering says what it costs") {
  ParallelTempering sampler = make({.betas = {1.0, 0.5, 0.0}, .swap_every = 2});
  CHECK(sampler.rungs() == 3);
  CHECK(sampler.products_per_step() == 3 * (2.0 + 0.5));
  CHECK(sampler.adaptation_steps() == 0);
  CHECK(make({.adapt_steps = 70}).adaptation_steps() == 70);
  CHECK(make({}).rungs() == 10);
  const auto model = small_rbm();
  MemoryNeed need;
  sampler.memory(*model, need);
  CHECK(need.bytes() == 2.0 * 256 * 9 * 8);
}

}  // namespace parallel_tempering_test
