// Components with one fault each: the checks that everybody may run must see it, under the right name.

#include <algorithm>

#include <doctest/doctest.h>

#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/ladder_suite.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/framework/testing/training_suite.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/langevin.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/tests/conformance/controls.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/leapfrog.hpp>
#include <harmonium/tests/support/wrong_reversal.hpp>

namespace controls_test {

using namespace harmonium;
using namespace harmonium::conformance;
using harmonium::testing::fails;
using harmonium::testing::passes;
using harmonium::testing::Scaled;

namespace {

enum class Fault { none, overwrites, ignores_rows, fields, partition, free_energy, expectation, state_of_unit };

/// An RBM of binary units with one fault.
class FaultyModel final : public EnergyModel,
                          public BlockConditionals,
                          public FreeEnergy,
                          public FactorizedExpectation {
 public:
  explicit FaultyModel(Fault fault) : fault_(fault), blocks_(inner_->block_conditionals()->blocks()) {
    if (fault == Fault::partition) blocks_.pop_back();
  }
  const Layout& layout() const override { return inner_->layout(); }
  const ParameterLayout& parameter_layout() const override { return inner_->parameter_layout(); }
  std::span<const Real> parameters() const override { return inner_->parameters(); }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override { inner_->update_parameters(write); }
  void energy(ConstChainView x, std::span<double> out) const override {
    inner_->energy(fault_ == Fault::ignores_rows ? ConstChainView(*x.chains, 0, x.rows()) : x, out);
  }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    if (fault_ == Fault::overwrites) std::ranges::fill(gradient, Real{0});
    inner_->add_gradient(x, weights, gradient, executor);
  }

  const BlockConditionals* block_conditionals() const override { return this; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override {
    inner_->block_conditionals()->fields(block, begin, end, x, out);
    if (fault_ == Fault::fields && begin <= 1 && end > 1)
      for (Index r = 0; r < out.linear.rows; ++r) out.linear(r, 1 - begin) += Real(0.01);
    // A unit that sees another one of its own block.
    if (fault_ == Fault::state_of_unit && begin == 0 && end > 1)
      for (Index r = 0; r < out.linear.rows; ++r) out.linear(r, 0) += Real(0.01) * x[block.layer](r, 1);
  }
  bool independent(LayerSet free, LayerSet given) const override {
    return inner_->block_conditionals()->independent(free, given);
  }

  const FreeEnergy* free_energy() const override { return this; }
  bool closed(LayerSet kept) const override { return inner_->free_energy()->closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    inner_->free_energy()->evaluate(kept, fault_ == Fault::free_energy ? 1.0 : beta, x, out);
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_->free_energy()->add_gradient(kept, x, weights, gradient, executor);
  }
  double operations(LayerSet kept) const override { return inner_->free_energy()->operations(kept); }

  const FactorizedExpectation* factorized_expectation() const override { return this; }
  void add_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_->factorized_expectation()->add_gradient(q, weights, gradient, executor);
    if (fault_ == Fault::expectation) gradient[0] -= Real(0.01);
  }

