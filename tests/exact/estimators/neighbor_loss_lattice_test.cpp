// Losses over neighbors where units are coupled on a lattice, against the same couplings as a matrix, whose losses
// neighbor_loss_test.cpp holds against their definitions.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/terms/lattice.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/lattices.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace neighbor_loss_lattice_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Units `v` on a lattice, coupled with latent units `h` where there are some.
std::unique_ptr<LayeredModel> on_a_lattice(std::vector<double> shape, bool uniform, std::vector<Layer> layers,
                                           std::uint64_t seed) {
  EnergyTerms terms;
  terms.push_back(std::make_unique<LatticeTerm>(LatticeTerm::Options{
      .layer = "v", .shape = std::move(shape), .open_axes = {0}, .offsets = {}, .uniform = uniform}));
  if (layers.size() > 1) terms.push_back(std::make_unique<CouplingTerm>(CouplingTerm::Options{{"v", "h"}}));
  auto model = std::make_unique<LayeredModel>(layers, with_unit_terms(layers, std::move(terms)));
  randomize(*model, seed);
  return model;
}

std::vector<Example> lattices() {
  const auto spin = std::make_shared<SpinUnit>();
  const auto three = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  std::vector<Example> all;
  all.push_back({"a coupling an edge", on_a_lattice({2, 3}, false, {observed("v", 6, spin)}, 31)});
  all.push_back({"a coupling an axis", on_a_lattice({2, 3}, true, {observed("v", 6, spin)}, 32)});
  all.push_back({"sites of three states", on_a_lattice({4}, false, {observed("v", 4, three)}, 33)});
  all.push_back({"latent units", on_a_lattice({4}, true, {observed("v", 4), latent("h", 3)}, 34)});
  return all;
}

GradientEstimator::Report estimate(const std::string& name, const EnergyModel& model, const Chains& rows,
                                   std::span<const double> weights, std::vector<Real>& gradient) {
  Registries registries;
  enroll_builtin(registries);
  Value effective;
  Posterior posterior;
  const Executor executor(2);
  gradient.assign(model.parameters().size(), Real{-5});
  return registries.make<GradientEstimator>(make_table({{"type", make_value(name)}}), effective)
      ->estimate(model, {rows, weights, posterior}, gradient, {executor, RandomSource{1, 0}});
}

/// Rows that all differ.
std::vector<Oracle::State> some_rows(const Oracle& oracle) {
  const auto all = oracle.states(oracle.layout().observed());
  std::vector<Oracle::State> rows;
  for (Index i = 0; i < 5; ++i) rows.push_back(all[(i * i + 3 * i + 1) % all.size()]);
  return rows;
}

/// What the slopes of a lattice's tensor are by those of its twin.
std::vector<double> slopes_of(const ParameterBlock& block, const LayeredModel& twin, const std::vector<Real>& of_twin) {
  const ParameterLayout& p = twin.parameter_layout();
  std::vector<double> slopes(block.size(), 0.0);
  if (block.edges) {
    const ConstMatrixRef w = p.view(p.find("weight.v.v"), of_twin.data());
    for (const Edge& e : *block.edges) slopes[e.entry] += sum_of_edge(e, twin.layout()[LayerId{0}].unit->width(), w);
  } else {
    const Index offset = p[p.find(block.name)].offset;
    for (Index i = 0; i < slopes.size(); ++i) slopes[i] = static_cast<double>(of_twin[offset + i]);
  }
  return slopes;
}

}  // namespace

TEST_CASE("losses over neighbors on a lattice, and their gradients, are those of the same couplings in a matrix") {
  const std::vector<double> weights{0.5, 0.125, 0.0, 1.0, 0.25};
  for (const Example& m : lattices()) {
    CAPTURE(m.name);
    const auto twin = with_a_matrix(*m.model);
    const Oracle oracle(*twin);
    const Chains rows = oracle.chains(some_rows(oracle));
    for (const std::string name : {"pseudo_likelihood", "ratio_matching", "minimum_probability_flow"}) {
      CAPTURE(name);
      std::vector<Real> got, expected;
      const auto report = estimate(name, *m.model, rows, weights, got);
      const double loss = *estimate(name, *twin, rows, weights, expected).loss;
      CHECK(*report.loss == doctest::Approx(loss).epsilon(1e-12));
      const double error = rounding(256.0, static_cast<double>(oracle.columns()) + loss);
      for (const ParameterBlock& block : m.model->parameter_layout().blocks()) {
        CAPTURE(block.name);
        const std::vector<double> slopes = slopes_of(block, *twin, expected);
        for (Index i = 0; i < slopes.size(); ++i)
          CHECK(std::abs(static_cast<double>(got[block.offset + i]) - slopes[i]) <= error);
        CHECK(std::ranges::any_of(slopes, [&](double slope) { return std::abs(slope) > 10.0 * error; }));
      }
    }
  }
}

TEST_CASE("losses over neighbors of a graph of few edges are those of its matrix with zeros") {
  constexpr Index n = 20, num_rows = 9;
  const auto model_of = [](bool masked) {
    auto model = std::make_unique<LayeredModel>(LayerGraph{{observed("v", n)}, {{0, 0}}, {}});
    std::vector<std::pair<Index, Index>> ring;
    for (Index i = 0; i < n; ++i) ring.emplace_back(std::min(i, (i + 1) % n), std::max(i, (i + 1) % n));
    if (masked) keep_only(*model, "weight.v.v", ring);
    const ParameterLayout& p = model->parameter_layout();
    model->update_parameters([&](std::span<Real> theta) {
      const MatrixRef w = p.view(p.find("weight.v.v"), theta.data());
      for (const auto& [i, j] : ring) w(i, j) = w(j, i) = Real{0.125} * static_cast<Real>(i % 5) - Real{0.25};
    });
    return model;
  };
  const auto graph = model_of(true), whole = model_of(false);
  Chains rows(graph->layout(), num_rows);
  const MatrixRef x = rows.write(LayerId{0});
  for (Index r = 0; r < num_rows; ++r)
    for (Index c = 0; c < n; ++c) x(r, c) = (r * 7 + c * c * 3) % 5 < 2 ? Real{1} : Real{0};
  const std::vector<double> weights(num_rows, 0.125);
  std::vector<Real> of_graph, of_whole;
  const double loss = *estimate("pseudo_likelihood", *graph, rows, weights, of_graph).loss;
  CHECK(loss == doctest::Approx(*estimate("pseudo_likelihood", *whole, rows, weights, of_whole).loss).epsilon(1e-12));
  const ParameterLayout& p = graph->parameter_layout();
  const ConstMatrixRef a = p.view(p.find("weight.v.v"), std::as_const(of_graph).data());
  const ConstMatrixRef b = p.view(p.find("weight.v.v"), std::as_const(of_whole).data());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const bool joined = (i + 1) % n == j || (j + 1) % n == i;
      CHECK(std::abs(static_cast<double>(a(i, j) - (joined ? b(i, j) : Real{0}))) <= rounding(64.0));
      CHECK(a(i, j) == a(j, i));
    }
}

}  // namespace neighbor_loss_lattice_test
