#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/estimators/gradients/score_matching.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/model_suite.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/plugins/rectified/rectified_unit.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace rectified_unit_test {

using namespace harmonium;

namespace {

/// ∫ xᵏ exp(β(θx − ½γx²)) dx over x ≥ 0, times exp(−top), by Simpson's rule over all of the mass that a double sees.
double integral(int k, double theta, double gamma, double beta, double top) {
  const double deviation = 1.0 / std::sqrt(beta * gamma), mean = theta / gamma;
  // Far out in the tail the law is nearly exponential, of length 1/(β|θ|).
  const double length = mean < -5.0 * deviation ? 45.0 / (-beta * theta) : std::max(mean, 0.0) + 10.0 * deviation;
  constexpr int pieces = 200'000;
  const double h = length / pieces;
  double sum = 0.0;
  for (int i = 0; i <= pieces; ++i) {
    const double x = i * h, weight = i == 0 || i == pieces ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::pow(x, k) * std::exp(beta * (theta * x - 0.5 * gamma * x * x) - top);
  }
  return sum * h / 3.0;
}

}  // namespace

TEST_CASE("log partition and moments of a rectified unit are integrals over the half line") {
  const RectifiedUnit unit;
  for (const double theta : {-200.0, -30.0, -6.1, -5.9, -1.0, 0.0, 0.3, 2.0, 9.0, 40.0}) {
    for (const double gamma : {0.5, 1.0, 3.0}) {
      for (const double beta : {0.25, 1.0}) {
        CAPTURE(theta);
        CAPTURE(gamma);
        CAPTURE(beta);
        const double top = theta > 0.0 ? 0.5 * beta * theta * theta / gamma : 0.0;
        const double z = integral(0, theta, gamma, beta, top);
        BasicFields<const double> exact{{&theta, 1, 1, 1}};
        exact.curvature = {&gamma, 1, 1, 1};
        exact.scale = &beta;
        std::vector<double> sums{0.0};
        unit.add_log_partition(exact, sums);
        CHECK(std::abs(sums[0] - (std::log(z) + top)) < 1e-9 * std::max(1.0, std::abs(sums[0])));

        const Real t = static_cast<Real>(theta), g = static_cast<Real>(gamma), b = static_cast<Real>(beta);
        ConstFields fields{{&t, 1, 1, 1}};
        fields.curvature = {&g, 1, 1, 1};
        fields.scale = &b;
        Real mean = 0, second = 0;
        unit.moments(fields, {&mean, 1, 1, 1}, {&second, 1, 1, 1});
        const double tolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-8;
        const double first = integral(1, theta, gamma, beta, top) / z,
                     squares = integral(2, theta, gamma, beta, top) / z;
        CHECK(std::abs(static_cast<double>(mean) - first) < tolerance * first);
        CHECK(std::abs(static_cast<double>(second) - squares) < tolerance * squares);
      }
    }
  }
}

TEST_CASE("the linear parameter of a mean gives a rectified unit that mean") {
  const RectifiedUnit unit;
  for (const double mean : {0.001, 0.1, 0.8, 3.0, 50.0}) {
    for (const double gamma : {0.5, 2.0}) {
      CAPTURE(mean);
      CAPTURE(gamma);
      std::vector<double> linear{0.0};
      unit.linear_of_mean(std::vector<double>{mean}, gamma, 1e6, linear);
      const double top = linear[0] > 0.0 ? 0.5 * linear[0] * linear[0] / gamma : 0.0;
      const double found = integral(1, linear[0], gamma, 1.0, top) / integral(0, linear[0], gamma, 1.0, top);
      CHECK(std::abs(found - mean) < 1e-6 * mean);
    }
  }
  std::vector<double> linear{0.0};
  unit.linear_of_mean(std::vector<double>{0.0}, 1.0, 100.0, linear);
  CHECK(std::isfinite(linear[0]));
}

TEST_CASE("draws of a rectified unit are those of its law, also far out in the tail") {
  CheckReport report;
  conformance::check_unit(RectifiedUnit(), report);
  for (const CheckResult& result : report.results())
    CHECK_MESSAGE(result.outcome != CheckOutcome::failed, result.words);

  // The second branch of the draw: a mean over 40,000, within 6 of its standard errors; the standard deviation of the law is
  // about its mean there.
  constexpr Index rows = 40'000;
  const RectifiedUnit unit;
  const Real theta = -12, gamma = 1;
  std::vector<Real> draws(rows);
  ConstFields fields{{&theta, rows, 1, 0}};
  fields.curvature = {&gamma, rows, 1, 0};
  unit.sample(fields, DrawBlock::of({3, 5}, 0, 7, LayerId{1}), {draws.data(), rows, 1, 1}, {});
  double sum = 0.0;
  for (const Real x : draws) {
    REQUIRE(x >= 0);
    sum += static_cast<double>(x);
  }
  const double z = integral(0, -12.0, 1.0, 1.0, 0.0), mean = integral(1, -12.0, 1.0, 1.0, 0.0) / z;
  const double deviation = std::sqrt(integral(2, -12.0, 1.0, 1.0, 0.0) / z - mean * mean);
  CHECK(std::abs(sum / rows - mean) < 6.0 * deviation / std::sqrt(static_cast<double>(rows)));
}