 private:
  Fault fault_;
  std::unique_ptr<EnergyModel> inner_ = make_rbm({.num_visible = 4, .num_hidden = 3});
  std::vector<Block> blocks_;
};

CheckReport report_of(Fault fault) {
  FaultyModel model(fault);
  CheckReport report;
  check_model(model, report);
  return report;
}

/// Binary units with a fault in their draws or their moments.
class FaultyUnit final : public testing::BinaryControl {
 public:
  enum class Fault { none, moments, row, unit, uniform };
  explicit FaultyUnit(Fault fault) : fault_(fault) {}
  void moments(const ConstFields& f, MatrixRef mean, MatrixRef second) const override {
    inner_.moments(f, mean, second);
    if (fault_ == Fault::moments) mean(0, 0) += Real(0.001);
  }
  void sample(const ConstFields& f, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override {
    std::vector<Real> p(f.linear.rows * f.linear.cols);
    const MatrixRef means{p.data(), f.linear.rows, f.linear.cols, f.linear.cols};
    inner_.moments(f, means, {});
    for (Index r = 0; r < means.rows; ++r)
      for (Index c = 0; c < means.cols; ++c) {
        const Index row = fault_ == Fault::row ? r / 2 * 2 : r;
        const auto site = addresses.first_site + static_cast<std::uint32_t>(fault_ == Fault::unit ? 0 : c);
        out(r, c) = uniform_f64(addresses.word(row, site)) < static_cast<double>(means(r, c)) ? Real{1} : Real{0};
        if (!mean.empty()) mean(r, c) = means(r, c);
      }
  }
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override {
    DrawBlock other = addresses;
    if (fault_ == Fault::uniform) other.first_site = 0;
    inner_.sample_uniform(other, out);
  }

 private:
  Fault fault_;
};

/// Momentum that no checkpoint has.
class Forgetful final : public Optimizer {
 public:
  explicit Forgetful(bool faulty) : faulty_(faulty) {}
  void check(const ParameterLayout&) const override {}
  void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout&, const Progress&,
            const Executor&) override {
    momentum_.resize(theta.size(), Real{0});
    for (Index i = 0; i < theta.size(); ++i) theta[i] -= momentum_[i] = Real(0.5) * momentum_[i] + gradient[i];
  }
  double rate(const Progress&) const override { return 1.0; }
  void state(StateArchive& archive) override {
    if (!faulty_) archive.late_field("momentum", momentum_, archive.sizes().moved);
  }

 private:
  bool faulty_;
  std::vector<Real> momentum_;
};

/// Contrastive divergence, its gradient multiplied by `factor`.
std::unique_ptr<GradientEstimator> scaled_cd(Real factor, const std::string& tensor = "") {
  return std::make_unique<Scaled>("type = 'cd'", factor, tensor);
}

class Overwriting final : public Regularizer {
 public:
  void add_gradient(std::span<const Real> theta, const ParameterLayout&, std::span<Real> gradient,
                    const Executor&) const override {
    std::ranges::copy(theta, gradient.begin());
  }
};

/// Gibbs sampling with one fault.
class FaultyGibbs final : public Sampler {
 public:
  enum class Fault { none, pairs, still, count, warm };
  explicit FaultyGibbs(Fault fault) : fault_(fault) {}
  void check(const Target& target) const override { inner_.check(target); }
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans*) override {
    if (fault_ == Fault::still) {
      chains.set_step(chains.step() + steps);
      return {};
    }
    Target other = target;
    if (fault_ == Fault::warm) other.beta *= 0.9;
    inner_.advance(other, chains, steps, execution);
    if (fault_ == Fault::count) chains.set_step(chains.step() + 1);
    // One chain of four goes where its neighbor goes, now and then.
    if (fault_ == Fault::pairs)
      for (const LayerId l : target.model.layout().ids()) {
        const MatrixRef x = chains.write(l);
        for (Index r = 0; r + 1 < x.rows; r += 8) std::copy_n(x.row(r), x.cols, x.row(r + 1));
      }
    return {};
  }

 private:
  Fault fault_;
  Gibbs inner_;
};

/// Parallel tempering in which the hottest rows move at another temperature than the exchanges go by.
class FaultyTempering final : public Sampler {
 public:
  explicit FaultyTempering(double factor) : factor_(factor) {}
  Index rungs() const override { return inner_.rungs(); }
  void check(const Target& target) const override { inner_.check(target); }
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override {
    for (Index s = 0; s < steps; ++s) {
      report_ = inner_.advance(target, chains, 1, execution, last);
      const std::vector<double> betas{0.0, 0.0, 0.25 * factor_};
      HeldMask colder;
      for (const LayerId l : target.model.layout().ids()) {
        const Index units = target.model.layout()[l].size;
        std::vector<std::uint8_t> bytes(chains.size() * units, 0);
        for (Index r = 0; r < chains.size(); ++r)
          if (chains.rung()[r] != 2) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(r * units), units, 1);
        colder.hold_units(l, units, std::move(bytes));
      }
      Target hot = target;
      hot.ladder = betas;
      hot.held = &colder;
      gibbs_.advance(hot, chains, 1, execution.part("hot"));
      chains.set_step(chains.step() - 1);
    }
    return report_;
  }
  void state(StateArchive& archive) override { inner_.state(archive); }

 private:
  double factor_;
  Gibbs gibbs_;
  SamplerReport report_;
  ParallelTempering inner_{[] {
    ParallelTempering::Options options;
    options.betas = {1.0, 0.5, 0.25};
    options.sampler = std::make_unique<Gibbs>();
    return options;
  }()};
};

