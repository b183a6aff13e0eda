#include <harmonium/framework/inference/population.hpp>

#include <cmath>
#include <limits>
#include <numeric>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace population_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<double> copies(const std::vector<double>& log_weights, double uniform) {
  std::vector<double> number(log_weights.size(), 0.0);
  std::uint32_t before = 0;
  for (const std::uint32_t parent : systematic_resampling(log_weights, uniform)) {
    CHECK(parent >= before);
    before = parent;
    number.at(parent) += 1.0;
  }
  return number;
}

}  // namespace

TEST_CASE("systematic resampling gives each row its share of copies, rounded up or down, and on average exactly") {
  const std::vector<double> log_weights{0.3, -700.0, 1.7, -0.4, 0.3, 2.0, -2.0};
  double total = 0.0;
  for (const double w : log_weights) total += std::exp(w);
  const auto n = static_cast<double>(log_weights.size());
  std::vector<double> mean(log_weights.size(), 0.0);
  constexpr int points = 20000;  // the midpoint rule: the number of copies is a step function of the uniform number
  for (int k = 0; k < points; ++k) {
    const std::vector<double> number = copies(log_weights, (k + 0.5) / points);
    CHECK(std::accumulate(number.begin(), number.end(), 0.0) == n);
    for (Index i = 0; i < mean.size(); ++i) {
      CHECK(std::abs(number[i] - n * std::exp(log_weights[i]) / total) < 1.0);
      mean[i] += number[i] / points;
    }
  }
  for (Index i = 0; i < mean.size(); ++i)
    CHECK(std::abs(mean[i] - n * std::exp(log_weights[i]) / total) <= 2.0 / points);
}

TEST_CASE("equal weights keep every row, and a weight that is no number is refused") {
  CHECK(copies({5.0, 5.0, 5.0}, 0.999999) == std::vector<double>{1.0, 1.0, 1.0});
  CHECK(copies({5.0, 5.0, 5.0}, 0.000001) == std::vector<double>{1.0, 1.0, 1.0});
  CHECK_THROWS_AS(systematic_resampling(std::vector{0.0, std::numeric_limits<double>::quiet_NaN()}, 0.5),
                  NumericalError);
}

TEST_CASE("populations resample apart, multiply mean weights, and know their families") {
  const auto model = random_rbm(3, 2, 1);
  const Executor executor(2);
  Chains chains(model->layout(), 8);
  const LayerId visible = model->layout().find("visible");
  for (Index r = 0; r < 8; ++r)
    for (Index c = 0; c < 3; ++c) chains.write(visible)(r, c) = static_cast<Real>(r >> c & 1);
  Populations populations(2, 8);
  CHECK(populations.mean_square_families() == std::vector<double>{1.0, 1.0});
  // Of the first four rows the second takes all, of the others each stays.
  const std::vector<double> d{0.0, 100.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0};
  CHECK(populations.culled(d, 1.0) == doctest::Approx(3.0 / 8.0));
  CHECK(populations.culled(d, 0.0) == 0.0);
  populations.resample(d, 1.0, std::vector{0.5, 0.5}, model->layout(), chains, executor);
  CHECK(populations.log_ratios()[0] == doctest::Approx(100.0 - std::log(4.0)));
  CHECK(populations.log_ratios()[1] == doctest::Approx(2.0));
  CHECK(populations.mean_square_families() == std::vector<double>{4.0, 1.0});
  const ConstMatrixRef x = chains.read(visible);
  for (Index r = 0; r < 8; ++r) {
    const Index parent = r < 4 ? 1 : r;
    for (Index c = 0; c < 3; ++c) CHECK(x(r, c) == static_cast<Real>(parent >> c & 1));
  }
  const std::vector<std::uint8_t> first_and_last{1, 1, 0, 0, 0, 0, 1, 1};
  CHECK(populations.families_of(first_and_last) == 3);
}

}  // namespace population_test
