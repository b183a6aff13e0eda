// The Blume-Capel model E = −J Σ_<ij> s_i s_j + D Σ s_i² − h Σ s_i, s = −1, 0, 1 (Blume 1966; Capel 1966), against a transfer
// matrix and against loops over its states.
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace blume_capel_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// Of numbers that both precisions have. The third is near the tricritical point of the square lattice, D = 1.966 J.
struct Fields {
  double d, h;
};
constexpr Fields all_fields[] = {{-0.5, 0.0}, {0.0, 0.25}, {1.9375, 0.0}, {0.75, -0.5}};
constexpr double betas[] = {0.0, 0.4, 1.0, 2.5};

std::unique_ptr<LayeredModel> blume_capel(std::vector<double> shape, const Fields& fields) {
  Index sites = 1;
  for (const double length : shape) sites *= static_cast<Index>(length);
  const std::vector<Layer> layers{observed("v", sites, std::make_shared<LevelsUnit>(LevelsUnit::Options{}))};
  EnergyTerms terms;
  terms.push_back(std::make_unique<LatticeTerm>(
      LatticeTerm::Options{.layer = "v", .shape = std::move(shape), .open_axes = {}, .offsets = {}, .uniform = true}));
  auto model = std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms), {}));
  const ParameterLayout& parameters = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    for (const ParameterBlock& b : parameters.blocks()) {
      const double value = b.role == ParameterRole::bias            ? fields.h
                           : b.role == ParameterRole::crystal_field ? fields.d
                                                                    : 1.0;
      std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(b.offset), b.size(), static_cast<Real>(value));
    }
  });
  return model;
}

using Exact = std::map<std::string, double>;

using Matrix3 = std::array<std::array<double, 3>, 3>;

Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// Of a ring of n sites: Z = Tr Tⁿ, ⟨s⟩ = Tr S Tⁿ / Z, ⟨s s'⟩ = Tr S T S Tⁿ⁻¹ / Z.
Exact by_transfer_matrix(int n, const Fields& fields, double beta) {
  Matrix3 t{}, power{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const auto site = [&](int s) { return fields.d * s * s - fields.h * s; };
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b) t[a + 1][b + 1] = std::exp(-beta * (-a * b + 0.5 * site(a) + 0.5 * site(b)));
  for (int k = 0; k + 1 < n; ++k) power = product(power, t);
  const Matrix3 around = product(power, t);
  double z = 0.0, first = 0.0, square = 0.0, pair = 0.0;
  for (int a = -1; a <= 1; ++a) {
    const double own = around[a + 1][a + 1];
    z += own;
    first += a * own;
    square += a * a * own;
    for (int b = -1; b <= 1; ++b) pair += a * t[a + 1][b + 1] * b * power[b + 1][a + 1];
  }
  const double m = first / z, q = square / z, p = pair / z;
  return {{"log_z", std::log(z)},
          {"magnetization", m},
          {"mean_square", q},
          {"pair_correlation", p},
          {"energy", n * (-p + fields.d * q - fields.h * m)}};
}

/// Of the torus of 3 × 3, state by state.
Exact by_loops(const Fields& fields, double beta) {
  double z = 0.0, e1 = 0.0, e2 = 0.0, m1 = 0.0, size = 0.0, m2 = 0.0, m4 = 0.0, square = 0.0, pair = 0.0;
  double one[9] = {}, two[9][9] = {};  // Σ ⟨s_i⟩²/n = ⟨q⟩ and Σ ⟨s_i s_j⟩²/n² = ⟨q²⟩
  for (int state = 0; state < 19683; ++state) {
    std::array<int, 9> s{};
    for (int i = 0, rest = state; i < 9; ++i, rest /= 3) s[i] = rest % 3 - 1;
    int products = 0, squares = 0, sum = 0;
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x) {
        const int own = s[3 * y + x];
        products += own * (s[3 * y + (x + 1) % 3] + s[(y + 1) % 3 * 3 + x]);
        squares += own * own;
        sum += own;
      }
    const double energy = -products + fields.d * squares - fields.h * sum, m = sum / 9.0;
    const double weight = std::exp(-beta * energy);
    z += weight;
    for (int i = 0; i < 9; ++i) {
      one[i] += weight * s[i];
      for (int j = 0; j < 9; ++j) two[i][j] += weight * s[i] * s[j];
    }
    e1 += weight * energy;
    e2 += weight * energy * energy;
    m1 += weight * m;
    size += weight * std::abs(m);
    m2 += weight * m * m;
    m4 += weight * m * m * m * m;
    square += weight * squares / 9.0;
    pair += weight * products / 18.0;
  }
  for (double* v : {&e1, &e2, &m1, &size, &m2, &m4, &square, &pair}) *v /= z;
  double q = 0.0, q2 = 0.0;
  for (int i = 0; i < 9; ++i) {
    q += one[i] / z * one[i] / z / 9.0;
    for (int j = 0; j < 9; ++j) q2 += two[i][j] / z * two[i][j] / z / 81.0;
  }
  return {{"log_z", std::log(z)},
          {"energy", e1},
          {"energy_per_unit", e1 / 9.0},
          {"specific_heat", beta * beta * (e2 - e1 * e1) / 9.0},
          {"magnetization", m1},
          {"abs_magnetization", size},
          {"squared_magnetization", m2},
          {"susceptibility", beta * 9.0 * (m2 - m1 * m1)},
          {"abs_susceptibility", beta * 9.0 * (m2 - size * size)},
          {"binder_cumulant", 1.0 - m4 / (3.0 * m2 * m2)},
          {"mean_square", square},
          {"overlap", q},
          {"squared_overlap", q2},
          {"pair_correlation", pair}};
}