/// Another target's: at `beta` times the inverse temperature asked for. It says so, or reports no ladder.
class Warmer final : public Sampler {
 public:
  Warmer(double beta, bool silent, double factor = 1.0) : beta_(beta), silent_(silent), inner_(factor) {}
  Index rungs() const override { return inner_.rungs(); }
  void check(const Target& target) const override { inner_.check(target); }
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override {
    Target other = target;
    other.beta *= beta_;
    SamplerReport report = inner_.advance(other, chains, steps, execution, last);
    if (silent_) report.ladder.reset();
    return report;
  }
  void state(StateArchive& archive) override { inner_.state(archive); }

 private:
  double beta_;
  bool silent_;
  FaultyTempering inner_;
};

}  // namespace

TEST_CASE("a fault of a model is seen under its name") {
  CHECK_FALSE(report_of(Fault::none).failed());
  CHECK(fails(report_of(Fault::overwrites), "gradient against differences"));
  CHECK(fails(report_of(Fault::ignores_rows), "rows of a batch"));
  CHECK(fails(report_of(Fault::fields), "conditionals against energy ratios"));
  CHECK(fails(report_of(Fault::partition), "blocks"));
  CHECK(fails(report_of(Fault::state_of_unit), "units of a block"));
  CHECK(fails(report_of(Fault::free_energy), "free energy against sums"));
  CHECK(fails(report_of(Fault::expectation), "expectation under a factorized law"));
}

TEST_CASE("uniform draws by other addresses are seen under their name") {
  CheckReport report;
  check_unit(FaultyUnit(FaultyUnit::Fault::uniform), report);
  CHECK(fails(report, "a unit's uniform draws are by its own address"));
}

TEST_CASE("a fault of a unit is seen under its name") {
  const auto report = [](FaultyUnit::Fault fault) {
    CheckReport all;
    check_unit(FaultyUnit(fault), all);
    return all;
  };
  CHECK_FALSE(report(FaultyUnit::Fault::none).failed());
  CHECK(fails(report(FaultyUnit::Fault::moments), "moments"));
  CHECK(fails(report(FaultyUnit::Fault::row), "draws"));
  CHECK(fails(report(FaultyUnit::Fault::unit), "draws"));
}

TEST_CASE("a fault of a sampler is seen under its name") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  const auto report = [&](FaultyGibbs::Fault fault) {
    CheckReport all;
    check_sampler([&] { return std::make_unique<FaultyGibbs>(fault); }, *model, all);
    return all;
  };
  CHECK_FALSE(report(FaultyGibbs::Fault::none).failed());
  CHECK(fails(report(FaultyGibbs::Fault::pairs), "chains are independent"));
  CHECK(fails(report(FaultyGibbs::Fault::still), "every unit is moved"));
  CHECK(fails(report(FaultyGibbs::Fault::count), "transitions are counted"));
  CHECK(fails(report(FaultyGibbs::Fault::warm), "exact start"));
}

TEST_CASE("a sampler of continuous units that leaves the law is seen, and one that keeps it is not") {
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*model, 4, 0.75);
  const auto report = [&](const std::function<std::unique_ptr<Sampler>()>& make) {
    CheckReport all;
    check_sampler(make, *model, all);
    return all;
  };
  const auto langevin = [](bool adjusted) {
    return [adjusted] {
      return std::make_unique<Langevin>(LangevinOptions{.step_size = 0.4, .inner_steps = 3, .adjusted = adjusted});
    };
  };
  const CheckReport right = report(langevin(true)), wrong = report(langevin(false));
  CHECK_FALSE(right.failed());
  CHECK(passes(right, "reference start, three transitions"));
  CHECK(passes(right, "reference start, observed layers held"));
  CHECK(fails(wrong, "reference start"));
  CHECK(fails(report([] { return std::make_unique<FaultyGibbs>(FaultyGibbs::Fault::warm); }), "reference start"));
}

