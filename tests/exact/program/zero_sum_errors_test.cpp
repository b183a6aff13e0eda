// Standard errors of Potts models in the zero-sum gauge: held against sums over states in the parametrization of a lattice gas,
// and as often as they should.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <boost/random/discrete_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <xtensor-blas/xlinalg.hpp>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/program/work/followed_objective.hpp>
#include <harmonium/program/work/gradients_of_parts.hpp>
#include <harmonium/program/work/parameter_errors.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace zero_sum_errors_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index n = 3, q = 3, num_states = 27;
constexpr Index free_states = q - 1, fields = n * free_states,
                own = fields + n * free_states * free_states;  // of a lattice gas
constexpr Index all = n * q + n * q * q;                       // fields, and couplings of the pairs 01, 02, 12

using State = std::array<Index, n>;

State state_of(Index number) { return {number % q, number / q % q, number / (q * q)}; }
Index pair_of(Index i, Index j) { return i + j - 1; }  // i < j
Index full_field(Index i, Index a) { return i * q + a; }
Index full_coupling(Index i, Index j, Index a, Index b) { return n * q + (pair_of(i, j) * q + a) * q + b; }

/// What a lattice gas, of which the last state of each site has no field and no coupling, counts in a state.
Vector<double> features(const State& x) {
  Vector<double> f = zeros<double>(own);
  for (Index i = 0; i < n; ++i) {
    if (x[i] < free_states) f(i * free_states + x[i]) = 1.0;
    for (Index j = i + 1; j < n; ++j)
      if (x[i] < free_states && x[j] < free_states)
        f(fields + (pair_of(i, j) * free_states + x[i]) * free_states + x[j]) = 1.0;
  }
  return f;
}

/// The zero-sum parameters of a lattice gas of the parameters ψ, a linear function, by its definition.
Vector<double> zero_sum_of(const Vector<double>& psi) {
  Vector<double> theta = zeros<double>(all);
  for (Index i = 0; i < n; ++i)
    for (Index a = 0; a < free_states; ++a) theta(full_field(i, a)) = psi(i * free_states + a);
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) {
      std::array<double, q> row{}, column{};
      double mean = 0.0;
      const auto at = [&](Index a, Index b) -> double& { return theta(full_coupling(i, j, a, b)); };
      for (Index a = 0; a < q; ++a)
        for (Index b = 0; b < q; ++b) {
          if (a < free_states && b < free_states)
            at(a, b) = psi(fields + (pair_of(i, j) * free_states + a) * free_states + b);
          row[a] += at(a, b) / q;
          column[b] += at(a, b) / q;
          mean += at(a, b) / (q * q);
        }
      for (Index a = 0; a < q; ++a) {
        theta(full_field(i, a)) += row[a];
        theta(full_field(j, a)) += column[a];
        for (Index b = 0; b < q; ++b) at(a, b) += mean - row[a] - column[b];
      }
    }
  for (Index i = 0; i < n; ++i) {
    double mean = 0.0;
    for (Index a = 0; a < q; ++a) mean += theta(full_field(i, a)) / q;
    for (Index a = 0; a < q; ++a) theta(full_field(i, a)) -= mean;
  }
  return theta;
}

std::vector<double> law(const Vector<double>& psi) {
  std::vector<double> p;
  for (Index s = 0; s < num_states; ++s) p.push_back(std::exp(xt::sum(psi * features(state_of(s)))()));
  const double z = std::reduce(p.begin(), p.end());
  for (double& v : p) v /= z;
  return p;
}

/// Of the negative mean log pseudo likelihood or likelihood of rows that are state s with the frequency w_s, in ψ.
struct Moments {
  Vector<double> gradient;
  Matrix<double> curvature, covariance;
};
Moments moments(const Vector<double>& psi, const std::vector<double>& w, bool of_likelihood) {
  Moments m{zeros<double>(own), zeros<double>(own, own), zeros<double>(own, own)};
  for (Index s = 0; s < num_states; ++s) {
    Vector<double> g = zeros<double>(own);
    if (of_likelihood) g = -features(state_of(s));
    for (Index u = 0; u < n && !of_likelihood; ++u) {
      State x = state_of(s);
      g -= features(x);
      Vector<double> mean = zeros<double>(own);
      Matrix<double> second = zeros<double>(own, own);
      double z = 0.0;
      for (x[u] = 0; x[u] < q; ++x[u]) {
        const Vector<double> f = features(x);
        const double weight = std::exp(xt::sum(psi * f)());
        z += weight;
        mean += weight * f;
        second += weight * xt::linalg::outer(f, f);
      }
      mean /= z;
      g += mean;
      m.curvature += w[s] * (second / z - xt::linalg::outer(mean, mean));
    }
    m.gradient += w[s] * g;
    m.covariance += w[s] * xt::linalg::outer(g, g);
  }
  m.covariance -= xt::linalg::outer(m.gradient, m.gradient);
  if (of_likelihood) m.curvature = m.covariance;
  return m;
}

