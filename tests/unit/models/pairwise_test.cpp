#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/models/layered.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace pairwise_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::string refused(const LayerGraph& graph) {
  return message_of<ConfigError>([&] { LayeredModel model(graph); });
}

}  // namespace

TEST_CASE("couplings of layers that do not exist, or given twice, are refused") {
  const std::vector<Layer> layers{observed("v", 2), latent("h", 2)};
  CHECK(refused({layers, {{0, 2}}, {}}) == "a coupling names layer 2 of 2");
  CHECK(refused({layers, {{0, 1}, {1, 0}}, {}}) == "two terms have the tensor 'weight.v.h'. Remove one of them.");
  CHECK(refused({layers, {{1, 1}, {1, 1}}, {}}) == "two terms have the tensor 'weight.h.h'. Remove one of them.");
}

TEST_CASE("parameters are biases, couplings from the earlier to the later layer, and what says a curvature") {
  const auto ternary = std::make_shared<TernaryUnit>();
  const LayeredModel model(
      {{latent("h", 2), observed("v", 3, std::make_shared<GaussianUnit>()), observed("y", 1, ternary)},
       {{1, 0}, {1, 1}},
       {}});
  const ParameterLayout& p = model.parameter_layout();
  std::vector<std::string> names;
  for (const ParameterBlock& b : p.blocks()) names.push_back(b.name);
  CHECK(names == std::vector<std::string>{"bias.h", "bias.v", "bias.y", "weight.h.v", "weight.v.v", "log_precision.v",
                                          "crystal_field.y"});
  CHECK(p[3].rows == 2);
  CHECK(p[3].cols == 3);
  CHECK(p[3].symmetry == Symmetry::none);
  CHECK(p[4].symmetry == Symmetry::symmetric_zero_diagonal);
  CHECK_FALSE(p[5].learned);
  CHECK(p[6].learned);
  CHECK(p[3].layers == std::vector<LayerId>{LayerId{0}, LayerId{1}});
}

TEST_CASE("a layer without lateral couplings is one block, of another each unit is its own") {
  const LayeredModel model({{observed("v", 3), latent("h", 2)}, {{0, 0}, {0, 1}}, {}});
  const std::vector<Block>& blocks = model.block_conditionals()->blocks();
  REQUIRE(blocks.size() == 4);
  for (Index u = 0; u < 3; ++u) {
    CHECK(blocks[u].layer == LayerId{0});
    CHECK(blocks[u].units == std::vector<Index>{u});
    CHECK(blocks[u].size == 1);
    CHECK_FALSE(blocks[u].whole());
  }
  CHECK(blocks[3].layer == LayerId{1});
  CHECK(blocks[3].whole());
  CHECK(blocks[3].size == 2);
  for (const LayerId l : {LayerId{0}, LayerId{1}}) CHECK(model.layer_kernel()->draws(l));
  CHECK_FALSE(model.layer_kernel()->divisible(LayerId{0}));
  CHECK(model.layer_kernel()->divisible(LayerId{1}));
}

TEST_CASE("a lateral coupling that is not symmetric, or couples a unit to itself, leaves the parameters as they were") {
  const auto three = std::make_shared<ThreeWayUnit>();
  for (const bool columns : {false, true}) {
    LayeredModel model({{observed("v", 2, columns ? std::shared_ptr<const UnitType>(three) : binary())}, {{0, 0}}, {}});
    const Index n = columns ? 6 : 2;
    randomize(model, 3);
    const std::vector<Real> before(model.parameters().begin(), model.parameters().end());
    const Index weight = model.parameter_layout()[1].offset;
    const auto attempt = [&](Index i, Index j, Real value) {
      std::string message = message_of<NumericalError>([&] {
        model.update_parameters([&](std::span<Real> theta) {
          std::fill_n(theta.begin(), weight, Real{9});
          theta[weight + i * n + j] = value;
        });
      });
      CHECK(std::ranges::equal(model.parameters(), before));
      return message;
    };
    const Index last = n - 1;
    CHECK(attempt(0, last, Real{100})
              .starts_with(columns ? "weight.v.v: entries (0, 5) and (5, 0) are 100 and "
                                   : "weight.v.v: entries (0, 1) and (1, 0) are 100 and "));
    CHECK(attempt(0, last, static_cast<Real>(std::nan(""))).find("nan") != std::string::npos);
    CHECK(attempt(1, 1, Real{2}) ==
          (columns ? "weight.v.v: state 1 of unit 0 is coupled with itself by 2: put 0 into each 3 x 3 block on the "
                     "diagonal, and the energy of a state into the bias"
                   : "weight.v.v: unit 1 is coupled with itself, by 2: put 0 on the diagonal"));
  }
  // The columns of one unit are not coupled to each other either, symmetric or not.
  LayeredModel model({{observed("v", 2, three)}, {{0, 0}}, {}});
  CHECK_THROWS_AS(model.update_parameters([](std::span<Real> theta) { theta[6 + 1] = theta[6 + 6] = 1; }),
                  NumericalError);
}

TEST_CASE("without lateral couplings every parameter is admissible") {
  const auto model = random_rbm(2, 2, 1);
  model->update_parameters([](std::span<Real> theta) { theta[0] = static_cast<Real>(std::nan("")); });
  CHECK(std::isnan(model->parameters()[0]));
}