// Half of the fault that means of 2000 rows, moved eight times, saw at 6.7 standard errors (limit 6.5) in one of these
// checks: a last kick 1.25 times what it should be. After 128 moves it is at 11 or more.
TEST_CASE("a trajectory whose last kick is a little off is seen, and the right one is not") {
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*model, 4, 0.75);
  const auto report = [&](double last_kick) {
    CheckReport all;
    check_sampler(
        [=] {
          return std::make_unique<testing::Leapfrog>(
              testing::LeapfrogOptions{.step_size = 0.9, .num_steps = 1, .last_kick = last_kick});
        },
        *model, all);
    return all;
  };
  const CheckReport right = report(1.0), wrong = report(1.125);
  for (const CheckResult& r : right.results()) CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  CHECK(passes(right, "reference start, three transitions"));
  CHECK(fails(wrong, "reference start, three transitions"));
  CHECK(fails(wrong, "reference start at beta 0.8, three transitions"));
}

TEST_CASE("a reversal that is none is seen under its name, of discrete and of continuous units") {
  using Reversal = testing::GibbsWithReversal::Reversal;
  const auto report = [](const EnergyModel& model, Reversal which) {
    CheckReport all;
    check_sampler([&] { return std::make_unique<testing::GibbsWithReversal>(which); }, model, all);
    return all;
  };
  const auto rbm = make_rbm({.num_visible = 4, .num_hidden = 3});
  const auto mixed = make_rbm({.num_visible = 3, .num_hidden = 2, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*rbm, 4);
  randomize(*mixed, 4, 0.75);
  const auto normals = testing::coupled_normals(3, 0.45);
  for (const EnergyModel* const model :
       {static_cast<const EnergyModel*>(rbm.get()), static_cast<const EnergyModel*>(mixed.get()),
        static_cast<const EnergyModel*>(normals.get())}) {
    const CheckReport right = report(*model, Reversal::right);
    for (const CheckResult& r : right.results())
      CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
    CHECK(passes(right, "reversal"));
    CHECK(passes(right, "reversal at beta"));
    CHECK(passes(right, "reversal, every third unit held"));
  }
  for (const EnergyModel* const model :
       {static_cast<const EnergyModel*>(rbm.get()), static_cast<const EnergyModel*>(mixed.get())})
    CHECK(fails(report(*model, Reversal::forward_scan), "reversal"));
  CHECK(fails(report(*normals, Reversal::unit_by_unit), "reversal"));
}

TEST_CASE("every rung of a sampler with temperatures of its own must keep its law") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  const auto report = [&](const std::function<std::unique_ptr<Sampler>()>& make) {
    CheckReport all;
    check_sampler(make, *model, all);
    return all;
  };
  const auto tempering = [](double factor) { return [=] { return std::make_unique<FaultyTempering>(factor); }; };
  CHECK(passes(report(tempering(1.0)), "exact start at every rung"));
  // Moves of the hottest rows at 0.6 of their inverse temperature. The first rung alone does not show them.
  CHECK(fails(report(tempering(0.6)), "exact start at every rung"));
  FaultyTempering wrong(0.6);
  LadderReport ladder;
  ladder.betas = {1.0, 0.5, 0.25};
  CHECK(laws_of_rungs(wrong, *model, ladder, 60'000).seen_margin() > 6.0);
  CHECK(passes(report([] { return std::make_unique<Warmer>(1.0, true, 0.6); }), "law at the target's temperature"));
  CHECK(fails(report([] { return std::make_unique<Warmer>(0.9, false); }), "exact start at every rung"));
  CHECK(passes(report([] { return std::make_unique<Warmer>(1.0, true); }), "law at the target's temperature"));
  CHECK(fails(report([] { return std::make_unique<Warmer>(0.9, true); }), "law at the target's temperature"));
}

TEST_CASE("a base that a ladder makes for itself is part of the laws that its rungs must keep") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  CheckReport report;
  check_sampler(
      [] {
        ParallelTempering::Options options;
        options.betas = {1.0, 0.5, 0.0};
        options.base = TemperingBase::biases;
        options.sampler = std::make_unique<Gibbs>();
        return std::make_unique<ParallelTempering>(std::move(options));
      },
      *model, report);
  CHECK(passes(report, "exact start at every rung"));
}

TEST_CASE("a ladder of two rungs, which exchanges at every other transition, shares no words") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  CheckReport report;
  check_sampler(
      [] {
        ParallelTempering::Options options;
        options.betas = {1.0, 0.1};
        options.sampler = std::make_unique<Gibbs>();
        return std::make_unique<ParallelTempering>(std::move(options));
      },
      *model, report);
  CHECK_FALSE(report.failed());
}

