#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/unit_suite.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/unit_failures.hpp>

namespace levels_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<double> values_of(const UnitType& unit) {
  std::vector<Real> states(unit.num_states());
  unit.states({states.data(), states.size(), 1, 1});
  return {states.begin(), states.end()};
}

/// Three levels whose law knows of no crystal field, or has it once more than it is given.
class WrongField final : public FiniteUnit {
 public:
  explicit WrongField(double factor) : FiniteUnit({-1, 0, 1}), factor_(factor) {}
  std::string_view name() const override { return "wrong"; }
  bool has_curvature() const override { return true; }
  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override {
    const BasicFields<const double>& f = fields;
    std::vector<double> gamma;
    for (Index c = 0; c < f.linear.cols; ++c) gamma.push_back(factor_ * f.curvature(0, c));
    BasicFields<const double> wrong = f;
    wrong.curvature = {gamma.data(), f.linear.rows, f.linear.cols, 0};
    FiniteUnit::add_log_partition(wrong, sums);
  }
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override {
    std::vector<Real> gamma;
    for (Index c = 0; c < fields.linear.cols; ++c) gamma.push_back(static_cast<Real>(factor_) * fields.curvature(0, c));
    ConstFields wrong = fields;
    wrong.curvature = {gamma.data(), fields.linear.rows, fields.linear.cols, 0};
    FiniteUnit::moments(wrong, mean, second);
  }

 private:
  double factor_;
};

}  // namespace

TEST_CASE("levels are those of a spin of that size, or begin and step as said") {
  CHECK(values_of(LevelsUnit({})) == std::vector<double>{-1, 0, 1});
  CHECK(values_of(LevelsUnit({.num_states = 4})) == std::vector<double>{-1.5, -0.5, 0.5, 1.5});
  CHECK(values_of(LevelsUnit({.num_states = 5, .low = 1.0})) == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(values_of(LevelsUnit({.num_states = 5, .step = 0.5})) == std::vector<double>{-1, -0.5, 0, 0.5, 1});
  CHECK(LevelsUnit({}).domain() == "from -1 to 1");
  CHECK(LevelsUnit({}).byte_code()->low == Real{-1});
  CHECK(LevelsUnit({}).configuration() == table_of("levels", LevelsUnit::Options{}));
}

TEST_CASE("a level is the number that a file's decimals are read as") {
  const LevelsUnit tenths({.num_states = 7, .low = -0.3, .step = 0.1});
  const double decimals[] = {-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3};
  for (Index k = 0; k < 7; ++k) {
    CHECK(values_of(tenths)[k] == static_cast<double>(static_cast<Real>(decimals[k])));
    CHECK(std::signbit(values_of(tenths)[k]) == (k < 3));
  }
}

TEST_CASE("levels keep what units promise, and a law with another crystal field does not") {
  for (const LevelsUnit::Options& options :
       {LevelsUnit::Options{}, {.num_states = 4}, {.num_states = 5, .low = 1.0}, {.num_states = 9, .step = 0.25}})
    CHECK(failures(LevelsUnit(options)) == 0);
  CHECK(failures(WrongField(1.0)) == 0);
  for (const double factor : {0.0, 0.5, 2.0, -1.0}) CHECK(failures(WrongField(factor)) > 0);
}

TEST_CASE("a spin 1 has the closed forms of its law, under a crystal field of either sign") {
  const LevelsUnit unit({});
  for (const double d : {-1.5, 0.0, 0.75, 30.0})
    for (const double beta : {0.0, 0.5, 2.0}) {
      CAPTURE(d);
      CAPTURE(beta);
      const double theta = 0.625, gamma = 2.0 * d;
      BasicFields<const double> wide{{&theta, 1, 1, 1}};
      wide.curvature = {&gamma, 1, 1, 1};
      wide.scale = &beta;
      double log_z = 0.0;
      unit.add_log_partition(wide, {&log_z, 1});
      const double weight = std::exp(-beta * d), z = 1.0 + 2.0 * weight * std::cosh(beta * theta);
      CHECK(std::abs(log_z - std::log(z)) < 1e-13);
      const Real linear = Real{0.625}, curvature = static_cast<Real>(gamma), scale = static_cast<Real>(beta);
      ConstFields fields{{&linear, 1, 1, 1}};
      fields.curvature = {&curvature, 1, 1, 1};
      fields.scale = &scale;
      Real mean = 0, second = 0;
      unit.moments(fields, {&mean, 1, 1, 1}, {&second, 1, 1, 1});
      const double rounding = 64.0 * std::numeric_limits<Real>::epsilon();
      CHECK(std::abs(static_cast<double>(mean) - 2.0 * weight * std::sinh(beta * theta) / z) <= rounding);
      CHECK(std::abs(static_cast<double>(second) - 2.0 * weight * std::cosh(beta * theta) / z) <= rounding);
    }
}

TEST_CASE("levels beyond what nine decimals tell apart are refused") {
  const auto refusal = [](const LevelsUnit::Options& options) {
    return message_of<ConfigError>([&] { options.validate(); });
  };
  CHECK(refusal({}).empty());
  CHECK(refusal({.num_states = 5, .low = 1.0}).empty());
  CHECK(refusal({.num_states = 5, .low = 999998.0}) ==
        "its values are 999998 to 1000002, and 1000000 is the largest size of one. Take a smaller step.");
}

}  // namespace levels_test