/// The covariance of the zero-sum parameters times the rows: P T H⁻¹ S H⁻¹ Tᵀ Pᵀ, H and S being those of the lattice gas.
Matrix<double> covariance_of(const Moments& m) {
  Matrix<double> map = zeros<double>(all, own);
  for (Index c = 0; c < own; ++c) {
    Vector<double> one = zeros<double>(own);
    one(c) = 1.0;
    const Vector<double> column = zero_sum_of(one);
    for (Index r = 0; r < all; ++r) map(r, c) = column(r);
  }
  const Matrix<double> to = xt::linalg::dot(map, Matrix<double>(xt::linalg::inv(m.curvature)));
  return xt::linalg::dot(Matrix<double>(xt::linalg::dot(to, m.covariance)), Matrix<double>(xt::transpose(to)));
}

Vector<double> truth() {
  Vector<double> psi = zeros<double>(own);
  for (Index k = 0; k < own; ++k) psi(k) = 0.6 * std::sin(2.3 * static_cast<double>(k) + 0.5);
  return psi;
}

std::unique_ptr<EnergyModel> potts() {
  Value effective;
  return builtin_registries().make<EnergyModel>(
      parse_toml("type = 'fully_visible'\nnum_visible = 3\nvisible_units = { type = 'categorical', num_states = 3 }",
                 "test"),
      effective);
}

/// Where a number of the zero-sum parameters is in θ.
Index place(const EnergyModel& model, Index i, Index a) {
  const ParameterLayout& parameters = model.parameter_layout();
  return parameters[parameters.find("bias.visible")].offset + i * q + a;
}
Index place(const EnergyModel& model, Index i, Index j, Index a, Index b) {
  const ParameterLayout& parameters = model.parameter_layout();
  return parameters[parameters.find("weight.visible.visible")].offset + (i * q + a) * n * q + j * q + b;
}

void set(EnergyModel& model, const Vector<double>& theta) {
  model.update_parameters([&](std::span<Real> to) {
    for (Index i = 0; i < n; ++i)
      for (Index a = 0; a < q; ++a) {
        to[place(model, i, a)] = static_cast<Real>(theta(full_field(i, a)));
        for (Index j = i + 1; j < n; ++j)
          for (Index b = 0; b < q; ++b)
            to[place(model, i, j, a, b)] = to[place(model, j, i, b, a)] =
                static_cast<Real>(theta(full_coupling(i, j, a, b)));
      }
  });
}

/// Errors in the order of the zero-sum parameters; both places of a pair have the same.
Vector<double> in_order(const EnergyModel& model, const std::vector<double>& errors) {
  Vector<double> found = zeros<double>(all);
  for (Index i = 0; i < n; ++i)
    for (Index a = 0; a < q; ++a) {
      found(full_field(i, a)) = errors[place(model, i, a)];
      for (Index j = i + 1; j < n; ++j)
        for (Index b = 0; b < q; ++b) {
          found(full_coupling(i, j, a, b)) = errors[place(model, i, j, a, b)];
          CHECK(errors[place(model, i, j, a, b)] == errors[place(model, j, i, b, a)]);
        }
    }
  return found;
}

/// So many rows of each state.
Dataset rows_of(const std::vector<Index>& counts) {
  std::vector<double> columns;
  Index rows = 0;
  for (Index s = 0; s < num_states; ++s)
    for (Index c = 0; c < counts[s]; ++c, ++rows)
      for (const Index a : state_of(s))
        for (Index b = 0; b < q; ++b) columns.push_back(a == b ? 1.0 : 0.0);
  return Dataset(Table{rows, n * q, NumberArray<double>(std::move(columns)), {rows, n * q}}, "states");
}

