#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/kernels/kernels.hpp>

namespace accuracy_test {

using namespace harmonium;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// All instruction sets compute the same bits, which kernels_test.cpp shows: here the best of them stands for all.
template <class T>
std::vector<T> logistic(const std::vector<T>& field) {
  std::vector<T> out(field.size());
  kernels_of<T>().logistic({field.data(), 1, field.size(), field.size()}, nullptr, nullptr,
                           {out.data(), 1, out.size(), out.size()});
  return out;
}

/// Of each element on its own.
template <class T>
std::vector<double> softplus(const std::vector<T>& field) {
  std::vector<double> out(field.size());
  kernels_of<T>().softplus_sum({field.data(), field.size(), 1, 1}, nullptr, nullptr, out.data());
  return out;
}

template <class T>
double softplus_sum(const std::vector<T>& field) {
  double out = 0;
  kernels_of<T>().softplus_sum({field.data(), 1, field.size(), field.size()}, nullptr, nullptr, &out);
  return out;
}

long double exact_logistic(long double x) { return 1 / (1 + std::exp(-x)); }
long double exact_softplus(long double x) { return std::max(x, 0.L) + std::log1p(std::exp(-std::abs(x))); }

/// A dense grid that hits no value in particular.
template <class T>
std::vector<T> grid(double low, double high) {
  constexpr int points = 500009;
  std::vector<T> x(points);
  for (int i = 0; i < points; ++i) x[static_cast<Index>(i)] = static_cast<T>(low + (high - low) * (i + 0.3) / points);
  return x;
}

template <class T, class Found, class Exact>
double worst_relative_error(const std::vector<T>& x, const std::vector<Found>& found, const Exact& exact) {
  long double worst = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const long double expected = exact(x[i]);
    worst = std::max(worst, std::abs((found[i] - expected) / expected));
  }
  return static_cast<double>(worst);
}

/// Where exp(-x) neither overflows nor leaves the normal numbers.
template <class T>
constexpr double range = std::same_as<T, float> ? 87.3 : 708.3;

}  // namespace

TEST_CASE_TEMPLATE("logistic is accurate to the last digits", T, float, double) {
  // On the left it is 1 / exp(-x): to the error of exp come the roundings of a sum and of a division.
  for (const double limit : {1., 20., range<T>}) {
    const std::vector<T> x = grid<T>(-limit, limit);
    const double error = worst_relative_error(x, logistic(x), exact_logistic);
    CHECK(error < (std::same_as<T, float> ? 2e-7 : 3e-16));
  }
}

TEST_CASE_TEMPLATE("softplus of negative numbers, hence exp, is accurate", T, float, double) {
  // Far on the left softplus is exp(x). For float, what follows the exponential is done in double.
  const double limit = std::same_as<T, float> ? 1.2e-7 : 3e-16;
  std::vector<T> x = grid<T>(-range<T>, -40);
  const double exp_error = worst_relative_error(x, softplus(x), [](long double v) { return std::exp(v); });
  CHECK(exp_error < limit);
  x = grid<T>(-40, 40);
  const double error = worst_relative_error(x, softplus(x), exact_softplus);
  CHECK(error < limit);
}

TEST_CASE_TEMPLATE("extreme fields have exact means and states", T, float, double) {
  constexpr T largest = std::numeric_limits<T>::max();
  const std::vector<T> field{-10000,  10000, T(-infinity), T(infinity),     -largest,
                             largest, 0,     -T{0},        T(not_a_number), -T(not_a_number)};
  const std::vector<T> expected{0, 1, 0, 1, 0, 1, T(0.5), T(0.5)};
  const Index n = field.size();
  const MatrixView<const T> view{field.data(), 1, n, n};
  for (std::uint64_t step = 0; step < 100; ++step) {
    std::vector<T> state(n, -7), mean(n, -7);
    kernels_of<T>().bernoulli(DrawBlock::of({1, 2}, 0, step, LayerId{0}), view, nullptr, nullptr,
                              {state.data(), 1, n, n}, {mean.data(), 1, n, n});
    for (Index i = 0; i < expected.size(); ++i) CHECK(mean[i] == expected[i]);
    for (Index i = 0; i < 6; ++i) CHECK(state[i] == expected[i]);
    for (Index i = 8; i < n; ++i) {
      CHECK(std::isnan(mean[i]));
      CHECK(state[i] == 0);
    }
  }
  // Not a number whatever its bits.
  std::vector<T> payloads(64, std::numeric_limits<T>::signaling_NaN());
  for (Index i = 0; i < payloads.size(); ++i) {
    payloads[i] = static_cast<T>(std::nan(std::to_string(i * 97).c_str()));
  }
  for (const T mean : logistic(payloads)) CHECK(std::isnan(mean));
  for (const double sum : softplus(payloads)) CHECK(std::isnan(sum));
}

