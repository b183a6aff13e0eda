// The gradient that training has left, and what chance makes of it, against sums over all states and rows.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/gradient_left.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace gradient_left_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index units = 5, rows = 165, parts = 16;  // parts of 10 and 11 rows

const Executor executor(2);

std::vector<double> some_bits() {
  std::vector<double> bits;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < units; ++c) bits.push_back((r * r + 3 * r * c + 7 * c) % (5 + c) < 3 ? 1.0 : 0.0);
  return bits;
}

/// ∂E/∂θ of one state.
std::vector<double> slope_of(const EnergyModel& model, const double* x) {
  Chains row(model.layout(), 1);
  const LayerId only = model.layout().id(0);
  for (Index c = 0; c < units; ++c) row.write(only).row(0)[c] = static_cast<Real>(x[c]);
  std::vector<Real> slope(model.parameters().size(), Real{0});
  const double weight = 1.0;
  model.add_gradient(row.real(), {&weight, 1}, slope, executor);
  return {slope.begin(), slope.end()};
}

std::optional<GradientLeft> left_of(const EnergyModel& model, std::vector<double> bits, const char* estimator) {
  const Index count = bits.size() / units;
  const Dataset data(Table{count, units, NumberArray<double>(std::move(bits)), {count, units}}, "bits");
  const Value config = make_table({{"estimator", make_table({{"type", make_value(estimator)}})}});
  return gradient_left(model, data, config, builtin_registries(), {executor, {1, 0}});
}

}  // namespace

TEST_CASE("the gradient left of the log likelihood, and its chance, are those of the definition, of all rows") {
  const auto model = random_model({{observed("v", units)}, {{0, 0}}, {}}, 4, 0.5);
  const Oracle oracle(*model);
  const Index size = model->parameters().size();
  std::vector<double> expected(size, 0.0), mean(size, 0.0);
  const double log_z = oracle.log_z();
  for (const Oracle::State& x : oracle.states(model->layout().all())) {
    const std::vector<double> slope = slope_of(*model, x.data());
    for (Index k = 0; k < size; ++k) expected[k] += std::exp(-oracle.energy(x) - log_z) * slope[k];
  }
  const std::vector<double> bits = some_bits();
  std::vector<std::vector<double>> of_parts(parts, std::vector<double>(size, 0.0));
  std::vector<double> counts(parts, 0.0);
  for (Index r = 0; r < rows; ++r) {
    const std::vector<double> slope = slope_of(*model, bits.data() + r * units);
    counts[r % parts] += 1.0;
    for (Index k = 0; k < size; ++k) {
      mean[k] += slope[k] / rows;
      of_parts[r % parts][k] += slope[k];
    }
  }
  double norm = 0.0, chance = 0.0;
  for (Index k = 0; k < size; ++k) {
    norm += (expected[k] - mean[k]) * (expected[k] - mean[k]);
    for (Index p = 0; p < parts; ++p) {
      const double change = of_parts[p][k] / counts[p] - mean[k];
      chance += counts[p] * change * change / ((parts - 1) * static_cast<double>(rows));
    }
  }
  for (const char* estimator : {"exact", "pcd", "contrastive", "tempered_pcd"}) {
    CAPTURE(estimator);
    const auto left = left_of(*model, bits, estimator);
    REQUIRE(left);
    CHECK(left->of_likelihood);
    CHECK(left->rows == rows);
    // Numbers of size 1, some hundred of which are added up.
    CHECK(std::abs(left->norm - std::sqrt(norm)) < rounding(1000.0));
    CHECK(std::abs(left->chance - std::sqrt(chance)) < rounding(1000.0));
  }
}

TEST_CASE("the gradient left of another objective is its own, and none where there is none to be had") {
  const auto model = random_model({{observed("v", units)}, {{0, 0}}, {}}, 4, 0.5);
  const auto left = left_of(*model, some_bits(), "pseudo_likelihood");
  REQUIRE(left);
  CHECK_FALSE(left->of_likelihood);
  CHECK(left->rows == rows);
  CHECK(left->norm != left_of(*model, some_bits(), "exact")->norm);
  CHECK_FALSE(left_of(*model, some_bits(), "noise_contrastive"));
  CHECK_FALSE(left_of(*model, std::vector<double>(159 * units, 1.0), "exact"));   // too few
  CHECK_FALSE(left_of(*model, std::vector<double>(rows * units, 1.0), "exact"));  // all alike: no chance
  const auto large = random_model({{observed("v", 40)}, {{0, 0}}, {}}, 4, 0.5);
  const Dataset data(Table{400, 40, NumberArray<double>(std::vector<double>(16000, 1.0)), {400, 40}}, "ones");
  const Value config = make_table({{"estimator", make_table({{"type", make_value("pcd")}})}});
  CHECK_FALSE(gradient_left(*large, data, config, builtin_registries(), {executor, {1, 0}}));  // 2^40 states
}

}  // namespace gradient_left_test
