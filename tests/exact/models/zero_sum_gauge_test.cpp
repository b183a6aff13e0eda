// Another form of the same law: held against sums over all states before and after.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/model/contact_scores.hpp>
#include <harmonium/framework/model/zero_sum_gauge.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/terms/lateral.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace zero_sum_gauge_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::shared_ptr<const UnitType> states(Index q) {
  return std::make_shared<CategoricalUnit>(CategoricalUnit::Options{q});
}

/// Layers of units with and without a gauge, coupled within layers and between them.
std::vector<Example> machines() {
  std::vector<Example> all;
  all.push_back({"Potts", random_model({{observed("v", 4, states(3))}, {{0, 0}}, {}}, 31)});
  all.push_back({"a Potts machine with hidden bits", small_categorical()});
  all.push_back({"Potts units of both layers", small_potts()});
  all.push_back({"a sparse one", small_sparse_potts()});
  all.push_back({"units of three and of four states with classes first",
                 random_model({{observed("y", 1, states(4)), observed("v", 3, states(3))}, {{1, 1}, {0, 1}}, {}}, 32)});
  all.push_back(
      {"spins that couple with Potts units",
       random_model({{observed("s", 3, std::make_shared<SpinUnit>()), latent("h", 2, states(3))}, {{0, 1}, {0, 0}}, {}},
                    33)});
  all.push_back({"levels", random_model({{observed("v", 3, states(3)),
                                          latent("h", 2, std::make_shared<LevelsUnit>(LevelsUnit::Options{}))},
                                         {{0, 1}, {1, 1}},
                                         {}},
                                        34)});
  return all;
}

/// log p of every state of all layers, by loops.
std::vector<double> law(const EnergyModel& model) {
  const Oracle oracle(model);
  std::vector<double> logs;
  double z = 0.0;
  for (const auto& x : oracle.states(model.layout().all())) {
    logs.push_back(-oracle.energy(x));
    z += std::exp(logs.back());
  }
  for (double& l : logs) l -= std::log(z);
  return logs;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (Index k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

/// The largest sum over the states of a unit of any tensor, in rows or in columns.
double largest_sum(const EnergyModel& model) {
  double most = 0.0;
  const ParameterLayout& parameters = model.parameter_layout();
  const auto gauged = [&](const ParameterBlock& b, Index which) {
    return which < b.layers.size() && has_gauge(*model.layout()[b.layers[which]].unit);
  };
  for (Index k = 0; k < parameters.blocks().size(); ++k) {
    const ParameterBlock& b = parameters[k];
    const ConstMatrixRef w = parameters.view(k, model.parameters().data());
    const auto sum_up = [&](Index rows, Index cols, Index width, auto&& at) {
      for (Index i = 0; i < rows; i += width)
        for (Index j = 0; j < cols; ++j) {
          double sum = 0.0;
          for (Index s = 0; s < width; ++s) sum += static_cast<double>(at(i + s, j));
          most = std::max(most, std::abs(sum));
        }
    };
    if (gauged(b, 0)) sum_up(w.rows, w.cols, model.layout()[b.layers[0]].unit->width(), w);
    if (gauged(b, 1))
      sum_up(w.cols, w.rows, model.layout()[b.layers[1]].unit->width(), [&](Index i, Index j) { return w(j, i); });
  }
  return most;
}

constexpr double tolerance = in_double ? 1e-13 : 1e-5;

}  // namespace

TEST_CASE("in the zero-sum gauge couplings and biases sum to zero over states, and the law of all units is as it was") {
  for (const Example& example : machines()) {
    CAPTURE(example.name);
    LayeredModel& model = *example.model;
    const std::vector<double> before = law(model);
    const std::vector<Real> given(model.parameters().begin(), model.parameters().end());
    CHECK(largest_sum(model) > 0.1);
    set_zero_sum_gauge(model);
    CHECK(largest_sum(model) < 10 * tolerance);
    CHECK(largest_difference(law(model), before) < 100 * tolerance);
    // Again: it is there.
    const std::vector<Real> made(model.parameters().begin(), model.parameters().end());
    set_zero_sum_gauge(model);
    for (Index k = 0; k < made.size(); ++k)
      CHECK(std::abs(static_cast<double>(model.parameters()[k] - made[k])) < 10 * tolerance);
    // Had biases not taken over what couplings lost, the law would be another one.
    model.update_parameters([&](std::span<Real> theta) {
      for (const ParameterBlock& b : model.parameter_layout().blocks())
        if (b.role == ParameterRole::bias)
          std::ranges::copy(std::span(given).subspan(b.offset, b.size()),
                            theta.begin() + static_cast<std::ptrdiff_t>(b.offset));
    });
    CHECK(largest_difference(law(model), before) > 0.01);
  }
}

TEST_CASE("contact scores are those of the law: any change of gauge leaves them, the norm of raw couplings does not") {
  const auto model = random_model({{observed("v", 4, states(3))}, {{0, 0}}, {}}, 41);
  const ParameterLayout& parameters = model->parameter_layout();
  const auto coupling = [&]() -> ConstMatrixRef {
    return parameters.view(parameters.find("weight.v.v"), model->parameters().data());
  };
  const auto raw_norm = [&] {
    double squares = 0.0;
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) squares += std::pow(static_cast<double>(coupling()(a, 3 + b)), 2);
    return std::sqrt(squares);
  };
  const std::vector<double> before = law(*model), norms = coupling_norms(coupling(), 3, {}),
                            without = coupling_norms(coupling(), 3, 2);
  const double raw = raw_norm();
  // J_ij(a, b) += r(a) + c(b) and h_i(a) −= r(a), h_j(b) −= c(b), with numbers of each pair's own.
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = parameters.view(parameters.find("weight.v.v"), theta.data());
    Real* const h = theta.data() + parameters[parameters.find("bias.v")].offset;
    for (Index i = 0; i < 4; ++i)
      for (Index j = i + 1; j < 4; ++j)
        for (Index a = 0; a < 3; ++a) {
          const auto r = static_cast<Real>(4 * a * (i + 1)) - static_cast<Real>(8 * j);
          const auto c = static_cast<Real>(2 * a * a * j);
          for (Index b = 0; b < 3; ++b) {
            w(3 * i + a, 3 * j + b) += r;
            w(3 * i + b, 3 * j + a) += c;
          }
          h[3 * i + a] -= r;
          h[3 * j + a] -= c;
        }
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < i; ++j) w(i, j) = w(j, i);
  });
  CHECK(largest_difference(law(*model), before) < 100 * tolerance);
  CHECK(largest_difference(coupling_norms(coupling(), 3, {}), norms) < 10 * tolerance);
  CHECK(largest_difference(coupling_norms(coupling(), 3, 2), without) < 10 * tolerance);
  CHECK(std::abs(raw_norm() - raw) > 0.1);
  // Of all forms of the law that of the smallest norm.
  CHECK(norms[1] < std::min(raw, raw_norm()));
}

