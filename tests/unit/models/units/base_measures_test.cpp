// Units with a base measure: counts, and positive numbers.
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/models/units/gamma.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/tests/support/unit_failures.hpp>

namespace base_measures_test {

using namespace harmonium;
using harmonium::testing::failures;

namespace {

/// One thing about a unit that is wrong, of the size of a slip.
class ShiftedDraws final : public GammaUnit {
 public:
  explicit ShiftedDraws(double factor) : GammaUnit({.shape = 2.0, .rate = 1.0}), factor_(static_cast<Real>(factor)) {}
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override {
    GammaUnit::sample(fields, addresses, out, mean);
    for (Index r = 0; r < out.rows; ++r)
      for (Real& x : out[r]) x *= factor_;
  }

 private:
  Real factor_;
};

/// Draws of shape 2 whose base measure says 2.1.
class OtherBase final : public GammaUnit {
 public:
  OtherBase() : GammaUnit({.shape = 2.0, .rate = 1.0}), other_({.shape = 2.1, .rate = 1.0}) {}
  double log_base(double x) const override { return other_.log_base(x); }

 private:
  GammaUnit other_;
};

}  // namespace

TEST_CASE("units with a base measure keep what units promise") {
  std::vector<std::unique_ptr<UnitType>> all;
  all.push_back(std::make_unique<PoissonUnit>());
  all.push_back(std::make_unique<ExponentialUnit>(ExponentialUnit::Options{}));
  all.push_back(std::make_unique<ExponentialUnit>(ExponentialUnit::Options{.rate = 0.3}));
  for (const double shape : {0.4, 1.0, 2.0, 7.5})
    all.push_back(std::make_unique<GammaUnit>(GammaUnit::Options{.shape = shape, .rate = 1.7}));
  for (const auto& unit : all) {
    CAPTURE(unit->name());
    CheckReport report;
    conformance::check_unit(*unit, report);
    for (const CheckResult& r : report.results())
      CHECK_MESSAGE(r.outcome != CheckOutcome::failed, r.check, ": ", r.words);
    CHECK(report.results().size() >= 10);
  }
}

TEST_CASE("draws that are 4 percent off, and a base measure of another shape, are caught") {
  CHECK(failures(ShiftedDraws(1.0)) == 0);
  CHECK(failures(ShiftedDraws(1.04)) > 0);
  CHECK(failures(OtherBase()) > 0);
}

TEST_CASE("values that units with a base measure take are those of finite weight") {
  const PoissonUnit poisson;
  CHECK(poisson.log_base(0.0) == 0.0);
  CHECK(std::abs(poisson.log_base(5.0) + std::log(120.0)) < 1e-14);
  for (const double none : {-1.0, 0.5, 2.25}) CHECK_FALSE(std::isfinite(poisson.log_base(none)));
  const ExponentialUnit exponential({.rate = 2.0});
  CHECK(std::abs(exponential.log_base(0.0) - std::log(2.0)) < 1e-15);
  CHECK(std::abs(exponential.log_base(3.0) - (std::log(2.0) - 6.0)) < 1e-14);
  CHECK_FALSE(std::isfinite(exponential.log_base(-0.1)));
  for (const double shape : {0.5, 3.0}) {
    const GammaUnit gamma({.shape = shape, .rate = 1.5});
    CHECK_FALSE(std::isfinite(gamma.log_base(0.0)));
    const double x = 0.7,
                 density = std::pow(1.5, shape) * std::pow(x, shape - 1.0) * std::exp(-1.5 * x) / std::tgamma(shape);
    CHECK(std::abs(gamma.log_base(x) - std::log(density)) < 1e-14);
  }
}

TEST_CASE("a field that leaves a gamma unit no law gives no finite number") {
  const GammaUnit unit({.shape = 2.0, .rate = 1.0});
  const double field = 1.0;
  double sum = 0.0;
  unit.add_log_partition({{&field, 1, 1, 1}}, {&sum, 1});
  CHECK(sum == std::numeric_limits<double>::infinity());
  const Real same = 1;
  Real mean = 0, drawn = 0;
  unit.sample({{&same, 1, 1, 1}}, {.key = 3}, {&drawn, 1, 1, 1}, {&mean, 1, 1, 1});
  CHECK_FALSE(std::isfinite(drawn));
  CHECK_FALSE(std::isfinite(mean));
}

TEST_CASE("Poisson units of a large mean draw large counts, and of an endless one none") {
  const PoissonUnit unit;
  const auto draw = [&](double log_mean) {
    const auto field = static_cast<Real>(log_mean);
    Real drawn = 0;
    unit.sample({{&field, 1, 1, 1}}, {.key = 3}, {&drawn, 1, 1, 1}, {});
    return static_cast<double>(drawn);
  };
  CHECK(draw(-80.0) == 0.0);
  CHECK(std::abs(draw(20.0) / std::exp(20.0) - 1.0) < 7.0 * std::exp(-10.0));  // 7 standard deviations
  CHECK(draw(1000.0) == std::numeric_limits<double>::infinity());
}

}  // namespace base_measures_test
