// What a component offers beside its main purpose, with one fault each: words of units, means left behind, scores,
// neighbors, log Z, exactness, descent.

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/contrastive.hpp>
#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/estimators/log_partition/variable_elimination.hpp>
#include <harmonium/estimators/phases/exact_phase.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/log_partition_suite.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/sampler_suite.hpp>
#include <harmonium/framework/testing/training_suite.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/tests/conformance/controls.hpp>

namespace capability_controls_test {

using namespace harmonium;
using namespace harmonium::conformance;
using harmonium::testing::fails;

namespace {

enum class UnitFault { none, quads, lanes, step, layer, key, far_unit, site, mean, linear };

/// Binary units whose draws, or what goes with these, have a fault.
class AddressedUnit final : public testing::BinaryControl {
 public:
  explicit AddressedUnit(UnitFault fault) : fault_(fault) {}
  void sample(const ConstFields& f, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override {
    DrawBlock at = addresses;
    if (fault_ == UnitFault::step) at.step = 0;
    if (fault_ == UnitFault::layer) at.layer = 0;
    if (fault_ == UnitFault::key) at.key &= 0xffffffffu;
    std::vector<Real> p(f.linear.rows * f.linear.cols);
    const MatrixRef means{p.data(), f.linear.rows, f.linear.cols, f.linear.cols};
    inner_.moments(f, means, {});
    for (Index r = 0; r < means.rows; ++r)
      for (Index c = 0; c < means.cols; ++c) {
        const Index row = fault_ == UnitFault::lanes ? r / 4 * 4 : fault_ == UnitFault::quads ? r % 64 : r;
        auto site = static_cast<std::uint32_t>(c);
        if (fault_ == UnitFault::far_unit && site > 0) site -= (site - 1) / 2 * 2;  // 1 and 3 share, neighbors do not
        if (fault_ != UnitFault::site) site += at.first_site;
        out(r, c) = uniform_f64(at.word(row, site)) < static_cast<double>(means(r, c)) ? Real{1} : Real{0};
        if (!mean.empty()) mean(r, c) = means(r, c) + (fault_ == UnitFault::mean ? Real(0.001) : Real{0});
      }
  }
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override {
    inner_.linear_of_mean(mean, curvature, num_rows, linear);
    if (fault_ == UnitFault::linear) linear[0] *= 2.0;
  }

 private:
  UnitFault fault_;
};

CheckReport of_unit(UnitFault fault) {
  CheckReport report;
  check_unit(AddressedUnit(fault), report);
  return report;
}

/// Gibbs sampling whose means left behind are those of another temperature, or which goes elsewhere as they are asked for.
class MeansGibbs final : public Sampler {
 public:
  enum class Fault { none, scale, chains };
  explicit MeansGibbs(Fault fault) : fault_(fault) {}
  void check(const Target& target) const override { inner_.check(target); }
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override {
    const Execution own = last && fault_ == Fault::chains ? execution.part("means") : execution;
    SamplerReport report = inner_.advance(target, chains, steps, own, last);
    if (last && fault_ == Fault::scale)
      for (const MatrixRef m : last->mean)
        for (Index r = 0; r < m.rows; ++r)
          for (Index c = 0; c < m.cols; ++c) m(r, c) = Real(0.5) * m(r, c) + Real(0.25);
    return report;
  }

 private:
  Fault fault_;
  Gibbs inner_;
};

enum class ModelFault { none, score, divergence, score_gradient, log_ratios, neighbor_gradient };

/// An RBM, Gaussian or binary, with one fault in what losses without chains are computed from.
class LossModel final : public EnergyModel, public FreeEnergy, public Score {
 public:
  LossModel(ModelFault fault, RbmOptions options) : fault_(fault), inner_(make_rbm(std::move(options))) {}
  const Layout& layout() const override { return inner_->layout(); }
  const ParameterLayout& parameter_layout() const override { return inner_->parameter_layout(); }
  std::span<const Real> parameters() const override { return inner_->parameters(); }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override { inner_->update_parameters(write); }
  void energy(ConstChainView x, std::span<double> out) const override { inner_->energy(x, out); }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_->add_gradient(x, weights, gradient, executor);
  }

  const FreeEnergy* free_energy() const override { return this; }
  bool closed(LayerSet kept) const override { return inner_->free_energy()->closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    inner_->free_energy()->evaluate(kept, beta, x, out);
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_->free_energy()->add_gradient(kept, x, weights, gradient, executor);
  }
  void log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                  std::span<const Index> units, MatrixView<double> out) const override {
    inner_->free_energy()->log_ratios(layout, kept, beta, x, layer, units, out);
    if (fault_ == ModelFault::log_ratios) out(0, 0) += 0.01;
  }
  void add_neighbor_gradient(const Layout& layout, LayerSet kept, ConstChainView x, LayerId layer,
                             MatrixView<const double> weights, std::span<Real> gradient,
                             const Executor& executor) const override {
    inner_->free_energy()->add_neighbor_gradient(layout, kept, x, layer, weights, gradient, executor);
    if (fault_ == ModelFault::neighbor_gradient) gradient[0] += Real(0.01);
  }
  double operations(LayerSet kept) const override { return inner_->free_energy()->operations(kept); }

