#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/samplers/flip_the_state.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/hmc.hpp>
#include <harmonium/samplers/langevin.hpp>
#include <harmonium/samplers/locally_balanced.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace moves_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class Bare final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const BlockConditionals* block_conditionals() const override { return nullptr; }
};
class WithoutSlope final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const StateGradient* state_gradient() const override { return nullptr; }
};

/// A real number from 0 to 1.
class UnitInterval final : public UnitType {
 public:
  std::string_view name() const override { return "interval"; }
  Index num_states() const override { return 0; }
  void states(MatrixRef) const override {}
  bool has_curvature() const override { return false; }
  double min() const override { return 0.0; }
  double max() const override { return 1.0; }
  std::string_view domain() const override { return "from 0 to 1"; }
  void add_log_partition(const BasicFields<const double>&, std::span<double>) const override {}
  void moments(const ConstFields&, MatrixRef, MatrixRef) const override {}
  void sample(const ConstFields&, const DrawBlock&, MatrixRef, MatrixRef) const override {}
  void linear_of_mean(std::span<const double>, double, double, std::span<double>) const override {}
  void sample_uniform(const DrawBlock&, MatrixRef) const override {}
};

std::vector<Real> values(const Chains& chains) {
  std::vector<Real> all;
  for (Index l = 0; l < chains.num_layers(); ++l) {
    const ConstMatrixRef x = chains.read(static_cast<LayerId>(l));
    all.insert(all.end(), x.data, x.data + x.rows * x.cols);
  }
  return all;
}

const RandomSource words{3, 4};

}  // namespace

TEST_CASE("what a sampler cannot move is refused, with what serves instead") {
  const auto rbm = random_rbm(3, 2, 1);
  const auto gaussian = small_gaussian(2, false, false, 1), alone = small_gaussian(0, true, false, 1);
  const Bare bare(*rbm), bare_gaussian(*gaussian), bare_alone(*alone);
  const WithoutSlope flat(*gaussian);
  const DoubleWell well(1, 0);

  CHECK_NOTHROW(Metropolis().check(Target{*rbm}));
  CHECK_NOTHROW(Metropolis().check(Target{*gaussian}));
  CHECK(message_of<CapabilityError>([&] { Metropolis().check(Target{bare}); }) ==
        "sampler 'metropolis': the model offers no block conditionals, whose differences decide what is accepted. Try "
        "'langevin'.");
  CHECK(message_of<CapabilityError>([&] {
          Metropolis().check(Target{*rbm, &bare});
        }) == "sampler 'metropolis': the base distribution offers no block conditionals.");

  CHECK_NOTHROW(FlipTheState().check(Target{*gaussian}));
  CHECK(message_of<CapabilityError>([&] { FlipTheState().check(Target{bare}); }) ==
        "sampler 'flip_the_state': the model offers no block conditionals, whose probabilities it proposes by. Try "
        "'langevin'.");
  CHECK(message_of<CapabilityError>([&] { FlipTheState().check(Target{*alone}); }) ==
        "sampler 'flip_the_state': no layer of the model is discrete, so that there is no state to flip. Try 'gibbs', "
        "'metropolis' or 'langevin'.");

  CHECK_NOTHROW(Langevin().check(Target{*gaussian}));
  CHECK_NOTHROW(Langevin().check(Target{bare_alone}));
  CHECK_NOTHROW(Langevin().check(Target{well}));
  CHECK(message_of<CapabilityError>([&] { Langevin().check(Target{*rbm}); }) ==
        "sampler 'langevin': no layer of the model is continuous, so that its energy has no slope. Try 'gibbs', "
        "'flip_the_state' or 'metropolis'.");
  CHECK(message_of<CapabilityError>([&] { Langevin().check(Target{flat}); }) ==
        "sampler 'langevin': the model offers no gradient of its energy by the state. Try 'gibbs' or 'metropolis'.");
  CHECK(message_of<CapabilityError>([&] {
          Langevin().check(Target{*gaussian, &flat});
        }) == "sampler 'langevin': the base distribution offers no gradient of its energy by the state.");
  CHECK(message_of<CapabilityError>([&] { Hmc().check(Target{flat}); }) ==
        "sampler 'hmc': the model offers no gradient of its energy by the state. Try 'gibbs' or 'metropolis'.");
  CHECK(message_of<CapabilityError>([&] {
          Hmc().check(Target{*gaussian, &flat});
        }) == "sampler 'hmc': the base distribution offers no gradient of its energy by the state.");
  CHECK(message_of<CapabilityError>([&] { Langevin().check(Target{bare_gaussian}); }) ==
        "sampler 'langevin': the model offers no block conditionals, which its discrete layers are drawn from.");

  const auto gray =
      random_model({{observed("gray", 2, std::make_shared<GaussianUnit>()), observed("bits", 2)}, {{0, 1}}, {}}, 1);
  for (const bool marginal : {false, true}) {
    CHECK_NOTHROW(LocallyBalanced({.marginal = marginal}).check(Target{*gray}));
    CHECK(message_of<CapabilityError>([&] { LocallyBalanced({.marginal = marginal}).check(Target{Bare(*gray)}); }) ==
          "sampler 'locally_balanced': the model offers no block conditionals, which its continuous layers are drawn "
          "from.");
  }

  const LayeredModel bounded({{observed("v", 2, std::make_shared<UnitInterval>())}, {{0, 0}}, {}});
  CHECK_NOTHROW(Langevin().check(Target{bounded}));
  CHECK(message_of<CapabilityError>([&] { Langevin({.adjusted = false}).check(Target{bounded}); }) ==
        "sampler 'langevin': a unit of layer 'v' is a number from 0 to 1, which steps that are not adjusted "
        "leave. Set adjusted = true.");
}

