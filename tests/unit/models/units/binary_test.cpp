#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/models/units/binary.hpp>

namespace binary_test {

using namespace harmonium;

namespace {

const BinaryUnit unit;
const std::vector<Real> linear{Real(-2.5), 0, Real(0.75), 40, -40, 3}, bias{Real(0.5), -1, Real(0.25)},
    scale{1, Real(0.5)};

Fields fields(std::vector<Real>& values) {
  Fields f{{values.data(), 2, 3, 3}};
  f.bias = bias.data();
  f.scale = scale.data();
  return f;
}
double natural(Index r, Index c) {
  return static_cast<double>(scale[r]) * (static_cast<double>(linear[r * 3 + c]) + static_cast<double>(bias[c]));
}

}  // namespace

TEST_CASE("a binary unit is 0 or 1, in one column and one byte") {
  CHECK(unit.name() == "binary");
  CHECK(unit.width() == 1);
  CHECK(unit.num_states() == 2);
  CHECK_FALSE(unit.has_curvature());
  std::vector<Real> states(2, Real{9});
  unit.states({states.data(), 2, 1, 1});
  CHECK(states == std::vector<Real>{0, 1});
  CHECK(unit.byte_code()->low == 0);
  CHECK(unit.byte_code()->step == 1);
  CHECK(unit.min() == 0.0);
  CHECK(unit.max() == 1.0);
}

TEST_CASE("its log partition is log(1 + e^x) summed over units, added to what is there") {
  const std::vector<double> wide(linear.begin(), linear.end()), wide_bias(bias.begin(), bias.end()),
      wide_scale(scale.begin(), scale.end());
  BasicFields<const double> f{{wide.data(), 2, 3, 3}};
  f.bias = wide_bias.data();
  f.scale = wide_scale.data();
  std::vector<double> sums{10.0, 20.0};
  unit.add_log_partition(f, sums);
  for (Index r = 0; r < 2; ++r) {
    double expected = 10.0 * static_cast<double>(r + 1);
    for (Index c = 0; c < 3; ++c) expected += log1pexp(natural(r, c));
    CHECK(std::abs(sums[r] - expected) <= 1e-14 * expected);
  }
}

TEST_CASE("its mean is the logistic function, also in the place of the fields") {
  std::vector<Real> values = linear, means(6);
  unit.moments(fields(values), {means.data(), 2, 3, 3}, {});
  for (Index i = 0; i < 6; ++i)
    CHECK(std::abs(static_cast<double>(means[i]) - logistic(natural(i / 3, i % 3))) <= 1e-15);
  unit.moments(fields(values), {values.data(), 2, 3, 3}, {});
  CHECK(values == means);
  unit.moments(fields(values), {}, {});  // nothing is wanted
}

TEST_CASE("a draw is 1 where the word of its address falls below its mean") {
  const DrawBlock addresses = DrawBlock::of(RandomSource{1, 2}, 8, 3, LayerId{1});
  Index ones = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    DrawBlock at = addresses;
    at.step = static_cast<std::uint32_t>(repeat);
    at.first_site = 5;
    std::vector<Real> values = linear, means(6);
    unit.sample(fields(values), at, {values.data(), 2, 3, 3}, {means.data(), 2, 3, 3});
    for (Index r = 0; r < 2; ++r) {
      for (Index c = 0; c < 3; ++c) {
        const double p = logistic(natural(r, c)), u = uniform_f64(at.word(r, static_cast<std::uint32_t>(5 + c)));
        CHECK(std::abs(static_cast<double>(means[r * 3 + c]) - p) <= 1e-15);
        CHECK(values[r * 3 + c] == (u < p ? 1.0 : 0.0));
        ones += values[r * 3 + c] != 0 ? 1 : 0;
      }
    }
  }
  CHECK(ones > 0);
  CHECK(ones < 300);
}

TEST_CASE("the field of a mean gives that mean back, and is finite for a unit that never changes") {
  const auto field = [](double mean, double rows) {
    double linear_of = 0.0;
    unit.linear_of_mean({&mean, 1}, 1.0, rows, {&linear_of, 1});
    return linear_of;
  };
  CHECK(field(0.5, 10.0) == 0.0);
  CHECK(std::abs(logistic(field(0.3, 99.0)) - 0.302) <= 1e-15);  // (0.3 · 99 + ½) / 100
  CHECK(std::abs(logistic(field(0.0, 9.0)) - 0.05) <= 1e-15);
  CHECK(std::abs(logistic(field(1.0, 9.0)) - 0.95) <= 1e-15);
  CHECK(std::abs(field(0.0, 9.0) + field(1.0, 9.0)) <= 1e-15);
}

TEST_CASE("a uniform draw is the upper half of the words") {
  const DrawBlock addresses = DrawBlock::of(RandomSource{1, 2}, 4, 3, LayerId{0});
  std::vector<Real> values(60, Real{9});
  unit.sample_uniform(addresses, {values.data(), 6, 10, 10});
  for (Index r = 0; r < 6; ++r)
    for (Index c = 0; c < 10; ++c)
      CHECK(values[r * 10 + c] == (uniform_f64(addresses.word(r, static_cast<std::uint32_t>(c))) < 0.5 ? 1.0 : 0.0));
}

}  // namespace binary_test
