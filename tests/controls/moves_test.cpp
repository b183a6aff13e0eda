// Negative controls of samplers that accept and refuse: what is wrong in one place must be rejected by the tests that the
// right ones pass. "margin > 6": were the seeds drawn anew, the wrong kernel would pass with probability below 1e-9.

#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/samplers/langevin.hpp>
#include <harmonium/tests/controls/wrong_moves.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/leapfrog.hpp>
#include <harmonium/tests/support/single_site.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace moves_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

void check_law_rejected(const Findings& findings) {
  INFO(findings.law.summary());
  CHECK(findings.law.rejected());
  CHECK(findings.law.seen_margin() > 6.0);
}

/// A model whose slope is off by a factor: the correction must make up for it, and without it nothing does.
class WrongSlope final : public Forwarding, private StateGradient {
 public:
  WrongSlope(const EnergyModel& inner, double factor) : Forwarding(inner), factor_(factor) {}
  const StateGradient* state_gradient() const override { return this; }

 private:
  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override {
    inner_.state_gradient()->evaluate(x, out);
    for (const MatrixRef& m : out)
      for (Index r = 0; r < m.rows; ++r)
        for (Index c = 0; c < m.cols; ++c) m(r, c) *= static_cast<Real>(factor_);
  }
  double factor_;
};

/// A model whose energy is off by a factor, for acceptances.
class WrongEnergy final : public Forwarding {
 public:
  WrongEnergy(const EnergyModel& inner, double factor) : Forwarding(inner), factor_(factor) {}
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_.energy(x, out);
    for (double& e : out) e *= factor_;
  }

 private:
  double factor_;
};

}  // namespace

TEST_CASE("single flips are rejected for every wrong acceptance, and pass for the right one") {
  using How = WrongFlip::How;
  for (const auto& model : {small_rbm(), small_general(), small_visible()}) {
    WrongFlip right(How::right);
    CHECK_FALSE(examine(right, {.model = *model, .steps = 2}).law.rejected());
    for (const How how : {How::always, How::inverted, How::root, How::halved}) {
      WrongFlip wrong(how);
      check_law_rejected(examine(wrong, {.model = *model}));
    }
    WrongFlip untempered(How::untempered);
    check_law_rejected(examine(untempered, {.model = *model, .beta = 0.5}));
  }
}

TEST_CASE("coupled units that propose at once are rejected") {
  for (const auto& model : {small_semi_restricted(), small_lateral_hidden(), small_general(), small_visible()}) {
    const FalselyIndependent wrong(*model);
    Metropolis metropolis;
    check_law_rejected(examine(metropolis, {.model = wrong}));
    FlipTheState flip;
    check_law_rejected(examine(flip, {.model = wrong}));
    Gibbs random_scan({.scan = Scan::random});
    check_law_rejected(examine(random_scan, {.model = wrong, .steps = 3}));
  }
}

// Power from theory: the law that the wrong kernel leaves after the same transitions is computed, and with it the
// noncentrality. Those of tests/invariance/single_site_test.cpp see 2 % by it, on each of its models.
TEST_CASE(
    "fields that are off by 2 % are rejected under Metropolis and flip the state with the power that theory gives" *
    doctest::test_suite("slow")) {
  constexpr double factor = 1.02;  // an inverse temperature of 1.02 where the law is that of 1
  class Off final : public WrongSampler {
   public:
    Off(std::unique_ptr<Sampler> inner, double factor) : inner_(std::move(inner)), factor_(factor) {}
    SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                          LastMeans*) override {
      Target wrong = target;
      wrong.beta = factor_ * target.beta;
      return inner_->advance(wrong, chains, steps, execution);
    }

   private:
    std::unique_ptr<Sampler> inner_;
    double factor_;
  };
  const auto rbm = small_rbm(), potts = small_potts();
  for (const FineTest& fine : fine_tests()) {
    CAPTURE(std::string(fine.name));
    for (const LayeredModel* model : {rbm.get(), potts.get()}) {
      const StateSpace space(model->layout());
      const std::vector<double> energy = energies(*model, space);
      const Law right = law_of(energy);
      std::vector<double> scaled(energy);
      for (double& e : scaled) e *= factor;
      const double expected =
          noncentrality(swept(right, scaled, space, fine_steps, fine.law), right, static_cast<double>(fine_draws));
      CAPTURE(expected);
      Off wrong(fine.make(), factor);
      const Findings findings = examine(wrong, {.model = *model, .steps = fine_steps, .draws = fine_draws});
      INFO(findings.law.summary());
      CHECK(findings.law.rejected());
      CHECK(findings.law.margin(expected) > 6.0);
      // What was seen is what was expected, within five standard deviations.
      CHECK(std::abs(findings.law.statistic() - findings.law.degrees() - expected) <
            5.0 * std::sqrt(2.0 * (findings.law.degrees() + 2.0 * expected)));
    }
  }
}