TEST_CASE("proposals outside a bounded domain are refused") {
  const LayeredModel flat({{observed("v", 3, std::make_shared<UnitInterval>())}, {}, {}});
  const Executor executor(1);
  const auto stays_inside = [&](Sampler& sampler) {
    Chains chains(flat.layout(), 200);
    const MatrixRef x = chains.write(LayerId{0});
    for (Index i = 0; i < 600; ++i) x.data[i] = static_cast<Real>(i % 10) / 10;
    const SamplerReport report = sampler.advance(Target{flat}, chains, 5, {executor, words});
    bool inside = true;
    for (const Real v : values(chains)) inside = inside && v >= 0 && v <= 1;
    CHECK(inside);
    return report.acceptance;
  };
  Metropolis metropolis({.scale = 0.5});
  Langevin langevin({.step_size = 0.05, .inner_steps = 3});
  // P(x + z/2 in [0, 1]), x uniform: 0.609. Of 3,000 proposals; chains that start on a grid are near enough to that.
  CHECK(stays_inside(metropolis) == doctest::Approx(0.609).epsilon(0.1));
  const double acceptance = stays_inside(langevin);
  CHECK(acceptance > 0.1);
  CHECK(acceptance < 0.9);
}

TEST_CASE("chains depend on their number and step, not on neighbors, threads or how steps are cut") {
  const auto rbm = random_rbm(420, 30, 1, 0.25);  // two panels of visible units
  const auto general = small_general();
  const auto gaussian = small_gaussian(2, true, true, 1);
  Gibbs random_scan({.scan = Scan::random});
  Metropolis metropolis;
  FlipTheState flip;
  Langevin langevin({.step_size = 0.2, .inner_steps = 3}), raw({.step_size = 0.1, .adjusted = false});
  const Executor one(1), two(2);
  const auto check = [&](Sampler& sampler, const EnergyModel& model) {
    Chains whole(model.layout(), 300), again(whole), in_parts(whole), other(whole);
    const double acceptance = sampler.advance(Target{model}, whole, 6, {one, words}).acceptance;
    CHECK(sampler.advance(Target{model}, again, 6, {two, words}).acceptance == acceptance);
    CHECK(values(whole) == values(again));
    for (int i = 0; i < 3; ++i) sampler.advance(Target{model}, in_parts, 2, {two, words});
    CHECK(values(whole) == values(in_parts));
    CHECK(in_parts.step() == 6);
    sampler.advance(Target{model}, other, 6, {one, RandomSource{3, 5}});
    CHECK(values(whole) != values(other));
  };
  for (Sampler* sampler :
       {static_cast<Sampler*>(&random_scan), static_cast<Sampler*>(&metropolis), static_cast<Sampler*>(&flip)}) {
    check(*sampler, *rbm);
    check(*sampler, *general);
    check(*sampler, *gaussian);
  }
  check(langevin, *gaussian);
  check(raw, *gaussian);
}

