#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/continuous.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace state_gradient_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<std::unique_ptr<LayeredModel>> machines() {
  const auto gaussian = std::make_shared<GaussianUnit>();
  std::vector<std::unique_ptr<LayeredModel>> all;
  all.push_back(random_model({{observed("v", 4, gaussian), latent("h", 3)}, {{0, 1}}, {0}}, 1));
  all.push_back(random_model({{observed("v", 4, gaussian), latent("h", 3)}, {{0, 0}, {0, 1}, {1, 1}}, {0}}, 2, 0.15));
  all.push_back(random_model({{observed("v", 5, gaussian)}, {{0, 0}}, {0}}, 3, 0.15));
  // Two continuous layers coupled with each other and with spins, the continuous ones first and last.
  all.push_back(random_model(
      {{observed("v", 2, gaussian), latent("h", 3, std::make_shared<SpinUnit>()), latent("g", 3, gaussian)},
       {{0, 1}, {1, 2}, {0, 2}, {2, 2}},
       {0, 2}},
      4, 0.15));
  return all;
}

}  // namespace

TEST_CASE("the slope of the energy by the state is its central difference") {
  for (const auto& model : machines()) {
    const Oracle oracle(*model);
    const Layout& layout = model->layout();
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<Oracle::State> states(11, Oracle::State(oracle.columns()));
    for (Oracle::State& x : states) {
      for (const LayerId l : layout.ids())
        for (Index c = 0; c < layout[l].columns(); ++c) {
          const double z = std::round(64.0 * normal(random)) / 64.0;
          const bool real = layout[l].unit->num_states() == 0, spin = layout[l].unit->name() == "spin";
          x[oracle.first(l) + c] = real ? z : z > 0.0 ? 1.0 : spin ? -1.0 : 0.0;
        }
    }
    const Chains rows = oracle.chains(states);
    REQUIRE(model->state_gradient());
    std::vector<std::vector<Real>> slopes(layout.size());
    std::vector<MatrixRef> out(layout.size());
    for (const LayerId l : layout.ids()) {
      if (layout[l].unit->num_states() != 0) continue;  // empty views are not written
      const auto i = static_cast<Index>(l);
      const Index columns = layout[l].columns(), stride = columns + 2;
      slopes[i].assign(states.size() * stride, Real{-9});
      out[i] = {slopes[i].data(), states.size(), columns, stride};
    }
    model->state_gradient()->evaluate(rows, out);

    // The energy is a polynomial of degree two: the difference is exact but for rounding. h is a power of two and x a
    // multiple of 1/64, so that x ± h are the numbers meant.
    const double h = 0x1p-4;
    double worst = 0.0, size = 0.0;
    for (const LayerId l : layout.ids()) {
      const auto i = static_cast<Index>(l);
      if (out[i].empty()) continue;
      for (Index r = 0; r < states.size(); ++r) {
        for (Index c = 0; c < out[i].cols; ++c) {
          Oracle::State up = states[r], down = states[r];
          up[oracle.first(l) + c] += h;
          down[oracle.first(l) + c] -= h;
          std::vector<double> e(2);
          model->energy(oracle.chains({up, down}), e);
          worst = std::max(worst, std::abs(static_cast<double>(out[i](r, c)) - (e[0] - e[1]) / (2.0 * h)));
          size = std::max(size, std::abs(e[0]) + std::abs(e[1]));
        }
        for (Index c = out[i].cols; c < out[i].stride; ++c) CHECK(out[i].row(r)[c] == -9);
      }
    }
    // States within 4, parameters within e: sums of at most 20 terms of some 11.
    CHECK(worst <= rounding(20.0, 11.0) + rounding<double>(20.0, size + 11.0) / h);
  }
}

TEST_CASE("a model without continuous layers offers no slope") {
  CHECK(random_rbm(3, 2, 1)->state_gradient() == nullptr);
}

TEST_CASE("the slope of the double well, which tests rely on, is its central difference") {
  const DoubleWell model(1.5, 0.5);
  Chains rows(model.layout(), 4);
  const double h = 0x1p-10;
  const MatrixRef x = rows.write(LayerId{0});
  for (Index r = 0; r < 4; ++r) {
    x(r, 0) = static_cast<Real>(-1.5 + static_cast<double>(r));
    x(r, 1) = static_cast<Real>(0.75 - 0.5 * static_cast<double>(r));
  }
  std::vector<Real> slope(8);
  const std::vector<MatrixRef> out{{slope.data(), 4, 2, 2}};
  model.state_gradient()->evaluate(rows, out);
  for (Index c = 0; c < 2; ++c) {
    Chains up = rows, down = rows;
    for (Index r = 0; r < 4; ++r) {
      up.write(LayerId{0})(r, c) += static_cast<Real>(h);
      down.write(LayerId{0})(r, c) -= static_cast<Real>(h);
    }
    std::vector<double> e_up(4), e_down(4);
    model.energy(up, e_up);
    model.energy(down, e_down);
    // h²/6 of the third derivative, 24 a x = 54 at most; rounding of energies of a few nats.
    for (Index r = 0; r < 4; ++r)
      CHECK(std::abs(static_cast<double>(slope[2 * r + c]) - (e_up[r] - e_down[r]) / (2.0 * h)) <=
            9.0 * h * h + rounding(8.0, 20.0) + rounding<double>(8.0, 10.0) / h);
  }
}

}  // namespace state_gradient_test
