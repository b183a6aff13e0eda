// The gradient that training has left, and what chance makes of it, against sums over all states and rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/training/batches.hpp>
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

Dataset bits_as_data(std::vector<double> bits) {
  const Index count = bits.size() / units;
  return Dataset(Table{count, units, NumberArray<double>(std::move(bits)), {count, units}}, "bits");
}

std::optional<GradientLeft> left_of(const EnergyModel& model, std::vector<double> bits, const char* estimator,
                                    std::span<const Real> own = {}, std::uint64_t seed = 1) {
  const Dataset data = bits_as_data(std::move(bits));
  const Value config = make_table({{"estimator", make_table({{"type", make_value(estimator)}})}});
  return gradient_left(model, data, config, own, builtin_registries(), {executor, {seed, 0}});
}

/// log q of each row, q being the noise of `noise_contrastive` for `data`.
std::vector<double> log_noise(const EnergyModel& model, const Dataset& data, const Chains& rows_asked) {
  const AnnealingBase noise = AnnealingBase::marginals(model, spread_rows(data, model.layout(), 0, 0));
  std::vector<double> values(rows_asked.size());
  noise.law().free_energy()->evaluate(model.layout().observed(), 1.0, rows_asked.real(), values);
  for (double& v : values) v = -v - noise.law().log_partition(1.0);
  return values;
}

/// Of noise-contrastive estimation with ν rows of noise a row: the squares of the gradient of the mean over all noise and of its
/// chance, and the variance of what the noise of one row adds, by sums over states.
struct ByStates {
  double norm = 0.0, chance = 0.0, of_noise = 0.0;
};

ByStates noise_contrastive_by_states(const EnergyModel& model, const std::vector<double>& bits, double c, double nu) {
  const Oracle oracle(model);
  const Dataset data = bits_as_data(bits);
  const auto states = oracle.states(model.layout().all());
  Chains all(model.layout(), states.size());
  for (Index s = 0; s < states.size(); ++s)
    for (Index i = 0; i < units; ++i) all.write(model.layout().id(0))(s, i) = static_cast<Real>(states[s][i]);
  const std::vector<double> log_q = log_noise(model, data, all);
  const Index size = model.parameters().size() + 1;
  // Of each state what it adds as a row of data, and as one of noise.
  std::vector<std::vector<double>> as_data, as_noise;
  std::vector<double> of_noise(size, 0.0);
  ByStates found;
  for (Index s = 0; s < states.size(); ++s) {
    const double g = -oracle.energy(states[s]) - c - std::log(nu) - log_q[s], q = std::exp(log_q[s]);
    std::vector<double> slope = slope_of(model, states[s].data());
    slope.push_back(1.0);
    as_data.emplace_back();
    for (const double d : slope) as_data.back().push_back(d / (1.0 + std::exp(g)));
    for (Index k = 0; k < size; ++k) {
      const double u = -slope[k] / (1.0 + std::exp(-g));
      of_noise[k] += nu * q * u;
      found.of_noise += nu * q * u * u;
    }
  }
  for (const double m : of_noise) found.of_noise -= m * m / nu;
  std::vector<std::vector<double>> of_parts(parts, std::vector<double>(size, 0.0));
  std::vector<double> mean = of_noise, counts(parts, 0.0);
  for (Index r = 0; r < rows; ++r) {
    const Oracle::State row(bits.begin() + r * units, bits.begin() + (r + 1) * units);
    const Index s = std::ranges::find(states, row) - states.begin();
    counts[r % parts] += 1.0;
    for (Index k = 0; k < size; ++k) {
      of_parts[r % parts][k] += as_data[s][k];
      mean[k] += as_data[s][k] / rows;
    }
  }
  for (Index k = 0; k < size; ++k) {
    found.norm += mean[k] * mean[k];
    for (Index p = 0; p < parts; ++p) {
      const double change = of_parts[p][k] / counts[p] + of_noise[k] - mean[k];
      found.chance += counts[p] * change * change / ((parts - 1) * static_cast<double>(rows));
    }
  }
  return found;
}

}  // namespace

namespace {

/// Bits that all couple, with a bias each, or one for all.
std::unique_ptr<EnergyModel> bits_model(bool shared) {
  if (!shared) return random_model({{observed("v", units)}, {{0, 0}}, {}}, 4, 0.5);
  auto model = make<EnergyModel>(
      "type = 'layered'\nlayers = [{ name = 'v', size = 5 }]\n"
      "terms = [{ type = 'bias', layer = 'v', uniform = true }, { type = 'lateral', layer = 'v' }]");
  randomize(*model, 4, 0.5);
  return model;
}

/// Where the numbers of θ are that count: of one bias for all units the first.
std::vector<Index> counted_places(const EnergyModel& model) {
  std::vector<Index> places;
  for (const ParameterBlock& b : model.parameter_layout().blocks())
    for (Index i = 0; i < (b.uniform ? 1 : b.size()); ++i) places.push_back(b.offset + i);
  return places;
}

}  // namespace