  const Score* score() const override { return inner_->score() ? this : nullptr; }
  bool offered(LayerSet kept) const override { return inner_->score()->offered(kept); }
  void evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                std::span<double> divergence) const override {
    inner_->score()->evaluate(kept, x, score, divergence);
    if (fault_ == ModelFault::score) score[0](0, 0) += Real(0.25);
    if (fault_ == ModelFault::divergence)
      for (double& d : divergence) d *= 1.1;
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                    std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_->score()->add_gradient(kept, x, directions, weights,
                                  fault_ == ModelFault::score_gradient ? 0.0 : divergence_weight, gradient, executor);
  }

 private:
  ModelFault fault_;
  std::unique_ptr<EnergyModel> inner_;
};

CheckReport of_model(ModelFault fault) {
  const bool discrete = fault == ModelFault::log_ratios || fault == ModelFault::neighbor_gradient;
  CheckReport report;
  for (const bool gaussian : {false, true}) {
    if (gaussian == discrete && fault != ModelFault::none) continue;
    RbmOptions options{.num_visible = 3, .num_hidden = 2};
    if (gaussian) options.visible_units = std::make_unique<GaussianUnit>();
    LossModel model(fault, std::move(options));
    check_model(model, report);
  }
  return report;
}

/// A log Z that is off.
class OffLogPartition final : public LogPartition {
 public:
  OffLogPartition(double by, double error) : by_(by), error_(error) {}
  void check(const EnergyModel&) const override {}
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override {
    const double log_z = ExactLogPartition().estimate(model, beta, execution).log_z + by_;
    return error_ == 0.0 ? LogPartitionEstimate::of_exact(log_z, "off")
                         : LogPartitionEstimate::of_normal(log_z, error_, "off");
  }
  double operations(const EnergyModel&) const override { return 1.0; }

 private:
  double by_, error_;
};

/// Exact, with an interval that is none.
class WrongInterval final : public LogPartition {
 public:
  enum class Fault { none, misses_its_estimate, open_though_exact, disagrees_without_reason };
  explicit WrongInterval(Fault fault) : fault_(fault) {}
  void check(const EnergyModel&) const override {}
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override {
    LogPartitionEstimate z = ExactLogPartition().estimate(model, beta, execution);
    if (fault_ == Fault::misses_its_estimate) z.low = z.high = z.log_z + 0.1;
    if (fault_ == Fault::open_though_exact) z.high += 0.1;
    if (fault_ == Fault::disagrees_without_reason) z.agree = false;
    return z;
  }
  double operations(const EnergyModel&) const override { return 1.0; }

 private:
  Fault fault_;
};

/// A ground state by elimination, another one in its place, or none.
class WrongState final : public LogPartition {
 public:
  enum class Fault { none, another_state, no_state };
  explicit WrongState(Fault fault) : fault_(fault) {}
  void check(const EnergyModel&) const override {}
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override {
    LogPartitionEstimate z = VariableElimination().estimate(model, beta, execution);
    if (fault_ == Fault::no_state) z.ground_state.reset();
    if (fault_ == Fault::another_state)
      for (Real& x : z.ground_state->write(LayerId{0})[0]) x = Real{1} - x;
    return z;
  }
  bool finds_ground_state(const EnergyModel&, double) const override { return true; }
  double operations(const EnergyModel&) const override { return 1.0; }

 private:
  Fault fault_;
};

/// The exact phases, of data whose weights are forgotten.
class Unweighted final : public GradientEstimator {
 public:
  explicit Unweighted(bool faulty) : faulty_(faulty) {}
  void check(const EnergyModel&) const override {}
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override {
    const std::vector<double> equal(data.weights.size(),
                                    data.total_weight() / static_cast<double>(data.weights.size()));
    const DataBatch batch{data.rows,      faulty_ ? std::span<const double>(equal) : data.weights,
                          data.posterior, data.observed,
                          data.marginals, data.indices};
    return inner_.estimate(model, batch, gradient, execution);
  }
  double products(const EnergyModel& model, Index rows) const override { return inner_.products(model, rows); }

 private:
  bool faulty_;
  Contrastive inner_{{.positive = std::make_unique<ExactPhase>(), .negative = std::make_unique<ExactPhase>()}};
};

