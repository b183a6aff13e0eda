// Clusters of Potts spins against the matrix of transitions of Edwards and Sokal's step, and against enumerated laws. False alarms: 1e-9 a
// test (chi_square.hpp). "margin > 6": were the seeds drawn anew, the wrong kernel would pass with probability below 1e-9.
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/samplers/swendsen_wang.hpp>
#include <harmonium/tests/support/in_single.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/stationarity.hpp>

namespace recolored_clusters_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr std::size_t num_sites = 3, num_states = 3;
struct Pair {
  std::size_t a, b;
  double w;
};
// Numbers of few binary digits, so that what is made of them is exact in both precisions.
const std::vector<Pair> pairs{{0, 1, 1.0}, {1, 2, 0.5}, {0, 2, 0.375}};
constexpr double fields[num_sites][num_states] = {{0.25, -0.5, 0.0}, {0.0, 0.0, 0.375}, {-0.25, 0.5, 0.125}};

/// E(a) = −Σ w δ(a_i, a_j) − Σ h_i(a_i), as a matrix of couplings.
std::unique_ptr<LayeredModel> potts() {
  auto model = std::make_unique<LayeredModel>(LayerGraph{
      {{"v", num_sites, std::make_shared<CategoricalUnit>(CategoricalUnit::Options{num_states}), Role::observed}},
      {{0, 0}},
      {}});
  const ParameterLayout& p = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = p.view(p.find("weight.v.v"), theta.data()), b = p.view(p.find("bias.v"), theta.data());
    for (const Pair& pair : pairs)
      for (std::size_t s = 0; s < num_states; ++s) {
        const std::size_t i = pair.a * num_states + s, j = pair.b * num_states + s;
        w(i, j) = w(j, i) = static_cast<Real>(pair.w);
      }
    for (std::size_t i = 0; i < num_sites; ++i)
      for (std::size_t s = 0; s < num_states; ++s) b.data[i * num_states + s] = static_cast<Real>(fields[i][s]);
  });
  return model;
}

/// Of a set of bonds, the lowest site of each site's cluster.
std::vector<std::size_t> clusters_of(unsigned made) {
  std::vector<std::size_t> label{0, 1, 2};
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!(made >> k & 1u)) continue;
    const std::size_t one = label[pairs[k].a], other = label[pairs[k].b];
    for (std::size_t& l : label)
      if (l == one || l == other) l = std::min(one, other);
  }
  return label;
}

/// The matrix of a step by its definition: bonds are made with probability 1 − exp(−rate β w) where states agree, each cluster has a state
/// of its law. None of the library's code has a part in it.
std::vector<Law> edwards_sokal_matrix(const StateSpace& space, double beta, double rate = 1.0) {
  std::vector<Law> matrix;
  for (std::size_t from = 0; from < space.size(); ++from) {
    Law& row = matrix.emplace_back(space.size(), 0.0);
    for (unsigned made = 0; made < 1u << pairs.size(); ++made) {
      double probability = 1.0;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const bool agree = space.digit(from, pairs[k].a) == space.digit(from, pairs[k].b);
        const double bond = agree ? 1.0 - std::exp(-rate * beta * pairs[k].w) : 0.0;
        probability *= made >> k & 1u ? bond : 1.0 - bond;
      }
      if (probability == 0.0) continue;
      const std::vector<std::size_t> label = clusters_of(made);
      for (std::size_t to = 0; to < space.size(); ++to) {
        double p = probability;
        for (std::size_t i = 0; i < num_sites; ++i) {
          if (space.digit(to, i) != space.digit(to, label[i])) p = 0.0;
          if (label[i] != i) continue;
          double all = 0.0, taken = 0.0;
          for (std::size_t s = 0; s < num_states; ++s) {
            double field = 0.0;
            for (std::size_t j = 0; j < num_sites; ++j) field += label[j] == i ? beta * fields[j][s] : 0.0;
            all += std::exp(field);
            if (s == space.digit(to, i)) taken = std::exp(field);
          }
          p *= taken / all;
        }
        row[to] += p;
      }
    }
  }
  return matrix;
}

/// Of a lattice, whose couplings are edges.
std::unique_ptr<EnergyModel> ring() {
  Value effective;
  auto model = builtin_registries().make<EnergyModel>(
      parse_toml(
          "type = 'layered'\nlayers = [{ name = 's', size = 5, units = { type = 'categorical', num_states = 3 } }]\n"
          "terms = [{ type = 'lattice', layer = 's', shape = [5] }]\n",
          "test"),
      effective);
  model->update_parameters([](std::span<Real> theta) {
    for (Index k = 0; k < theta.size(); ++k) theta[k] = static_cast<Real>(0.125 * static_cast<double>(k * 5 % 7));
  });
  return model;
}

void check_stationary(const Scenario& scenario) {
  SwendsenWang sampler;
  const Findings findings = examine(sampler, drawn_here(scenario));
  INFO(findings.law.summary());
  CHECK(findings.complaint() == "");
}

}  // namespace

TEST_CASE("the matrix of transitions of Potts spins is that of Edwards and Sokal: a cluster takes any of the states") {
  const auto model = potts();
  const StateSpace space(model->layout());
  SwendsenWang sampler;
  for (const double beta : {1.0, 0.5, 1.5}) {
    CAPTURE(beta);
    const auto found =
        examine_transitions(sampler, *model, beta, edwards_sokal_matrix(space, beta), 1, 130, draws_here(270'000));
    CHECK_MESSAGE(!found.matrix.rejected(), found.matrix.summary());
  }
  // Bonds by another rate, and states that are paired: other kernels.
  const auto by_rate =
      examine_transitions(sampler, *model, 1.0, edwards_sokal_matrix(space, 1.0, 0.75), 1, 130, draws_here(270'000));
  CHECK(by_rate.matrix.rejected());
  CHECK(by_rate.matrix.seen_margin() > 6.0);
  SwendsenWang paired({.fields = ClusterFields::ghost});
  CHECK(examine_transitions(paired, *model, 1.0, edwards_sokal_matrix(space, 1.0), 1, 130, draws_here(270'000))
            .matrix.rejected());
}

TEST_CASE(
    "clusters of Potts spins leave the law as it is: of matrices and lattices, with sites held, at temperatures") {
  const auto matrix = potts();
  const auto lattice = ring();
  for (const EnergyModel* model :
       {static_cast<const EnergyModel*>(matrix.get()), static_cast<const EnergyModel*>(lattice.get())}) {
    check_stationary({.model = *model, .steps = 2, .batch = 1029, .draws = 100'000, .first_chain = 2, .threads = 2});
    std::vector<std::vector<std::uint8_t>> patterns(2, std::vector<std::uint8_t>(model->layout()[LayerId{0}].size, 0));
    patterns[0][0] = patterns[1][1] = patterns[1][2] = 1;
    check_stationary({.model = *model, .held_units = patterns, .steps = 2, .batch = 999, .draws = 45'000});
    check_stationary({.model = *model, .ladder = {1.5, 1.0, 0.4, 0.0}, .steps = 2, .batch = 132, .draws = 66'000});
    const auto base = random_machine(LayerGraph{model->layout().layers(), {}, {}}, 0.5, 8);
    check_stationary({.model = *model, .base = base.get(), .ladder = {1.0, 0.5}, .draws = 50'000});
    check_stationary(
        {.model = *model, .base = matrix.get() == model ? model : base.get(), .ladder = {1.0, 0.25}, .draws = 50'000});
  }
}

}  // namespace recolored_clusters_test