TEST_CASE("the gradient left of the log likelihood, and its chance, are those of the definition, of all rows") {
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    const auto model = bits_model(shared);
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
    for (const Index k : counted_places(*model)) {
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
      CHECK(left->of == Objective::likelihood);
      CHECK(left->rows == rows);
      // Numbers of size 1, some hundred of which are added up.
      CHECK(std::abs(left->norm - std::sqrt(norm)) < rounding(1000.0));
      CHECK(std::abs(left->chance - std::sqrt(chance)) < rounding(1000.0));
    }
  }
}

TEST_CASE("the gradient left of an objective that draws is that of the mean over its draws") {
  const auto model = random_model({{observed("v", units)}, {{0, 0}}, {}}, 4, 0.5);
  constexpr double nu = 10.0, repeats = 16.0;
  const double log_z = Oracle(*model).log_z();
  for (const double off : {0.0, 0.5}) {  // of what is learned beside θ
    CAPTURE(off);
    const ByStates exact = noise_contrastive_by_states(*model, some_bits(), log_z + off, nu);
    // What noise adds to the square of a mean over all rows, and to that of its chance, is taken off. With t its mean, the variance of the
    // first is 4 gᵀSg + 2 tr S² for noise of the covariance S, at most 4 |g|² t + 2 t²; and of the second, a variance of 16 parts of
    // the scatter e², at most (4 e² t + 2 t²)/15; t itself is known to √(2/240) at worst. Five of these: one alarm in 10^6.
    const double t = exact.of_noise / (repeats * rows), known = t * std::sqrt(2.0 / 240.0);
    const double of_norm = std::sqrt(4.0 * exact.norm * t + 2.0 * t * t) + known,
                 of_chance = std::sqrt((4.0 * exact.chance * t + 2.0 * t * t) / 15.0) + known;
    const auto own = static_cast<Real>(log_z + off);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(seed);
      const auto left = left_of(*model, some_bits(), "noise_contrastive", {&own, 1}, seed);
      REQUIRE(left);
      CHECK(left->of == Objective::drawn);
      CHECK(left->rows == rows);
      CHECK(std::abs(left->norm * left->norm - exact.norm) < 5.0 * of_norm);
      CHECK(std::abs(left->chance * left->chance - exact.chance) < 5.0 * of_chance);
    }
  }
}

TEST_CASE("what draws leave in a gradient is taken off, once, so that at the optimum it is below 0 as often as above") {
  // Of all states alike, data, noise and model are one law: the gradient of the mean over noise is 0, and what an estimate has of it is noise.
  const auto model = random_model({{observed("v", units)}, {{0, 0}}, {}}, 4);
  model->update_parameters([](std::span<Real> theta) { std::ranges::fill(theta, Real{0}); });
  std::vector<double> bits;
  for (Index r = 0; r < 6 * 32; ++r)
    for (Index c = 0; c < units; ++c) bits.push_back(static_cast<double>((r % 32) >> c & 1));
  const Dataset data = bits_as_data(std::move(bits));
  const Value config = make_table({{"estimator", make_table({{"type", make_value("noise_contrastive")},
                                                             {"noise_rows", make_value(std::int64_t{1})}})}});
  const auto own = static_cast<Real>(units * std::log(2.0));
  int below = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto left = gradient_left(*model, data, config, {&own, 1}, builtin_registries(), {executor, {seed, 0}});
    REQUIRE(left);
    CHECK(left->converged());
    below += left->norm == 0.0 ? 1 : 0;
  }
  // A sum of squares of normal numbers is below its mean with a probability of 0.5 to 0.68: fewer than 8 of 40, or more than 37, once in
  // 20,000 times. It would be none if nothing were taken off, and all 40 if what one estimate has were.
  CHECK(below >= 8);
  CHECK(below <= 37);
}

TEST_CASE("the gradient left of another objective is its own, and none where there is none to be had") {
  const auto model = random_model({{observed("v", units)}, {{0, 0}}, {}}, 4, 0.5);
  const auto left = left_of(*model, some_bits(), "pseudo_likelihood");
  REQUIRE(left);
  CHECK(left->of == Objective::own);
  CHECK(left->rows == rows);
  CHECK(left->norm != left_of(*model, some_bits(), "exact")->norm);
  CHECK_FALSE(left_of(*model, std::vector<double>(159 * units, 1.0), "exact"));   // too few
  CHECK_FALSE(left_of(*model, std::vector<double>(rows * units, 1.0), "exact"));  // all alike: no chance
  const auto large = random_model({{observed("v", 40)}, {{0, 0}}, {}}, 4, 0.5);
  const Dataset data(Table{400, 40, NumberArray<double>(std::vector<double>(16000, 1.0)), {400, 40}}, "ones");
  const Value config = make_table({{"estimator", make_table({{"type", make_value("pcd")}})}});
  CHECK_FALSE(gradient_left(*large, data, config, {}, builtin_registries(), {executor, {1, 0}}));  // 2^40 states
}

}  // namespace gradient_left_test
