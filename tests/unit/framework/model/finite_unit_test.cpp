#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/model/finite_unit.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace finite_unit_test {

using namespace harmonium;

namespace {

class Listed final : public FiniteUnit {
 public:
  explicit Listed(std::vector<double> values) : FiniteUnit(std::move(values)) {}
  std::string_view name() const override { return "listed"; }
};

}  // namespace

TEST_CASE("a unit of listed values keeps what units promise, however they are spaced") {
  for (const std::vector<double>& values : {std::vector<double>{0, 1}, {-1.5, 0, 2}, {0, 1, 2, 3, 4}, {-2, -1, 5, 6}}) {
    const Listed unit(values);
    CheckReport report;
    conformance::check_unit(unit, report);
    for (const CheckResult& r : report.results())
      CHECK_MESSAGE(r.outcome == CheckOutcome::passed, r.check, ": ", r.words);
    CHECK(unit.num_states() == values.size());
    CHECK(unit.min() == values.front());
    CHECK(unit.max() == values.back());
  }
}

TEST_CASE("the parameter of a mean gives that mean back, and is finite where a unit never changes") {
  const Listed unit({-1.5, 0, 2});
  for (const double mean : {-1.25, 0.1, 1.75}) {
    double theta = 0.0, z = 0.0, sum = 0.0;
    unit.linear_of_mean({&mean, 1}, 0.0, 1e12, {&theta, 1});
    for (const double v : {-1.5, 0.0, 2.0}) {
      z += std::exp(theta * v);
      sum += v * std::exp(theta * v);
    }
    CHECK(std::abs(sum / z - mean) < 1e-9);
  }
  const double end = 2.0;
  double theta = 0.0;
  unit.linear_of_mean({&end, 1}, 0.0, 100.0, {&theta, 1});
  CHECK(std::isfinite(theta));
  CHECK(theta > 0.0);
}

TEST_CASE("values are kept in bytes where they are whole and equally spaced") {
  CHECK(Listed({0, 1, 2}).byte_code().has_value());
  CHECK(Listed({-1, 1}).byte_code()->low == Real{-1});
  CHECK(Listed({-1, 1}).byte_code()->step == Real{2});
  CHECK_FALSE(Listed({0, 0.5, 1}).byte_code().has_value());
  CHECK_FALSE(Listed({0, 1, 3}).byte_code().has_value());
}

}  // namespace finite_unit_test