TEST_CASE(
    "units that are rectified on both sides keep what units promise, sparse, with two modes, and without a threshold") {
  for (const double threshold : {1.0, 0.25, 0.0, -2.0}) {
    CAPTURE(threshold);
    CheckReport report;
    conformance::check_unit(DoubleRectifiedUnit({.threshold = threshold}), report);
    for (const CheckResult& result : report.results())
      CHECK_MESSAGE(result.outcome != CheckOutcome::failed, result.check, ": ", result.words);
    CHECK(report.results().size() >= 10);
  }
  // Without a threshold it is a Gaussian unit.
  const double theta = 0.7, gamma = 1.5;
  BasicFields<const double> fields{{&theta, 1, 1, 1}};
  fields.curvature = {&gamma, 1, 1, 1};
  double own = 0.0, normal = 0.0;
  DoubleRectifiedUnit({.threshold = 0.0}).add_log_partition(fields, {&own, 1});
  GaussianUnit().add_log_partition(fields, {&normal, 1});
  CHECK(std::abs(own - normal) < 1e-14);
}

TEST_CASE(
    "machines with units rectified on both sides keep what models promise, and none is taken for a Gaussian one") {
  const auto machine = [](std::unique_ptr<UnitType> visible) {
    return make_rbm({.num_visible = 3,
                     .num_hidden = 2,
                     .visible_units = std::move(visible),
                     .hidden_units = std::make_unique<DoubleRectifiedUnit>(DoubleRectifiedUnit::Options{})});
  };
  const auto of_bits = machine(nullptr);
  CheckReport report;
  conformance::check_model(*of_bits, report);
  for (const CheckResult& result : report.results())
    CHECK_MESSAGE(result.outcome != CheckOutcome::failed, result.check, ": ", result.words);
  CHECK(report.results().size() > 6);
  // Precisions of 1 on both sides: W of 1 leaves no density, as between Gaussian units.
  const auto of_numbers = machine(std::make_unique<GaussianUnit>());
  const ParameterBlock& weight =
      *std::ranges::find(of_numbers->parameter_layout().blocks(), "weight.visible.hidden", &ParameterBlock::name);
  const auto couple = [&](Real w) {
    of_numbers->update_parameters([&](std::span<Real> theta) { theta[weight.offset] = w; });
  };
  CHECK_NOTHROW(couple(Real(0.96875)));
  CHECK_THROWS_AS(couple(Real(1.03125)), NumericalError);
  CHECK_FALSE(of_numbers->free_energy()->closed({}));  // nothing is jointly normal here
}

TEST_CASE("score matching refuses rectified units where it cannot serve them, and says why and what to try") {
  const auto message = [](std::unique_ptr<UnitType> visible, std::unique_ptr<UnitType> hidden, const auto& estimator) {
    const auto model = make_rbm(
        {.num_visible = 3, .num_hidden = 2, .visible_units = std::move(visible), .hidden_units = std::move(hidden)});
    return testing::message_of<CapabilityError>([&] { estimator.check(*model); });
  };
  CHECK(message(std::make_unique<RectifiedUnit>(), nullptr, ScoreMatching({})) ==
        "estimator 'score_matching': it takes a density that goes on smoothly over the whole real line, and the units "
        "'rectified' of layer 'visible' are numbers from 0 up, where it breaks off. Try 'pcd' or 'cd'.");
  CHECK(message(std::make_unique<RectifiedUnit>(), nullptr, DenoisingScoreMatching())
            .starts_with("estimator 'denoising_score_matching': it takes a density"));
  CHECK(message(std::make_unique<GaussianUnit>(), std::make_unique<RectifiedUnit>(), ScoreMatching({})) ==
        "estimator 'score_matching': the model offers no score of its observed units: these must be Gaussian, and the "
        "latent ones discrete or Gaussian, and independent given them. Try 'pcd' or 'cd'.");
}

TEST_CASE("rectified units under Gaussian ones are refused where no density is sure to exist") {
  const auto model = make_rbm({.num_visible = 2,
                               .num_hidden = 2,
                               .visible_units = std::make_unique<GaussianUnit>(),
                               .hidden_units = std::make_unique<RectifiedUnit>()});
  const ParameterBlock& weight =
      *std::ranges::find(model->parameter_layout().blocks(), "weight.visible.hidden", &ParameterBlock::name);
  const auto couple = [&](Real a, Real b, Real c, Real d) {
    model->update_parameters([&](std::span<Real> theta) {
      const std::vector<Real> w{a, b, c, d};
      std::ranges::copy(w, theta.begin() + static_cast<std::ptrdiff_t>(weight.offset));
    });
  };
  // S = 1 − WᵀW: a direction of the half lines in which it is negative is all that counts.
  CHECK_NOTHROW(couple(Real(0.9), 0, 0, Real(0.9)));
  CHECK_THROWS_WITH_AS(couple(Real(1.1), 0, 0, 0),
                       "the couplings of the continuous units (layers: visible, hidden) are too strong for their "
                       "precisions: no density is sure to exist",
                       NumericalError);
  CHECK(model->parameters()[weight.offset] == Real(0.9));
  CHECK_THROWS_AS(couple(Real(0.8), Real(0.8), 0, 0), NumericalError);  // 1 − 2 · 0.64 along (1, 1)
  CHECK_NOTHROW(couple(Real(0.8), Real(-0.8), 0, 0));                   // the same form, along (1, −1) alone
}

}  // namespace rectified_unit_test