constexpr double tolerance = 1e-10;  // every parameter is exact in both precisions, and energies are double

/// The averages of the sum over all states, and log Z by elimination.
Exact found_of(const LayeredModel& model, double beta) {
  const LayerObservables what(model, LayerId{0});
  Exact found;
  for (const ThermalAverage& a : StateSum(model, what, executor).at(beta, executor).thermal.averages)
    found[a.name] = a.value;
  found["log_z"] = Elimination(model, 20).log_sum(beta, executor);
  return found;
}

double largest_difference(const Exact& found, const Exact& exact) {
  double worst = 0.0;
  for (const auto& average : exact) {
    CAPTURE(average.first);
    REQUIRE(found.contains(average.first));
    worst = std::max(worst, std::abs(found.at(average.first) - average.second) / (1.0 + std::abs(average.second)));
  }
  return worst;
}

}  // namespace

TEST_CASE("a ring of spins 1 has the log Z and averages of its transfer matrix") {
  for (const Fields& fields : all_fields)
    for (const double beta : betas) {
      CAPTURE(fields.d);
      CAPTURE(beta);
      const Exact found = found_of(*blume_capel({4}, fields), beta);
      CHECK(largest_difference(found, by_transfer_matrix(4, fields, beta)) < tolerance);
    }
}

TEST_CASE("a lattice of spins 1 has the log Z and averages of a sum over its states, P(m) among them") {
  for (const Fields& fields : all_fields) {
    const auto model = blume_capel({3, 3}, fields);
    for (const double beta : betas) {
      CAPTURE(fields.d);
      CAPTURE(beta);
      const Exact found = found_of(*model, beta), exact = by_loops(fields, beta);
      CHECK(found.size() == exact.size() + 1);  // |q|, which takes pairs of states: product_law_test.cpp
      CHECK(largest_difference(found, exact) < tolerance);
    }
    const LayerObservables what(*model, LayerId{0});
    const ExactAverages at = StateSum(*model, what, executor).at(1.0, executor);
    REQUIRE(at.magnetizations.size() == 19);  // −1, −8/9, …, 1
    double sum = 0.0, squares = 0.0;
    for (const MagnetizationShare& m : at.magnetizations) {
      sum += m.share;
      squares += m.share * m.m * m.m;
    }
    CHECK(std::abs(sum - 1.0) < tolerance);
    CHECK(std::abs(squares - by_loops(fields, 1.0).at("squared_magnetization")) < tolerance);
  }
}

TEST_CASE("a crystal field of the other sign, twice as large or not scaled by beta would be seen") {
  const Fields fields{0.75, -0.5};
  const double beta = 0.4;
  const Exact found = found_of(*blume_capel({3, 3}, fields), beta);
  for (const double wrong : {-fields.d, 2.0 * fields.d, 0.5 * fields.d, fields.d / beta})
    CHECK(largest_difference(found, by_loops({wrong, fields.h}, beta)) > 1e-2);
}

TEST_CASE("ranks from 1 have a mean and a mean square, and no magnetization") {
  const auto ranks = std::make_shared<LevelsUnit>(LevelsUnit::Options{.num_states = 5, .low = 1.0});
  const auto model = random_model({{observed("v", 3, ranks)}, {{0, 0}}, {}}, 3, 0.25);
  const LayerObservables what(*model, LayerId{0});
  CHECK(what.names() == std::vector<std::string>{"mean", "mean_square", "pair_correlation"});
  CHECK_FALSE(what.magnetizations().has_value());
  const ExactAverages uniform = StateSum(*model, what, executor).at(0.0, executor);
  CHECK(uniform.magnetizations.empty());
  const auto value = [&](const char* name) {
    return std::ranges::find(uniform.thermal.averages, name, &ThermalAverage::name)->value;
  };
  CHECK(std::abs(value("mean") - 3.0) < tolerance);
  CHECK(std::abs(value("mean_square") - 11.0) < tolerance);
}

}  // namespace blume_capel_test