class Steps final : public Optimizer {
 public:
  explicit Steps(Real rate) : rate_(rate) {}
  void check(const ParameterLayout&) const override {}
  void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout&, const Progress&,
            const Executor&) override {
    for (Index i = 0; i < theta.size(); ++i) theta[i] -= rate_ * gradient[i];
  }
  double rate(const Progress&) const override { return static_cast<double>(rate_); }

 private:
  Real rate_;
};

}  // namespace

TEST_CASE("a unit whose words, or what goes with its draws, are wrong is seen") {
  const CheckReport right = of_unit(UnitFault::none);
  for (const CheckResult& r : right.results()) CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  for (const UnitFault fault :
       {UnitFault::quads, UnitFault::lanes, UnitFault::step, UnitFault::layer, UnitFault::key, UnitFault::far_unit}) {
    CAPTURE(static_cast<int>(fault));
    CHECK(fails(of_unit(fault), "no random word is shared"));
  }
  CHECK(fails(of_unit(UnitFault::site), "a unit's draws are by its own site"));
  CHECK(fails(of_unit(UnitFault::mean), "means beside draws"));
  CHECK(fails(of_unit(UnitFault::linear), "parameters of a mean"));
}

TEST_CASE("a sampler that leaves wrong means behind is seen") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  const auto report = [&](MeansGibbs::Fault fault) {
    CheckReport all;
    check_sampler([=] { return std::make_unique<MeansGibbs>(fault); }, *model, all);
    return all;
  };
  const CheckReport right = report(MeansGibbs::Fault::none);
  CHECK_FALSE(right.failed());
  CHECK(std::ranges::any_of(right.results(), [](const CheckResult& r) { return r.check == "means left behind"; }));
  CHECK(fails(report(MeansGibbs::Fault::scale), "means left behind"));
  CHECK(fails(report(MeansGibbs::Fault::chains), "means left behind"));
}

TEST_CASE("a fault in what losses without chains are computed from is seen under its name") {
  const CheckReport right = of_model(ModelFault::none);
  for (const CheckResult& r : right.results()) CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  CHECK(fails(of_model(ModelFault::score), "score against differences"));
  CHECK(fails(of_model(ModelFault::divergence), "score against differences"));
  CHECK(fails(of_model(ModelFault::score_gradient), "gradient of the score"));
  CHECK(fails(of_model(ModelFault::log_ratios), "neighbors of a row"));
  CHECK(fails(of_model(ModelFault::neighbor_gradient), "neighbors of a row"));
}

TEST_CASE("an interval that does not hold its estimate, and a disagreement without a reason, are seen") {
  using Fault = WrongInterval::Fault;
  const auto model = make_rbm({.num_visible = 3, .num_hidden = 2});
  randomize(*model, 3);
  for (const Fault fault :
       {Fault::none, Fault::misses_its_estimate, Fault::open_though_exact, Fault::disagrees_without_reason}) {
    CheckReport report;
    check_log_partition(WrongInterval(fault), *model, report);
    CHECK(report.failed() == (fault != Fault::none));
  }
}

TEST_CASE("a log Z beyond its error is seen, and one within is not") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  const auto report = [&](double by, double error) {
    CheckReport all;
    check_log_partition(OffLogPartition(by, error), *model, all);
    return all;
  };
  CHECK_FALSE(report(0.0, 0.0).failed());
  CHECK_FALSE(report(0.03, 0.01).failed());
  CHECK(fails(report(0.03, 0.0), "log Z against the sum"));
  CHECK(fails(report(0.08, 0.01), "log Z against the sum"));
}

TEST_CASE("a ground state of another energy than is told, or none, is seen") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 4);
  for (const auto fault : {WrongState::Fault::none, WrongState::Fault::another_state, WrongState::Fault::no_state}) {
    CAPTURE(static_cast<int>(fault));
    CheckReport report;
    check_log_partition(WrongState(fault), *model, report);
    CHECK(fails(report, "ground state") == (fault != WrongState::Fault::none));
    CHECK(report.failed() == (fault != WrongState::Fault::none));
  }
}

TEST_CASE("whoever says that it is exact must be, and an optimizer must go downhill") {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 5);
  for (const bool faulty : {false, true}) {
    CheckReport report;
    check_estimator([=] { return std::make_unique<Unweighted>(faulty); }, *model, report);
    CHECK(fails(report, "mean against the exact gradient, all parameters") == faulty);
    CHECK(report.failed() == faulty);
    CheckReport steps;
    check_optimizer([=] { return std::make_unique<Steps>(faulty ? Real(-0.1) : Real(0.1)); }, *model, steps);
    CHECK(fails(steps, "descent") == faulty);
    CHECK(steps.failed() == faulty);
  }
}

}  // namespace capability_controls_test