std::vector<double> frequencies(const std::vector<Index>& counts) {
  const double rows = static_cast<double>(std::reduce(counts.begin(), counts.end()));
  std::vector<double> w;
  for (const Index c : counts) w.push_back(static_cast<double>(c) / rows);
  return w;
}

std::vector<Index> drawn(const std::vector<double>& p, Index rows, std::uint64_t seed) {
  boost::random::mt19937_64 words(seed);
  boost::random::discrete_distribution<Index> draw(p.begin(), p.end());
  std::vector<Index> counts(num_states, 0);
  for (Index r = 0; r < rows; ++r) ++counts[draw(words)];
  return counts;
}

ParameterErrors errors_of(EnergyModel& model, const Dataset& data, const char* estimator, bool zero_sum = true) {
  const Executor executor(2);
  return parameter_errors(model, data, parse_toml(fmt::format("estimator = {{ type = '{}' }}", estimator), "test"),
                          builtin_registries(), {executor, {1, 0}}, {zero_sum, {}});
}

}  // namespace

TEST_CASE("errors in the zero-sum gauge are those of a lattice gas mapped there, by sums over its states") {
  std::vector<Index> counts;
  for (const double p : law(truth())) counts.push_back(static_cast<Index>(std::lround(3000.0 * p)));
  const Dataset data = rows_of(counts);
  const auto rows = static_cast<double>(data.rows());
  const auto model = potts();
  for (const bool of_likelihood : {false, true}) {
    CAPTURE(of_likelihood);
    set(*model, zero_sum_of(truth()));
    const Matrix<double> expected = covariance_of(moments(truth(), frequencies(counts), of_likelihood));
    const char* const estimator = of_likelihood ? "exact" : "pseudo_likelihood";
    const Vector<double> found = in_order(*model, errors_of(*model, data, estimator).errors);
    const double tolerance = 0.6 / rows + (in_double ? 1e-9 : 1e-4);  // a covariance over rows − 1 in place of rows
    for (Index k = 0; k < all; ++k) {
      CAPTURE(k);
      CHECK(std::abs(found(k) / std::sqrt(expected(k, k) / rows) - 1.0) < tolerance);
    }
    // In whatever gauge the model stands, as that of the lattice gas.
    model->update_parameters([&](std::span<Real> theta) {
      for (Index a = 0; a < q; ++a) {
        for (Index b = 0; b < q; ++b) {
          theta[place(*model, 0, 1, a, b)] += static_cast<Real>(a) / 2;
          theta[place(*model, 1, 0, b, a)] += static_cast<Real>(a) / 2;
        }
        theta[place(*model, 0, a)] -= static_cast<Real>(a) / 2;
      }
    });
    const Vector<double> elsewhere = in_order(*model, errors_of(*model, data, estimator).errors);
    for (Index k = 0; k < all; ++k) CHECK(std::abs(elsewhere(k) / found(k) - 1.0) < (in_double ? 1e-9 : 1e-4));
  }
}

TEST_CASE("moments along the directions of the gauge are those by the gradients of the estimator") {
  const auto model = potts();
  set(*model, zero_sum_of(truth()));
  const Dataset data = rows_of(drawn(law(truth()), 300, 7));
  const std::vector<Places> numbers = own_numbers(*model);
  const std::vector<Direction> directions = zero_sum_directions(*model, numbers);
  REQUIRE(directions.size() == own);
  for (Index a = 0; a < own; ++a)
    for (Index b = 0; b < own; ++b) {
      double product = 0.0;
      for (const auto& [k, x] : directions[a])
        for (const auto& [l, y] : directions[b]) product += k == l ? x * y : 0.0;
      CHECK(std::abs(product - (a == b ? 1.0 : 0.0)) < 1e-14);
    }
  const auto pairwise = PairwiseMoments::of(*model, numbers);
  REQUIRE(pairwise);
  Value unused;
  const auto estimator =
      builtin_registries().make<GradientEstimator>(make_table({{"type", make_value("pseudo_likelihood")}}), unused);
  const Executor executor(2);
  const Execution execution{executor, {1, 0}};
  GradientsOfParts gradients(*model, *estimator, Objective::own, 1, execution);
  gradients.begin(data, {});
  const RowMoments found =
      (*pairwise)(WholeData(data, model->layout()).rows().read(model->layout().id(0)), false, execution);
  const RowMoments other = moments_by_estimator(*model, gradients, data, numbers, directions, false, execution);
  const double rounding = in_double ? 1e-9 : 1e-5;
  const Matrix<double> covariance = along(directions, found.covariance), curvature = along(directions, found.curvature);
  for (Index a = 0; a < own; ++a)
    for (Index b = 0; b < own; ++b) {
      CHECK(std::abs(covariance(a, b) - other.covariance(a, b)) < rounding);
      // Differences, of steps of 1e-6 and 1e-2, know it to a few of these.
      CHECK(std::abs(curvature(a, b) - other.curvature(a, b)) < 1e4 * rounding);
    }
}