TEST_CASE("where every proposal is as likely as what it leaves, all are accepted") {
  const auto model = random_rbm(6, 5, 1, 0.0);
  const Executor executor(1);
  Chains chains(model->layout(), 50);
  Metropolis metropolis({.rest_probability = 0.0});
  FlipTheState never_by_gibbs({.gibbs_probability = 0.0});
  CHECK(metropolis.advance(Target{*model}, chains, 1, {executor, words}).acceptance == 1.0);
  bool all_one = true;
  for (const Real v : values(chains)) all_one = all_one && v == 1;
  CHECK(all_one);
  CHECK(never_by_gibbs.advance(Target{*model}, chains, 1, {executor, words}).acceptance == 1.0);
  bool all_zero = true;
  for (const Real v : values(chains)) all_zero = all_zero && v == 0;
  CHECK(all_zero);
  // By Gibbs in a tenth of all cases, half of which change nothing: 550 units, 0.05 ± 0.0093 stay.
  FlipTheState flip;
  CHECK(flip.advance(Target{*model}, chains, 1, {executor, words}).acceptance == 1.0);
  double stayed = 0.0;
  for (const Real v : values(chains)) stayed += v == 0 ? 1.0 : 0.0;
  CHECK(std::abs(stayed / 550.0 - 0.05) < 5 * 0.0093);
  // A tenth of the units rests, 0.1 ± 0.0128, and resting is no proposal.
  const std::vector<Real> before = values(chains);
  Metropolis usual;
  CHECK(usual.advance(Target{*model}, chains, 1, {executor, words}).acceptance == 1.0);
  const std::vector<Real> after = values(chains);
  double rested = 0.0;
  for (Index i = 0; i < after.size(); ++i) rested += before[i] == after[i] ? 1.0 : 0.0;
  CHECK(std::abs(rested / 550.0 - 0.1) < 5 * 0.0128);
}

TEST_CASE("the acceptance that is reported is the one of theory") {
  // One spin-like bit of field θ: accepted are, in equilibrium, 2 min(p, 1 − p) of all proposals.
  const auto model = make_rbm({.num_visible = 1, .num_hidden = 1});
  model->update_parameters([](std::span<Real> theta) { theta[0] = theta[1] = 1; });
  const Executor executor(1);
  Chains chains(model->layout(), 4000);
  Metropolis metropolis;
  metropolis.advance(Target{*model}, chains, 50, {executor, words});
  const double p = 1.0 / (1.0 + std::exp(1.0));
  // 4000 chains × 50 steps × 2 units; consecutive steps are anticorrelated, so that this is more than enough.
  const double error = std::sqrt(0.25 / 400'000.0);
  CHECK(std::abs(metropolis.advance(Target{*model}, chains, 50, {executor, words}).acceptance - 2.0 * p) < 6 * error);

  // Nothing to propose.
  const HeldMask held(model->layout().all());
  Target target{*model};
  target.held = &held;
  CHECK(metropolis.advance(target, chains, 3, {executor, words}).acceptance == 1.0);
  CHECK(FlipTheState({.gibbs_probability = 1.0}).advance(Target{*model}, chains, 3, {executor, words}).acceptance ==
        1.0);
}

TEST_CASE("Langevin dynamics with all continuous layers held redraws the discrete ones alone") {
  const auto model = small_gaussian(3, false, false, 1);
  const Executor executor(1);
  Chains by_langevin(model->layout(), 20), by_gibbs(by_langevin);
  for (Index i = 0; i < 60; ++i)
    by_langevin.write(LayerId{0}).data[i] = by_gibbs.write(LayerId{0}).data[i] = static_cast<Real>(i) / 30 - 1;
  const HeldMask held(model->layout().observed());
  Target target{*model};
  target.held = &held;
  CHECK(Langevin().advance(target, by_langevin, 4, {executor, words}).acceptance == 1.0);
  Gibbs().advance(target, by_gibbs, 4, {executor, words});
  CHECK(values(by_langevin) == values(by_gibbs));
}

TEST_CASE("a step too large is refused by the correction, and diverges without it") {
  const DoubleWell model(1.5, 0.5);
  const Executor executor(1);
  Chains adjusted(model.layout(), 50), raw(adjusted);
  for (Index i = 0; i < 100; ++i)
    adjusted.write(LayerId{0}).data[i] = raw.write(LayerId{0}).data[i] = static_cast<Real>(1);
  Langevin with({.step_size = 50.0});
  CHECK(with.advance(Target{model}, adjusted, 20, {executor, words}).acceptance < 0.01);
  for (const Real v : values(adjusted)) CHECK(std::isfinite(v));
  Langevin({.step_size = 50.0, .adjusted = false}).advance(Target{model}, raw, 20, {executor, words});
  bool finite = true;
  for (const Real v : values(raw)) finite = finite && std::isfinite(v);
  CHECK_FALSE(finite);
}

TEST_CASE("a value between the states of a unit is drawn from its conditional") {
  const auto model = make_rbm({.num_visible = 40, .num_hidden = 1});
  model->update_parameters([](std::span<Real> theta) { theta[0] = -50; });  // one visible unit is 0 for sure
  const Executor executor(1);
  Metropolis metropolis;
  FlipTheState flip({.gibbs_probability = 0.0});
  for (Sampler* sampler : {static_cast<Sampler*>(&metropolis), static_cast<Sampler*>(&flip)}) {
    Chains chains(model->layout(), 25);
    const MatrixRef x = chains.write(LayerId{0});
    for (Index i = 0; i < x.rows * x.cols; ++i) x.data[i] = static_cast<Real>(0.25);
    sampler->advance(Target{*model}, chains, 1, {executor, words});
    double ones = 0.0;
    bool states = true;
    for (Index r = 0; r < 25; ++r) {
      CHECK(x(r, 0) == 0);
      for (Index c = 1; c < 40; ++c) {
        states = states && (x(r, c) == 0 || x(r, c) == 1);
        ones += static_cast<double>(x(r, c));
      }
    }
    CHECK(states);
    CHECK(std::abs(ones / 975.0 - 0.5) < 6.0 * std::sqrt(0.25 / 975.0));
  }
}

TEST_CASE("a random scan leaves behind means of what it drew last") {
  const auto model = random_rbm(5, 4, 2);
  const Executor executor(1);
  Gibbs gibbs({.scan = Scan::random});
  int visible_last = 0, hidden_last = 0;
  for (std::uint64_t step = 0; step < 40; ++step) {
    Chains chains(model->layout(), 8);
    chains.set_step(step);
    std::vector<Real> v(40), h(32);
    LastMeans last;
    last.mean = {MatrixRef{v.data(), 8, 5, 5}, MatrixRef{h.data(), 8, 4, 4}};
    gibbs.advance(Target{*model}, chains, 1, {executor, words}, &last);
    const bool visible = last.filled.contains(LayerId{0}), hidden = last.filled.contains(LayerId{1});
    CHECK(visible != hidden);  // they are not independent of each other
    (visible ? visible_last : hidden_last) += 1;
    const LayerId l = visible ? LayerId{0} : LayerId{1};
    const Index columns = model->layout()[l].columns();
    std::vector<Real> linear(8 * columns), mean(8 * columns);
    const Fields fields{{linear.data(), 8, columns, columns}};
    const Block& block = model->block_conditionals()->blocks()[visible ? 0 : 1];
    model->block_conditionals()->fields(block, 0, block.size, chains, fields);
    model->layout()[l].unit->moments(fields, {mean.data(), 8, columns, columns}, {});
    double worst = 0.0;
    for (Index i = 0; i < mean.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(mean[i] - (visible ? v : h)[i])));
    CHECK(worst <= rounding(32.0));
  }
  CHECK(visible_last > 5);
  CHECK(hidden_last > 5);
}