TEST_CASE("an exception while parameters are written comes out, and leaves them as they were") {
  const auto rbm = random_rbm(2, 2, 1);
  const auto lateral = small_general();
  for (EnergyModel* const model : {static_cast<EnergyModel*>(rbm.get()), static_cast<EnergyModel*>(lateral.get())}) {
    const std::vector<Real> before(model->parameters().begin(), model->parameters().end());
    CHECK_THROWS_AS(model->update_parameters([](std::span<Real> theta) {
      theta[0] = 7;
      throw std::runtime_error("no");
    }),
                    std::runtime_error);
    CHECK(std::ranges::equal(model->parameters(), before));
  }
}

TEST_CASE("parameters of no density leave the sparse couplings as they were, too") {
  LayeredModel model({{observed("v", 3, std::make_shared<GaussianUnit>())}, {{0, 0}}, {}});
  keep_only(model, "weight.v.v", {{0, 1}, {1, 2}});
  const auto couple = [&](Real by) {
    model.update_parameters([&](std::span<Real> theta) {
      const MatrixRef w = model.parameter_layout().view(1, theta.data());
      w(0, 1) = w(1, 0) = w(1, 2) = w(2, 1) = by;
    });
  };
  couple(Real{0.5});
  Chains chains(model.layout(), 1);
  const MatrixRef x = chains.write(LayerId{0});
  x(0, 0) = 1, x(0, 1) = 2, x(0, 2) = 4;
  const auto energy = [&] {
    std::vector<double> e(1);
    model.energy(chains, e);
    return e[0];
  };
  CHECK(energy() == 0.5 * 21 - 0.5 * (2 + 8));
  CHECK_THROWS_AS(couple(Real{2}), NumericalError);
  CHECK(energy() == 0.5 * 21 - 0.5 * (2 + 8));
}

TEST_CASE("the gradient of a lateral coupling is symmetric to the bit, covariances of summed units among it") {
  for (const Index n : {3, 8, 13, 21, 37, 50, 70}) {
    CAPTURE(n);
    LayeredModel model({{observed("v", 4), latent("h", n, std::make_shared<GaussianUnit>())}, {{0, 1}, {1, 1}}, {1}});
    randomize(model, 5, 0.01);
    const ParameterLayout& p = model.parameter_layout();
    const Index lateral = p.find("weight.h.h");
    model.update_parameters([&](std::span<Real> theta) {
      const MatrixRef w = p.view(lateral, theta.data());
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          w(i, j) =
              i == j
                  ? Real{0}
                  : static_cast<Real>(std::cos(static_cast<double>(3 * (i + j) + i * j)) / static_cast<double>(4 * n));
    });
    Chains rows(model.layout(), 3);
    rows.write(LayerId{0})(1, 2) = 1;
    const std::vector<double> weights{0.2, 0.3, 0.7};
    std::vector<Real> gradient(p.size(), Real{0});
    model.free_energy()->add_gradient(LayerSet().add(LayerId{0}), rows, weights, gradient, Executor(1));
    const MatrixRef g = p.view(lateral, gradient.data());
    bool symmetric = true, zero = true;
    for (Index i = 0; i < n; ++i) {
      zero = zero && g(i, i) == 0;
      for (Index j = 0; j < n; ++j) symmetric = symmetric && g(i, j) == g(j, i);
    }
    CHECK(symmetric);
    CHECK(zero);
  }
}

TEST_CASE("a gradient of no rows is nothing") {
  const auto model = random_rbm(3, 2, 1);
  const Executor executor(1);
  std::vector<Real> gradient(model->parameters().size(), Real{4});
  model->add_gradient(Chains(model->layout(), 0), {}, gradient, executor);
  CHECK(gradient == std::vector<Real>(gradient.size(), Real{4}));
}

TEST_CASE("a large gradient, cut into slabs, is the same on any number of threads and has every entry") {
  const auto model = random_rbm(600, 300, 1, 0.0);
  Chains rows(model->layout(), 3);
  for (const LayerId l : model->layout().ids()) {
    const MatrixRef x = rows.write(l);
    for (Index r = 0; r < x.rows; ++r)
      for (Index c = 0; c < x.cols; ++c) x(r, c) = static_cast<Real>((r * 7 + c * c) % 2);
  }
  for (const std::vector<double>& weights : {std::vector<double>{0.5, 0.5, 0.5}, std::vector<double>{0.5, 2.0, 0.25}}) {
    std::vector<Real> one(model->parameters().size(), Real{0}), two(one);
    model->add_gradient(rows, weights, one, Executor(1));
    model->add_gradient(rows, weights, two, Executor(2));
    CHECK(one == two);
    bool right = true;
    const ConstMatrixRef v = rows.read(LayerId{0}), h = rows.read(LayerId{1});
    for (Index i = 0; i < 600; ++i) {
      for (Index j = 0; j < 300; ++j) {
        double sum = 0.0;  // dyadic: exact
        for (Index r = 0; r < 3; ++r) sum -= weights[r] * static_cast<double>(v(r, i) * h(r, j));
        right = right && static_cast<double>(one[900 + i * 300 + j]) == sum;
      }
    }
    CHECK(right);
  }
}

}  // namespace pairwise_test