TEST_CASE("parameters of made data lie as far from the truth as their errors say") {
  constexpr Index sets = 24, rows = 1000;
  const Vector<double> right = zero_sum_of(truth());
  const std::vector<double> p = law(truth());
  const auto model = potts();
  double sum = 0.0;
  for (Index d = 0; d < sets; ++d) {
    const std::vector<Index> counts = drawn(p, rows, 100 + d);
    const std::vector<double> w = frequencies(counts);
    Vector<double> psi = truth();
    Moments m = moments(psi, w, false);
    for (int step = 0; step < 20; ++step, m = moments(psi, w, false))
      psi -= xt::linalg::dot(Matrix<double>(xt::linalg::inv(m.curvature)), m.gradient);
    REQUIRE(xt::amax(xt::abs(m.gradient))() < 1e-10);
    const Vector<double> found = zero_sum_of(psi);
    set(*model, found);
    const Vector<double> errors = in_order(*model, errors_of(*model, rows_of(counts), "pseudo_likelihood").errors);
    const Vector<double> z = (found - right) / errors;
    sum += xt::sum(z * z)() / (sets * all);
  }
  // Normal numbers of the correlations R have Var(Σ z²) = 2 tr R². Five of these deviations, and what terms of 1/rows add.
  const Matrix<double> covariance = covariance_of(moments(truth(), p, false));
  double squares = 0.0;
  for (Index a = 0; a < all; ++a)
    for (Index b = 0; b < all; ++b)
      squares += covariance(a, b) * covariance(a, b) / covariance(a, a) / covariance(b, b);
  const double deviation = std::sqrt(2.0 * squares / sets) / all;
  CAPTURE(deviation);
  CHECK(std::abs(sum - 1.0) < 5.0 * deviation + static_cast<double>(own) / rows);
  CHECK(5.0 * deviation < 0.5);  // a factor of √2 in the errors would be seen
}

TEST_CASE("a gauge is told from what rows never have, and that is named") {
  const auto model = potts();
  set(*model, zero_sum_of(truth()));
  std::vector<Index> counts = drawn(law(truth()), 1000, 1);
  CHECK_THROWS_WITH_AS(errors_of(*model, rows_of(counts), "pseudo_likelihood", false),
                       doctest::Contains("Add --gauge zero_sum for the errors"), CapabilityError);
  // Two states that are never together: of the pseudo likelihood there is a remark, of the likelihood nothing is left to invert.
  for (Index s = 0; s < num_states; ++s)
    if (state_of(s)[0] == 1 && state_of(s)[2] == 2) counts[s] = 0;
  const ParameterErrors apart = errors_of(*model, rows_of(counts), "pseudo_likelihood");
  REQUIRE(apart.endless.size() == 1);
  CHECK(apart.endless[0] == "'visible[0]=1' and 'visible[2]=2'");
  CHECK_THROWS_WITH_AS(errors_of(*model, rows_of(counts), "exact"),
                       doctest::Contains("never together are 'visible[0]=1' and 'visible[2]=2'"), NumericalError);
  for (Index s = 0; s < num_states; ++s)
    if (state_of(s)[0] == 1) counts[s] = 0;
  for (const char* estimator : {"pseudo_likelihood", "exact"})
    CHECK_THROWS_WITH_AS(
        errors_of(*model, rows_of(counts), estimator),
        "--errors: 'visible[0]=1' is in no row: the rows do not tell such a parameter, whose optimum is "
        "not finite. Leave the column out of the model, or make its rare states one.",
        NumericalError);
}

}  // namespace zero_sum_errors_test
