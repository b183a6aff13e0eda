// Models built in code of terms, of a graph that no preset has.
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/bias.hpp>
#include <harmonium/models/terms/coupling.hpp>
#include <harmonium/models/terms/crystal_field.hpp>
#include <harmonium/models/terms/lateral.hpp>
#include <harmonium/models/terms/precision.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace layered_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using State = std::vector<std::vector<double>>;  // of each layer

template <class Term>
std::unique_ptr<EnergyTerm> make(typename Term::Options options) {
  return std::make_unique<Term>(std::move(options));
}

template <class... Terms>
EnergyTerms list(Terms... terms) {
  EnergyTerms all;
  (all.push_back(std::move(terms)), ...);
  return all;
}

constexpr LayerId visible{0}, left{1}, right{2}, label{3};

/// Two hidden layers side by side above a ring of four bits, and a label above one of the two.
std::unique_ptr<LayeredModel> forked() {
  const auto class_unit = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  const std::vector<Layer> layers{observed("visible", 4), latent("left", 3), latent("right", 3),
                                  observed("label", 1, class_unit)};
  auto model = std::make_unique<LayeredModel>(
      layers, with_unit_terms(
                  layers, list(make<CouplingTerm>({{"visible", "left"}}), make<CouplingTerm>({{"right", "visible"}}),
                               make<CouplingTerm>({{"label", "left"}}), make<LateralTerm>({"visible"}))));
  randomize(*model, 11);
  keep_only(*model, "weight.visible.visible", {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  return model;
}

State row_of(const Chains& chains, Index row) {
  State x;
  for (const LayerId l : {visible, left, right, label}) {
    const ConstMatrixRef values = chains.read(l);
    x.emplace_back(values.row(row), values.row(row) + values.cols);
  }
  return x;
}

/// The energy of `forked` as it is written down, from θ and the names of its tensors.
double energy_of(const LayeredModel& model, const State& x) {
  const auto of = [&](LayerId l) { return x[static_cast<Index>(l)]; };
  const auto tensor = [&](const char* name) {
    const ParameterLayout& p = model.parameter_layout();
    return p.view(p.find(name), model.parameters().data());
  };
  double e = 0.0;
  const auto joined = [&](const char* name, LayerId a, LayerId b) {
    for (Index i = 0; i < of(a).size(); ++i)
      for (Index j = 0; j < of(b).size(); ++j) e -= of(a)[i] * static_cast<double>(tensor(name)(i, j)) * of(b)[j];
  };
  joined("weight.visible.left", visible, left);
  joined("weight.visible.right", visible, right);
  joined("weight.left.label", left, label);
  for (Index i = 0; i < 4; ++i)
    e -= of(visible)[i] * static_cast<double>(tensor("weight.visible.visible")(i, (i + 1) % 4)) *
         of(visible)[(i + 1) % 4];
  const char* const biases[] = {"bias.visible", "bias.left", "bias.right", "bias.label"};
  for (Index l = 0; l < 4; ++l)
    for (Index i = 0; i < x[l].size(); ++i) e -= static_cast<double>(tensor(biases[l])(i, 0)) * x[l][i];
  return e;
}

/// −log Σ e^{−E} over the 64 states of the hidden layers.
double free_energy_of(const LayeredModel& model, State x) {
  double sum = 0.0;
  for (unsigned bits = 0; bits < 64; ++bits) {
    for (Index i = 0; i < 3; ++i) {
      x[1][i] = (bits >> i) & 1u;
      x[2][i] = (bits >> (3 + i)) & 1u;
    }
    sum += std::exp(-energy_of(model, x));
  }
  return -std::log(sum);
}

std::vector<double> energies(const EnergyModel& model, const Chains& rows) {
  std::vector<double> e(rows.size());
  model.energy(rows, e);
  return e;
}

/// Holds a gradient against differences of `f`, which it is the slope of.
void check_slope(LayeredModel& model, std::span<const Real> gradient, const std::function<double()>& f) {
  for (const std::vector<Index>& entries : free_parameters(model)) {
    const double slope = derivative(model, entries, 0x1p-6, [&] { return std::vector<double>{f()}; })[0];
    double sum = 0.0;
    for (const Index i : entries) sum += static_cast<double>(gradient[i]);
    CHECK(sum / static_cast<double>(entries.size()) == doctest::Approx(slope).epsilon(in_double ? 1e-7 : 1e-4));
  }
}

}  // namespace

TEST_CASE("a model of terms has the energy that they add up to, and its slope") {
  const auto model = forked();
  const Chains rows = random_rows(model->layout(), 40, 3);
  const std::vector<double> e = energies(*model, rows), weights = random_weights(rows.size(), 4);
  for (Index r = 0; r < rows.size(); ++r) CHECK(e[r] == doctest::Approx(energy_of(*model, row_of(rows, r))));

  std::vector<Real> gradient(model->parameters().size());
  model->add_gradient(rows, weights, gradient, Executor());
  check_slope(*model, gradient, [&] {
    double sum = 0.0;
    for (Index r = 0; r < rows.size(); ++r) sum += weights[r] * energy_of(*model, row_of(rows, r));
    return sum;
  });
}

TEST_CASE("layers side by side are summed out of a model of terms, and one above another is not") {
  const auto model = forked();
  const FreeEnergy& free_energy = *model->free_energy();
  const LayerSet kept = model->layout().observed();
  REQUIRE(free_energy.closed(kept));
  CHECK_FALSE(free_energy.closed(LayerSet().add(visible)));
  CHECK(free_energy.closed(LayerSet().add(visible).add(left)));
  CHECK(model->block_conditionals()->independent(LayerSet().add(left).add(right), kept));
  CHECK_FALSE(
      model->block_conditionals()->independent(LayerSet().add(left).add(label), LayerSet().add(visible).add(right)));

  const Chains rows = random_rows(model->layout(), 20, 5);
  const std::vector<double> weights = random_weights(rows.size(), 6);
  std::vector<double> f(rows.size());
  free_energy.evaluate(kept, 1.0, rows, f);
  for (Index r = 0; r < rows.size(); ++r) CHECK(f[r] == doctest::Approx(free_energy_of(*model, row_of(rows, r))));

  std::vector<Real> gradient(model->parameters().size());
  free_energy.add_gradient(kept, rows, weights, gradient, Executor());
  check_slope(*model, gradient, [&] {
    double sum = 0.0;
    for (Index r = 0; r < rows.size(); ++r) sum += weights[r] * free_energy_of(*model, row_of(rows, r));
    return sum;
  });
}

TEST_CASE("terms that do not go together, or not with the layers, are refused") {
  const std::vector<Layer> bits{observed("v", 2), latent("h", 2)};
  const std::vector<Layer> normal{observed("v", 2, std::make_shared<GaussianUnit>())};
  const auto refused = [](const std::vector<Layer>& layers, EnergyTerms terms) {
    return message_of<ConfigError>([&] { LayeredModel model(layers, std::move(terms)); });
  };
  CHECK(refused(bits, list(make<BiasTerm>({"v"}), make<BiasTerm>({"v"}))) ==
        "two terms have the tensor 'bias.v'. Remove one of them.");
  CHECK(refused(bits, list(make<CouplingTerm>({{"v", "h"}}), make<CouplingTerm>({{"h", "v"}}))) ==
        "two terms have the tensor 'weight.v.h'. Remove one of them.");
  CHECK(refused(bits, list(make<BiasTerm>({"x"}))) == "the model has no layer 'x'. Its layers: v, h.");
  CHECK(refused(bits, list(make<CouplingTerm>({{"v", "x"}}))) == "the model has no layer 'x'. Its layers: v, h.");
  CHECK(refused(bits, list(make<CouplingTerm>({{"v", "v"}}))) ==
        "'layers' names 'v' twice. Couplings within a layer are a term of their own: take 'lateral'.");
  CHECK(refused(bits, list(make<CouplingTerm>({{"v"}}))).starts_with("'layers' must name the two layers"));
  CHECK(refused(bits, list(make<PrecisionTerm>({"h"}))) ==
        "term 'precision': the units of layer 'h' are binary, which have no precision.");
  CHECK(refused(bits, list(make<CrystalFieldTerm>({"h"}))) ==
        "term 'crystal_field': the units of layer 'h' are binary. It is of units of several levels: set the layer's "
        "units to \"levels\".");
  CHECK(refused(normal, list(make<CrystalFieldTerm>({"v"}))) ==
        "term 'crystal_field': the units of layer 'v' are gaussian. Their squares have a term of their own: take "
        "'precision'.");
  const std::vector<Layer> levels{observed("v", 2, std::make_shared<LevelsUnit>(LevelsUnit::Options{}))};
  CHECK(refused(levels, list(make<PrecisionTerm>({"v"}))) ==
        "term 'precision': the units of layer 'v' are levels, which have no precision.");
  CHECK(refused(levels, list(make<BiasTerm>({"v"}))) ==
        "layer 'v' is of levels units and has no crystal field. Add the term 'crystal_field'.");
  CHECK(refused(levels, list(make<CrystalFieldTerm>({"v"}))).empty());
  CHECK(refused(normal, list(make<BiasTerm>({"v"}))) ==
        "layer 'v' is of gaussian units and has no precision: no density exists. Add the term 'precision'.");
  CHECK(refused(normal, list(make<PrecisionTerm>({"v"}))).empty());
}

TEST_CASE("a layer without a bias has the fields of its other terms alone") {
  LayeredModel model({observed("v", 2), latent("h", 3)}, list(make<CouplingTerm>({{"v", "h"}}), make<BiasTerm>({"v"})));
  randomize(model, 7);
  const Chains rows = random_rows(model.layout(), 5, 8);
  const Block& block = model.block_conditionals()->blocks()[1];
  std::vector<Real> fields(5 * 3);
  model.block_conditionals()->fields(block, 0, 3, rows, {{fields.data(), 5, 3, 3}, {}});
  const ConstMatrixRef w = model.parameter_layout().view(0, model.parameters().data());
  for (Index r = 0; r < 5; ++r)
    for (Index j = 0; j < 3; ++j)
      CHECK(fields[r * 3 + j] ==
            doctest::Approx(rows.read(LayerId{0})(r, 0) * w(0, j) + rows.read(LayerId{0})(r, 1) * w(1, j)));
}

TEST_CASE("a copy of a model with a mask is a model of its own") {
  auto model = forked();
  const Chains rows = random_rows(model->layout(), 40, 9);
  const std::vector<double> before = energies(*model, rows);
  const auto units = [](const EnergyModel& m) {
    std::vector<std::pair<LayerId, std::vector<Index>>> all;
    for (const Block& b : m.block_conditionals()->blocks()) all.emplace_back(b.layer, b.units);
    return all;
  };
  const auto blocks = units(*model);
  REQUIRE(blocks.size() == 5);  // two colors of the ring, and the other layers

  const std::unique_ptr<EnergyModel> copy = model->copy();
  CHECK(energies(*copy, rows) == before);
  CHECK(units(*copy) == blocks);
  randomize(*copy, 12);
  const std::vector<double> after = energies(*copy, rows);
  CHECK(after != before);
  CHECK(energies(*model, rows) == before);
  CHECK(units(*model) == blocks);

  // Nor does the copy lean on the original.
  model.reset();
  CHECK(energies(*copy, rows) == after);
  CHECK(units(*copy) == blocks);
  std::vector<Real> gradient(copy->parameters().size());
  copy->add_gradient(rows, std::vector<double>(rows.size(), 1.0), gradient, Executor());
  const ParameterBlock& ring = copy->parameter_layout()[copy->parameter_layout().find("weight.visible.visible")];
  CHECK(gradient[ring.offset + 1] != 0);
  CHECK(gradient[ring.offset + 2] == 0);
}

}  // namespace layered_test