TEST_CASE_TEMPLATE("means decrease to zero without a jump", T, float, double) {
  // Across the field beyond which exp(-x) is infinite, a little before it would overflow.
  const std::vector<T> x = grid<T>(-range<T> - 10, -range<T> + 10);
  const std::vector<T> mean = logistic(x);
  bool decreasing = true;
  for (Index i = 0; i + 1 < x.size(); ++i) decreasing = decreasing && mean[i] <= mean[i + 1] * T(1 + 1e-6);
  CHECK(decreasing);
  CHECK(mean.front() == 0);
}

TEST_CASE_TEMPLATE("sums of softplus are accurate", T, float, double) {
  const double limit = std::same_as<T, float> ? 2e-7 : 1e-14;
  RandomStream words(DrawBlock::of({1, 2}, 0, 0, LayerId{0}), 0, 0);
  constexpr Index sizes[] = {1, 10, 500, 960, 961, 5000, 40000};
  for (const Index n : sizes) {
    for (const double center : {-100., -20., -3., 0., 3., 20., 1000.}) {
      for (const double width : {0., 1., 10.}) {
        std::vector<T> field(n);
        long double expected = 0;
        for (T& x : field) {
          x = static_cast<T>(center + width * (2 * uniform_f64(words()) - 1));
          if (std::same_as<T, float> && x < -87) x = -87;
          expected += exact_softplus(x);
        }
        const double error = static_cast<double>(std::abs(softplus_sum(field) - expected) / expected);
        CAPTURE(n);
        CAPTURE(center);
        CAPTURE(width);
        CHECK(error < limit);
      }
    }
  }
}

TEST_CASE_TEMPLATE("sums of softplus at the extremes", T, float, double) {
  constexpr Index sizes[] = {1, 7, 960, 4000};
  for (const Index n : sizes) {
    const double count = static_cast<double>(n);
    CHECK(softplus_sum(std::vector<T>(n, 0)) == doctest::Approx(count * std::log(2.)).epsilon(1e-15));
    CHECK(softplus_sum(std::vector<T>(n, 10000)) == count * 10000);
    CHECK(softplus_sum(std::vector<T>(n, -10000)) == 0);
    CHECK(softplus_sum(std::vector<T>(n, T(-infinity))) == 0);
    CHECK(softplus_sum(std::vector<T>(n, T(infinity))) == infinity);
    std::vector<T> field(n, -10000);
    field.back() = T(not_a_number);
    CHECK(std::isnan(softplus_sum(field)));
  }
  CHECK(softplus_sum(std::vector<T>{std::numeric_limits<T>::max()}) == std::numeric_limits<T>::max());
  CHECK(softplus_sum(std::vector<T>{}) == 0);
}

TEST_CASE_TEMPLATE("the bias is added first, then scaled", T, float, double) {
  const std::vector<T> field{1, -2, 3, 0, 1, 2}, bias{T(0.5), 1, -1}, scale{2, T(-0.25)};
  const MatrixView<const T> view{field.data(), 2, 3, 3};
  std::vector<T> out(6);
  std::vector<double> sums{10, 20};
  kernels_of<T>().logistic(view, bias.data(), scale.data(), {out.data(), 2, 3, 3});
  kernels_of<T>().softplus_sum(view, bias.data(), scale.data(), sums.data());
  long double expected_sums[] = {10, 20};
  for (Index r = 0; r < 2; ++r) {
    for (Index c = 0; c < 3; ++c) {
      const long double x = scale[r] * (field[r * 3 + c] + bias[c]);
      CHECK(out[r * 3 + c] == doctest::Approx(static_cast<double>(exact_logistic(x))).epsilon(1e-6));
      expected_sums[r] += exact_softplus(x);
    }
    CHECK(sums[r] == doctest::Approx(static_cast<double>(expected_sums[r])).epsilon(1e-7));
  }
}

}  // namespace accuracy_test
