// Estimators that tell a loss of their own, right ones and such with one fault: the loss must convict these.

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/framework/testing/training_suite.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/conformance/controls.hpp>

namespace loss_controls_test {

using namespace harmonium;
using namespace harmonium::conformance;
using harmonium::testing::fails;
using harmonium::testing::Scaled;

namespace {

constexpr const char* slope = "gradient against differences of the loss";
constexpr const char* own_law = "mean gradient at the model's own law";

std::vector<CheckOutcome> outcomes(const CheckReport& report, const std::string& check) {
  std::vector<CheckOutcome> all;
  for (const CheckResult& r : report.results())
    if (r.check == check) all.push_back(r.outcome);
  return all;
}
bool only(const CheckReport& report, const std::string& check, CheckOutcome outcome) {
  return outcomes(report, check) == std::vector<CheckOutcome>{outcome};
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

enum class NoiseFault { none, sign, complement, other_density, other_density_of_all, unannounced };

/// Noise-contrastive estimation (Gutmann & Hyvärinen 2012, equation 8) of binary rows, two noise rows a row of data: each
/// unit 1 with probability `p`. With G(x) = −F(x) − log Z − log 2q(x), log Z held as it is at the start of the run,
///   L = Σ_r w_r [log(1 + exp(−G(x_r))) + Σ_j log(1 + exp(G(y_rj)))].
class NoiseContrastive final : public GradientEstimator {
 public:
  explicit NoiseContrastive(NoiseFault fault) : fault_(fault) {}
  void check(const EnergyModel&) const override {}
  void begin(const EnergyModel& model, const DataOutline&) override {
    const Executor executor(1);
    log_z_ = ExactLogPartition().estimate(model, 1.0, {executor, {1, 2}}).log_z;
  }
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override {
    const Layout& layout = model.layout();
    const LayerId visible = layout.find("visible");
    const Index rows = data.rows.size();
    Chains noise(layout, noises * rows);
    const MatrixRef y = noise.write(visible);
    const DrawBlock words = DrawBlock::of(execution.random, 0, drawn_++, visible);
    for (Index r = 0; r < y.rows; ++r)
      for (Index c = 0; c < y.cols; ++c)
        y(r, c) = uniform_f64(words.word(r, static_cast<std::uint32_t>(c))) < p ? Real{1} : Real{0};

    std::ranges::fill(gradient, Real{0});
    double loss = 0.0;
    std::vector<double> of_data(rows), of_noise(noises * rows);
    const std::vector<double> at_data = log_odds(model, data.rows, true), at_noise = log_odds(model, noise, true),
                              data_slope = log_odds(model, data.rows, false),
                              noise_slope = log_odds(model, noise, false);
    const double sign = fault_ == NoiseFault::sign ? 1.0 : -1.0;
    const auto miss = [&](double odds) { return fault_ == NoiseFault::complement ? 1.0 - odds : odds; };
    for (Index r = 0; r < rows; ++r) {
      loss += data.weights[r] * softplus(-at_data[r]);
      of_data[r] = data.weights[r] * miss(logistic(-data_slope[r]));
    }
    for (Index r = 0; r < noises * rows; ++r) {
      loss += data.weights[r / noises] * softplus(at_noise[r]);
      of_noise[r] = sign * data.weights[r / noises] * miss(logistic(noise_slope[r]));
    }
    model.free_energy()->add_gradient(layout.observed(), data.rows, of_data, gradient, execution.executor);
    model.free_energy()->add_gradient(layout.observed(), noise, of_noise, gradient, execution.executor);
    Report report;
    report.loss = loss;
    return report;
  }
  double products(const EnergyModel&, Index rows) const override { return 3.0 * static_cast<double>(rows); }
  Figures figures(const EnergyModel&) const override { return {.loss = fault_ != NoiseFault::unannounced}; }
  void state(StateArchive& archive) override {
    archive.field("drawn", drawn_);
    archive.field("log_z", log_z_);
  }

 private:
  static constexpr Index noises = 2;
  static constexpr double p = 0.4;

  std::vector<double> log_odds(const EnergyModel& model, const Chains& x, bool of_loss) const {
    std::vector<double> g(x.size());
    model.free_energy()->evaluate(model.layout().observed(), 1.0, x, g);
    const bool other = fault_ == NoiseFault::other_density_of_all || (fault_ == NoiseFault::other_density && !of_loss);
    const double q = other ? 0.5 : p;
    const ConstMatrixRef v = x.read(model.layout().find("visible"));
    for (Index r = 0; r < x.size(); ++r) {
      double log_q = std::log(static_cast<double>(noises));
      for (Index c = 0; c < v.cols; ++c) log_q += std::log(v(r, c) > Real(0.5) ? q : 1.0 - q);
      g[r] = -g[r] - log_z_ - log_q;
    }
    return g;
  }

  NoiseFault fault_;
  std::uint64_t drawn_ = 0;
  double log_z_ = 0.0;
};

CheckReport of_noise_contrastive(NoiseFault fault) {
  const auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  randomize(*model, 5);
  CheckReport report;
  check_estimator([=] { return std::make_unique<NoiseContrastive>(fault); }, *model, report);
  return report;
}

CheckReport of_scaled(const std::string& toml, double factor, bool gaussian = false, const std::string& tensor = "") {
  RbmOptions options{.num_visible = 4, .num_hidden = 3};
  if (gaussian) options.visible_units = std::make_unique<GaussianUnit>();
  const auto model = make_rbm(std::move(options));
  randomize(*model, 5, 0.5);
  CheckReport report;
  check_estimator([&] { return std::make_unique<Scaled>(toml, static_cast<Real>(factor), tensor); }, *model, report);
  return report;
}

}  // namespace

TEST_CASE("noise-contrastive estimation passes, and the loss that it reports convicts each of its faults") {
  const CheckReport right = of_noise_contrastive(NoiseFault::none);
  for (const CheckResult& r : right.results()) CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
  CHECK(only(right, slope, CheckOutcome::passed));
  CHECK(only(right, own_law, CheckOutcome::passed));
  for (const NoiseFault fault : {NoiseFault::sign, NoiseFault::complement, NoiseFault::other_density}) {
    CAPTURE(static_cast<int>(fault));
    CHECK(only(of_noise_contrastive(fault), slope, CheckOutcome::failed));
  }
}

TEST_CASE("an estimator that tells a loss without announcing it is caught, since no observer would ask for it") {
  CHECK(fails(of_noise_contrastive(NoiseFault::unannounced), "figures that its reports tell"));
  CHECK_FALSE(fails(of_noise_contrastive(NoiseFault::none), "figures that its reports tell"));
}

TEST_CASE("noise that is drawn from another density than it is weighed by moves a model that is right") {
  const CheckReport wrong = of_noise_contrastive(NoiseFault::other_density_of_all);
  CHECK(only(wrong, slope, CheckOutcome::passed));  // the right slope of a wrong loss
  CHECK(only(wrong, own_law, CheckOutcome::failed));
}

TEST_CASE("the gradient of every loss is held against it, whether its words are drawn, and jump, or not") {
  struct Case {
    const char* toml;
    bool gaussian;
    CheckOutcome own_law;  ///< of the right one
  };
  for (const Case& c : {Case{"type = 'pseudo_likelihood'", false, CheckOutcome::passed},
                        Case{"type = 'ratio_matching'", false, CheckOutcome::passed},
                        Case{"type = 'minimum_probability_flow'", false, CheckOutcome::passed},
                        Case{"type = 'score_matching'", true, CheckOutcome::skipped},
                        Case{"type = 'denoising_score_matching'", true, CheckOutcome::skipped},
                        Case{"type = 'reconstruction_error'", false, CheckOutcome::noted},
                        Case{"type = 'reconstruction_error'\nlatent = 'all'", false, CheckOutcome::noted},
                        Case{"type = 'reconstruction_error'\nlatent = 'draws'", false, CheckOutcome::noted}}) {
    CAPTURE(std::string(c.toml));
    const CheckReport right = of_scaled(c.toml, 1.0, c.gaussian);
    for (const CheckResult& r : right.results())
      CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
    CHECK(only(right, slope, CheckOutcome::passed));
    CHECK(only(right, own_law, c.own_law));
    CHECK(only(of_scaled(c.toml, -1.0, c.gaussian), slope, CheckOutcome::failed));
    CHECK(only(of_scaled(c.toml, 0.5, c.gaussian), slope, CheckOutcome::failed));
    CHECK(only(of_scaled(c.toml, 0.5, c.gaussian, "bias.visible"), slope, CheckOutcome::failed));
  }
}

TEST_CASE("a gradient that is not the slope of its loss by design is told, and fails where it goes uphill") {
  for (const char* toml : {"type = 'reconstruction_error'\nthrough_latent = false",
                           "type = 'reconstruction_error'\nlatent = 'draws'\nthrough_latent = false",
                           "type = 'pseudo_likelihood'\ncentering = true"}) {
    CAPTURE(std::string(toml));
    CHECK(only(of_scaled(toml, 1.0), slope, CheckOutcome::noted));
    CHECK(only(of_scaled(toml, -1.0), slope, CheckOutcome::failed));
  }
}

TEST_CASE("estimators of the likelihood leave a model that is right alone, and it is told of those that do not") {
  for (const char* toml : {"type = 'exact'", "type = 'cd'", "type = 'cd'\ngibbs_steps = 3", "type = 'pcd'"})
    CHECK_MESSAGE(only(of_scaled(toml, 1.0), own_law, CheckOutcome::passed), toml);
  CHECK(only(of_scaled("type = 'naive_mcmc'\ngibbs_steps = 1\nnum_chains = 1000", 1.0), own_law, CheckOutcome::noted));
}

}  // namespace loss_controls_test