TEST_CASE("Langevin dynamics without its correction is rejected") {
  const DoubleWell well(1.5, 0.5);
  const auto gaussian = small_gaussian(3, true, false, 1);
  for (const double step_size : {0.1, 0.2}) {
    Langevin wrong({.step_size = step_size, .inner_steps = 5, .adjusted = false});
    check_law_rejected(examine_continuous(wrong, {.model = well, .law = double_well_law(well), .draws = 300'000}));
    check_law_rejected(
        examine_continuous(wrong, {.model = *gaussian, .law = gaussian_binary_law(*gaussian), .draws = 300'000}));
  }
}

TEST_CASE("Langevin moves are rejected for every wrong acceptance, and pass for the right one") {
  using How = WrongLangevin::How;
  const DoubleWell model(1.5, 0.5);
  const LawMaker law = double_well_law(model);
  WrongLangevin right(How::right, 0.15);
  CHECK_FALSE(examine_continuous(right, {.model = model, .law = law, .steps = 3}).law.rejected());
  for (const How how : {How::energies_only, How::stale_slope, How::half_noise}) {
    CAPTURE(static_cast<int>(how));
    WrongLangevin wrong(how, 0.15);
    check_law_rejected(examine_continuous(wrong, {.model = model, .law = law, .steps = 3, .draws = 300'000}));
  }
}

TEST_CASE("the correction makes up for a wrong slope but not for a wrong energy") {
  const auto model = small_gaussian(3, true, false, 1);
  const LawMaker law = gaussian_binary_law(*model);
  const WrongSlope slope(*model, 0.7);
  const WrongEnergy energy(*model, 1.1);
  Langevin langevin({.step_size = 0.3, .inner_steps = 3});
  CHECK(examine_continuous(langevin, {.model = slope, .law = law}).complaint() == "");
  check_law_rejected(examine_continuous(langevin, {.model = energy, .law = law, .steps = 3, .draws = 300'000}));
}

// By means, which are sharper than cells for a law that is only wider or narrower. 800,000 chains, as in
// tests/invariance/langevin_test.cpp: a change of a mean by 0.01 of its standard deviation is beyond the limit, one of 0.02
// passes with probability below 1e-9.
TEST_CASE("a trajectory whose last kick is a little off is rejected, and the right one passes" *
          doctest::test_suite("slow")) {
  struct Try {
    const EnergyModel& model;
    LawMaker law;
    LeapfrogOptions options;
    double wrong_kick;
  };
  const auto gaussian = small_gaussian(3, true, false, 1), normals = coupled_normals(3, 0.45);
  const DoubleWell well(1.5, 0.5);
  for (const Try& t : {Try{*gaussian, gaussian_binary_law(*gaussian), {.step_size = 0.9, .num_steps = 1}, 1.125},
                       Try{*normals, gaussian_binary_law(*normals), {.step_size = 0.5, .num_steps = 4}, 1.15},
                       Try{well, double_well_law(well), {.step_size = 0.5, .num_steps = 1}, 1.1}}) {
    const ContinuousScenario scenario{.model = t.model, .law = t.law, .steps = 3, .draws = 800'000};
    MeanChanges right(t.model, scenario.batch), wrong(t.model, scenario.batch);
    LeapfrogOptions off = t.options;
    off.last_kick = t.wrong_kick;
    Leapfrog leapfrog(t.options), kicked(off);
    CHECK(examine_continuous(leapfrog, scenario, &right).complaint() == "");
    CHECK(right.complaint() == "");
    examine_continuous(kicked, scenario, &wrong);
    INFO(wrong.complaint());
    CHECK(wrong.margin() > 6.0);
  }
}

TEST_CASE("held units and temperatures that Langevin dynamics forgets are caught") {
  class Forgets final : public WrongSampler {
   public:
    explicit Forgets(bool held) : held_(held) {}
    SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                          LastMeans*) override {
      Target wrong = target;
      if (held_) wrong.held = nullptr;
      else wrong.ladder = {};
      return langevin_.advance(wrong, chains, steps, execution);
    }

   private:
    bool held_;
    Langevin langevin_{{.step_size = 0.3}};
  };
  const auto model = small_gaussian(3, true, false, 1);
  Forgets held(true), temperature(false);
  const std::vector<std::uint8_t> pattern{0, 1, 0, 0, 0, 0};
  CHECK(examine_continuous(held, {.model = *model, .law = gaussian_binary_law(*model), .held_units = {pattern}})
            .held_changed > 0);
  check_law_rejected(
      examine_continuous(temperature, {.model = *model, .law = gaussian_binary_law(*model), .ladder = {1.0, 0.7}}));
}

}  // namespace moves_test
