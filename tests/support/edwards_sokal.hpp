#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <harmonium/models/layered.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/spin.hpp>

/// The step of Swendsen & Wang by its definition, over all sets of bonds. None of the library's code has a part in it.
namespace harmonium::testing {

/// E(s) = −Σ J s s − Σ h s. Numbers of few binary digits, so that what is made of them is exact in both precisions.
struct FewSpins {
  struct Pair {
    std::size_t a, b;
    double coupling;
  };
  std::vector<Pair> pairs;
  std::vector<double> fields;
  std::size_t size() const { return fields.size(); }
};

/// A frustrated triangle with a tail, and fields of both signs and none.
inline FewSpins few_spins() {
  return {{{0, 1, 0.5}, {1, 2, 0.75}, {0, 2, -0.375}, {2, 3, 1.0}}, {0.25, -0.5, 0.0, 0.375}};
}

/// The same spins, or bits s = 2x − 1 of the same law: W = 4J, and b_i = 2h_i − 2 Σ_j J_ij.
inline std::unique_ptr<LayeredModel> machine_of(const FewSpins& spins, bool bits) {
  std::shared_ptr<const UnitType> unit = std::make_shared<SpinUnit>();
  if (bits) unit = std::make_shared<BinaryUnit>();
  auto model = std::make_unique<LayeredModel>(LayerGraph{{{"v", spins.size(), unit, Role::observed}}, {{0, 0}}, {}});
  const ParameterLayout& p = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = p.view(p.find("weight.v.v"), theta.data()), b = p.view(p.find("bias.v"), theta.data());
    std::vector<double> bias = spins.fields;
    if (bits)
      for (double& h : bias) h *= 2.0;
    for (const FewSpins::Pair& pair : spins.pairs) {
      w(pair.a, pair.b) = w(pair.b, pair.a) = static_cast<Real>(bits ? 4.0 * pair.coupling : pair.coupling);
      if (!bits) continue;
      bias[pair.a] -= 2.0 * pair.coupling;
      bias[pair.b] -= 2.0 * pair.coupling;
    }
    for (std::size_t i = 0; i < bias.size(); ++i) b.data[i] = static_cast<Real>(bias[i]);
  });
  return model;
}

enum class BySpins : std::uint8_t { ghost, sum };

namespace edwards_sokal {

/// What a set of bonds makes of the units: of each the lowest one of its cluster.
inline std::vector<std::size_t> clusters(std::size_t nodes, const std::vector<FewSpins::Pair>& pairs, unsigned made) {
  std::vector<std::size_t> label(nodes);
  std::iota(label.begin(), label.end(), std::size_t{0});
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!(made >> k & 1u)) continue;
    const std::size_t one = label[pairs[k].a], other = label[pairs[k].b];
    for (std::size_t& l : label)
      if (l == one || l == other) l = std::min(one, other);
  }
  return label;
}

/// Adds to `row` what the clusters do: the units of a bit of `turned` turn.
inline void add_turns(const FewSpins& spins, double beta, const std::vector<std::size_t>& label, std::size_t from,
                      double probability, BySpins by, std::vector<double>& row) {
  const std::size_t n = spins.size();
  const auto spin = [&](std::size_t i) { return from >> i & 1u ? 1.0 : -1.0; };
  for (std::size_t turned = 0; turned < row.size(); ++turned) {
    double p = probability;
    for (std::size_t root = 0; root < n && p > 0.0; ++root) {
      if (label[root] != root) continue;
      double field = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        if (label[i] != root) continue;
        field += beta * spins.fields[i] * spin(i);
        if ((turned >> i & 1u) != (turned >> root & 1u)) p = 0.0;  // a cluster turns as a whole
      }
      const bool turns = (turned >> root & 1u) != 0;
      if (by == BySpins::ghost) p *= label[root] == label[n] ? (turns ? 0.0 : 1.0) : 0.5;
      else p *= std::exp(turns ? -field : field) / (std::exp(field) + std::exp(-field));
    }
    row[from ^ turned] += p;
  }
}

}  // namespace edwards_sokal

/// The matrix of a step from each state, a bit a spin. Bonds are made with probability 1 − exp(−rate β |J|) where they are
/// satisfied; `rate` is 2. By a ghost spin: node n, up and never turned, to which each field is a bond.
inline std::vector<std::vector<double>> edwards_sokal_matrix(const FewSpins& spins, double beta, BySpins by,
                                                             double rate = 2.0) {
  const std::size_t n = spins.size();
  std::vector<FewSpins::Pair> pairs = spins.pairs;
  if (by == BySpins::ghost)
    for (std::size_t i = 0; i < n; ++i) pairs.push_back({i, n, spins.fields[i]});
  std::vector<std::vector<double>> matrix;
  for (std::size_t from = 0; from < std::size_t{1} << n; ++from) {
    std::vector<double>& row = matrix.emplace_back(std::size_t{1} << n, 0.0);
    const auto spin = [&](std::size_t i) { return i == n || (from >> i & 1u) ? 1.0 : -1.0; };
    for (unsigned made = 0; made < 1u << pairs.size(); ++made) {
      double p = 1.0;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const double agreement = pairs[k].coupling * spin(pairs[k].a) * spin(pairs[k].b);
        const double bond = agreement > 0.0 ? 1.0 - std::exp(-rate * beta * agreement) : 0.0;
        p *= made >> k & 1u ? bond : 1.0 - bond;
      }
      if (p > 0.0) edwards_sokal::add_turns(spins, beta, edwards_sokal::clusters(n + 1, pairs, made), from, p, by, row);
    }
  }
  return matrix;
}

}  // namespace harmonium::testing