TEST_CASE("a gauge that biases or masks have no place for is refused, and the model is as it was") {
  const std::vector<Layer> layers{observed("v", 3, states(3))};
  EnergyTerms terms;
  terms.push_back(std::make_unique<LateralTerm>(LateralTerm::Options{"v"}));
  LayeredModel bare(layers, with_unit_terms(layers, std::move(terms), {.without_bias = {0}}));
  randomize(bare, 51);
  std::vector<Real> given(bare.parameters().begin(), bare.parameters().end());
  CHECK_THROWS_WITH_AS(
      set_zero_sum_gauge(bare),
      "layer 'v' has no biases, and in the zero-sum gauge its units have fields. Set bias = true of the layer.",
      CapabilityError);
  CHECK(std::ranges::equal(bare.parameters(), given));
  // Couplings of equal states, all the same, have no field but a constant.
  bare.update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = bare.parameter_layout().view(0, theta.data());
    for (Index i = 0; i < 9; ++i)
      for (Index j = 0; j < 9; ++j) w(i, j) = i / 3 != j / 3 && i % 3 == j % 3 ? Real(0.7) : Real(0);
  });
  const std::vector<double> before = law(bare);
  set_zero_sum_gauge(bare);
  CHECK(largest_sum(bare) < 10 * tolerance);
  CHECK(largest_difference(law(bare), before) < 100 * tolerance);

  const auto masked = random_model({layers, {{0, 0}}, {}}, 52);
  const Index position = masked->parameter_layout().find("weight.v.v");
  std::vector<std::uint8_t> mask(81, 0);
  mask[0 * 9 + 3] = mask[3 * 9 + 0] = 1;  // the first states of the first two units
  masked->set_mask(position, mask);
  given.assign(masked->parameters().begin(), masked->parameters().end());
  CHECK_THROWS_WITH_AS(set_zero_sum_gauge(*masked),
                       "in the zero-sum gauge 'weight.v.v' has couplings that its mask leaves out. Such a model has no "
                       "form in it, as masks there are of whole pairs of units.",
                       CapabilityError);
  CHECK(std::ranges::equal(masked->parameters(), given));
}

TEST_CASE("units have a gauge whose columns are their states, and no others") {
  CHECK(has_gauge(*states(2)));
  CHECK(has_gauge(*states(5)));
  CHECK_FALSE(has_gauge(SpinUnit()));
  CHECK_FALSE(has_gauge(LevelsUnit(LevelsUnit::Options{})));
  CHECK_FALSE(has_gauge(*binary()));
  // A model of none is left alone, bit for bit.
  const auto model = small_spin_glass();
  const std::vector<Real> given(model->parameters().begin(), model->parameters().end());
  set_zero_sum_gauge(*model);
  CHECK(std::ranges::equal(model->parameters(), given));
}

}  // namespace zero_sum_gauge_test
