#pragma once

// Potts models of three sites of three states, held against sums over states in the parametrization of a lattice gas.
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

namespace harmonium::testing::lattice_gas {

inline constexpr Index n = 3, q = 3, num_states = 27;
inline constexpr Index free_states = q - 1, fields = n * free_states,
                       own = fields + n * free_states * free_states;  // of a lattice gas
inline constexpr Index all = n * q + n * q * q;                       // fields, and couplings of the pairs 01, 02, 12

using State = std::array<Index, n>;

inline State state_of(Index number) { return {number % q, number / q % q, number / (q * q)}; }
inline Index pair_of(Index i, Index j) { return i + j - 1; }  // i < j
inline Index full_field(Index i, Index a) { return i * q + a; }
inline Index full_coupling(Index i, Index j, Index a, Index b) { return n * q + (pair_of(i, j) * q + a) * q + b; }

/// What a lattice gas, of which the last state of each site has no field and no coupling, counts in a state.
inline Vector<double> features(const State& x) {
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
inline Vector<double> zero_sum_of(const Vector<double>& psi) {
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

inline std::vector<double> law(const Vector<double>& psi) {
  std::vector<double> p;
  for (Index s = 0; s < num_states; ++s) p.push_back(std::exp(xt::sum(psi * features(state_of(s)))()));
  const double z = std::reduce(p.begin(), p.end());
  for (double& v : p) v /= z;
  return p;
}

/// Of the negative mean log pseudo likelihood or likelihood of rows that are state s with the frequency w_s, in ψ.
struct GasMoments {
  Vector<double> gradient;
  Matrix<double> curvature, covariance;
};
inline GasMoments moments(const Vector<double>& psi, const std::vector<double>& w, bool of_likelihood) {
  GasMoments m{zeros<double>(own), zeros<double>(own, own), zeros<double>(own, own)};
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
inline Matrix<double> covariance_of(const GasMoments& m) {
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

inline Vector<double> truth() {
  Vector<double> psi = zeros<double>(own);
  for (Index k = 0; k < own; ++k) psi(k) = 0.6 * std::sin(2.3 * static_cast<double>(k) + 0.5);
  return psi;
}

inline std::unique_ptr<EnergyModel> potts() {
  Value effective;
  return builtin_registries().make<EnergyModel>(
      parse_toml("type = 'fully_visible'\nnum_visible = 3\nvisible_units = { type = 'categorical', num_states = 3 }",
                 "test"),
      effective);
}

/// Where a number of the zero-sum parameters is in θ.
inline Index place(const EnergyModel& model, Index i, Index a) {
  const ParameterLayout& parameters = model.parameter_layout();
  return parameters[parameters.find("bias.visible")].offset + i * q + a;
}
inline Index place(const EnergyModel& model, Index i, Index j, Index a, Index b) {
  const ParameterLayout& parameters = model.parameter_layout();
  return parameters[parameters.find("weight.visible.visible")].offset + (i * q + a) * n * q + j * q + b;
}

inline void set(EnergyModel& model, const Vector<double>& theta) {
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
inline Vector<double> in_order(const EnergyModel& model, const std::vector<double>& errors) {
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
inline Dataset rows_of(const std::vector<Index>& counts) {
  std::vector<double> columns;
  Index rows = 0;
  for (Index s = 0; s < num_states; ++s)
    for (Index c = 0; c < counts[s]; ++c, ++rows)
      for (const Index a : state_of(s))
        for (Index b = 0; b < q; ++b) columns.push_back(a == b ? 1.0 : 0.0);
  return Dataset(Table{rows, n * q, NumberArray<double>(std::move(columns)), {rows, n * q}}, "states");
}

inline std::vector<double> frequencies(const std::vector<Index>& counts) {
  const double rows = static_cast<double>(std::reduce(counts.begin(), counts.end()));
  std::vector<double> w;
  for (const Index c : counts) w.push_back(static_cast<double>(c) / rows);
  return w;
}

inline std::vector<Index> drawn(const std::vector<double>& p, Index rows, std::uint64_t seed) {
  boost::random::mt19937_64 words(seed);
  boost::random::discrete_distribution<Index> draw(p.begin(), p.end());
  std::vector<Index> counts(num_states, 0);
  for (Index r = 0; r < rows; ++r) ++counts[draw(words)];
  return counts;
}

inline ParameterErrors errors_of(EnergyModel& model, const Dataset& data, const char* estimator, bool zero_sum = true) {
  const Executor executor(2);
  return parameter_errors(model, data, parse_toml(fmt::format("estimator = {{ type = '{}' }}", estimator), "test"),
                          builtin_registries(), {executor, {1, 0}}, {zero_sum, {}});
}

}  // namespace harmonium::testing::lattice_gas
