#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace factorial_base_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

/// All states of all layers, as rows.
Chains every_state(const Oracle& oracle) { return oracle.chains(oracle.states(oracle.layout().all())); }

}  // namespace

TEST_CASE("a factorial base is its model without the couplings") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const FactorialBase base(*m.model);
    const ParameterLayout& parameters = m.model->parameter_layout();
    m.model->update_parameters([&](std::span<Real> theta) {
      for (const ParameterBlock& b : parameters.blocks())
        if (b.role == ParameterRole::coupling)
          std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(b.offset), b.size(), Real{0});
    });
    const Oracle oracle(*m.model);
    const Chains states = every_state(oracle);
    std::vector<double> ours(states.size()), theirs(states.size());
    base.energy(states, ours);
    m.model->energy(states, theirs);
    for (Index r = 0; r < ours.size(); ++r) CHECK(std::abs(ours[r] - theirs[r]) < rounding<double>(40.0, 10.0));

    for (const double beta : {0.0, 0.5, 1.0}) {
      CAPTURE(beta);
      // log Z, and free energies of some layers, by summing over all states.
      std::vector<double> weights;
      weights.reserve(theirs.size());
      for (const double e : theirs) weights.push_back(-beta * e);
      const double log_z = logsumexp(weights);
      CHECK(std::abs(base.log_partition(beta) - log_z) < 1e-11);
      std::vector<double> free(states.size());
      base.free_energy()->evaluate({}, beta, states, free);
      CHECK(std::abs(free[0] + log_z) < 1e-11);
      const LayerSet kept = m.model->layout().observed();
      m.model->free_energy()->evaluate(kept, beta, states, theirs);
      base.free_energy()->evaluate(kept, beta, states, free);
      for (Index r = 0; r < free.size(); ++r) CHECK(std::abs(free[r] - theirs[r]) < 1e-10);
      m.model->energy(states, theirs);
    }

    // Fields of every block of the model, whole or scattered.
    for (const Block& block : m.model->block_conditionals()->blocks()) {
      const UnitType& unit = *m.model->layout()[block.layer].unit;
      const Index columns = block.size * unit.width(), rows = std::min<Index>(states.size(), 5);
      std::vector<Real> a(rows * columns), b(a), ca(a), cb(a);
      Fields fa{{a.data(), rows, columns, columns}}, fb{{b.data(), rows, columns, columns}};
      if (unit.has_curvature()) {
        fa.curvature = {ca.data(), rows, columns, columns};
        fb.curvature = {cb.data(), rows, columns, columns};
      }
      base.block_conditionals()->fields(block, 0, block.size, {states, 0, rows}, fa);
      m.model->block_conditionals()->fields(block, 0, block.size, {states, 0, rows}, fb);
      CHECK(a == b);
      CHECK(ca == cb);
    }
  }
}

TEST_CASE("the gradient of a factorial base is that of finite differences") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    FactorialBase base(*m.model);
    const Oracle oracle(*m.model);
    const Chains states = every_state(oracle);
    std::vector<double> weights(states.size());
    for (Index r = 0; r < weights.size(); ++r) weights[r] = 0.25 * static_cast<double>(r % 5);
    std::vector<Real> gradient(base.parameter_layout().size(), Real{0});
    base.add_gradient(states, weights, gradient, executor);
    const double total = static_cast<double>(states.size());
    for (Index i = 0; i < gradient.size(); ++i) {
      const double numeric = derivative(base, {i}, 0.0078125, [&] {
        std::vector<double> energy(states.size());
        base.energy(states, energy);
        double sum = 0.0;
        for (Index r = 0; r < energy.size(); ++r) sum += weights[r] * energy[r];
        return std::vector<double>{sum};
      })[0];
      CHECK(std::abs(static_cast<double>(gradient[i]) - numeric) < 1e-8 + rounding(total, 4.0));
    }

    // And of its free energies, whatever is kept.
    for (const LayerSet kept : oracle.sets()) {
      std::vector<Real> of_free(base.parameter_layout().size(), Real{0});
      base.free_energy()->add_gradient(kept, states, weights, of_free, executor);
      for (Index i = 0; i < of_free.size(); ++i) {
        const double numeric = derivative(base, {i}, 0.0078125, [&] {
          std::vector<double> free(states.size());
          base.free_energy()->evaluate(kept, 1.0, states, free);
          double sum = 0.0;
          for (Index r = 0; r < free.size(); ++r) sum += weights[r] * free[r];
          return std::vector<double>{sum};
        })[0];
        CHECK(std::abs(static_cast<double>(of_free[i]) - numeric) < 1e-6 * total + rounding(total, 4.0));
      }
    }
  }
}

TEST_CASE("the slope of a factorial base is the central difference of its energy") {
  const auto gaussian = std::make_shared<GaussianUnit>();
  const auto model =
      random_model({{observed("v", 3, gaussian), latent("h", 2), latent("g", 2, gaussian)}, {{0, 1}, {1, 2}}, {0}}, 3);
  const FactorialBase base(*model);
  const Layout& layout = model->layout();
  REQUIRE(base.state_gradient());
  Chains rows(layout, 4);
  for (const LayerId l : layout.ids())
    for (Index r = 0; r < 4; ++r)
      for (Index c = 0; c < layout[l].columns(); ++c)
        rows.write(l)(r, c) = layout[l].unit->num_states() == 0
                                  ? static_cast<Real>(r) - static_cast<Real>(c) * Real{0.75} - 1
                                  : static_cast<Real>((r + c) % 2);
  std::vector<Real> of_v(12), of_g(8);
  std::vector<MatrixRef> out(3);
  out[0] = {of_v.data(), 4, 3, 3};
  out[2] = {of_g.data(), 4, 2, 2};
  base.state_gradient()->evaluate(rows.real(), out);
  // Of degree two: exact but for rounding, and x ± h are the numbers meant.
  const double h = 0x1p-4;
  for (const LayerId l : {LayerId{0}, LayerId{2}})
    for (Index c = 0; c < layout[l].columns(); ++c) {
      Chains up = rows, down = rows;
      for (Index r = 0; r < 4; ++r) {
        up.write(l)(r, c) += static_cast<Real>(h);
        down.write(l)(r, c) -= static_cast<Real>(h);
      }
      std::vector<double> e_up(4), e_down(4);
      base.energy(up.real(), e_up);
      base.energy(down.real(), e_down);
      for (Index r = 0; r < 4; ++r)
        CHECK(std::abs(static_cast<double>(out[static_cast<Index>(l)](r, c)) - (e_up[r] - e_down[r]) / (2.0 * h)) <=
              rounding(10.0, 20.0) + rounding<double>(20.0, 60.0) / h);
    }

  CHECK(FactorialBase(*random_rbm(3, 2, 1)).state_gradient() == nullptr);
}

}  // namespace factorial_base_test