TEST_CASE("the path that is learned is the best of those compared, whatever the transitions left over come to") {
  // 24 transitions: 12 for the step, one for each of 7 paths, 5 that are left over.
  HmcAdaptation adaptation(0.1, 10, 24, 0.8);
  Matrix<double> before = zeros<double>(2, 1);
  before(0, 0) = -1.0;
  before(1, 0) = 1.0;
  const auto learn = [&](double factor) { adaptation.learn(0.8, before, Matrix<double>(factor * before)); };
  for (int t = 0; t < 12; ++t) learn(1.0);
  for (Index number = 0; number < 7; ++number) {
    CHECK(adaptation.path() == Index{1} << number);
    learn(number == 2 ? 2.0 : 1.0);
  }
  for (int left = 0; left < 5; ++left) {
    CHECK(adaptation.path() == 4);
    CHECK_FALSE(adaptation.over());
    learn(100.0);
  }
  CHECK(adaptation.over());
  CHECK(adaptation.path() == 4);
  // One for each path takes 14 transitions at least.
  for (const std::uint64_t transitions : {13, 14}) {
    HmcAdaptation few(0.1, 10, transitions, 0.8);
    for (std::uint64_t t = 0; t < transitions; ++t) few.learn(0.8, before, Matrix<double>(2.0 * before));
    CHECK(few.path() == (transitions == 13 ? 10 : 1));
  }
}

TEST_CASE("samplers that propose count what a tile takes") {
  const auto model = small_gaussian(2, false, false, 1);
  const auto bytes_of = [&](const Sampler& sampler) {
    MemoryNeed need;
    sampler.memory(*model, need);
    return need.bytes();
  };
  CHECK(bytes_of(Gibbs()) == 0.0);
  CHECK(bytes_of(Metropolis()) == 4.0 * 256 * 3 * sizeof(Real));
  CHECK(bytes_of(FlipTheState({.tile = 8})) == 4.0 * 8 * 3 * sizeof(Real));
  // A proposal of 5 columns, a slope of 3 as Real and two as double.
  CHECK(bytes_of(Langevin({.tile = 8})) == 8.0 * (5 * sizeof(Real) + 3 * (sizeof(Real) + 16)));
}

}  // namespace moves_test