TEST_CASE("whether a sampler makes the transitions of Gibbs sampling is told") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  const auto words = [&](Scan scan) {
    CheckReport all;
    check_sampler([=] { return std::make_unique<Gibbs>(GibbsOptions{.scan = scan}); }, *model, all);
    const auto found = std::ranges::find_if(
        all.results(), [](const CheckResult& r) { return r.check == "transitions against those of Gibbs sampling"; });
    REQUIRE(found != all.results().end());
    CHECK(found->outcome == CheckOutcome::noted);
    CHECK_FALSE(all.failed());  // an order of the blocks that all chains share is no fault
    return found->words;
  };
  CHECK(words(Scan::systematic).starts_with("they are the same"));
  CHECK(words(Scan::random).starts_with("they are other ones"));
}

TEST_CASE("an estimator that goes uphill is seen on continuous units, too, and in one tensor") {
  const auto gaussian =
      make_rbm({.num_visible = 3, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>()});
  randomize(*gaussian, 4, 0.75);
  CheckReport right, wrong;
  check_estimator([] { return scaled_cd(Real{1}); }, *gaussian, right);
  for (const CheckResult& r : right.results()) CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  for (const CheckResult& r : right.results())
    if (r.outcome == CheckOutcome::skipped) CHECK(r.check == "mean gradient at the model's own law");
  check_estimator([] { return scaled_cd(Real{-1}); }, *gaussian, wrong);
  CHECK(fails(wrong, "mean against the exact gradient"));

  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 5);
  for (const Real factor : {Real{0}, Real{5}}) {
    CAPTURE(factor);
    CheckReport scaled;
    check_estimator([=] { return scaled_cd(factor); }, *model, scaled);
    CHECK(fails(scaled, "mean against the exact gradient, all parameters"));
  }
  CheckReport turned;
  check_estimator([] { return scaled_cd(Real{-1}, "weight.visible.hidden"); }, *model, turned);
  CHECK(fails(turned, "mean of 'weight.visible.hidden'"));
  CHECK_FALSE(fails(turned, "mean of 'bias.visible'"));
}

TEST_CASE("a fault of an estimator, an optimizer or a regularizer is seen under its name") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 5);
  CheckReport right, wrong, keeps, forgets, overwrites;
  check_estimator([] { return scaled_cd(Real{1}); }, *model, right);
  CHECK_FALSE(right.failed());
  check_estimator([] { return scaled_cd(Real{-1}); }, *model, wrong);
  CHECK(fails(wrong, "mean of"));
  check_optimizer([] { return std::make_unique<Forgetful>(false); }, *model, keeps);
  CHECK_FALSE(keeps.failed());
  check_optimizer([] { return std::make_unique<Forgetful>(true); }, *model, forgets);
  CHECK(fails(forgets, "state saved and restored"));
  check_regularizer(Overwriting(), *model, overwrites);
  CHECK(fails(overwrites, "it adds to the gradient"));
}

}  // namespace controls_test
