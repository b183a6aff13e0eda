// The averages of `observe --exact` of models with Gaussian units beside units of states, against quadrature over the former.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/framework/inference/state_energies.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gamma.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>

#include "state_loops.hpp"

namespace gaussian_averages_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::state_loops;

namespace {

const Executor executor(2);

std::shared_ptr<const UnitType> gaussian() { return std::make_shared<GaussianUnit>(); }

/// The law of states and of two Gaussian units on a grid, by the trapezoidal rule: with eigenvalues of P from 0.5 to 1.6 and means
/// below 3 what it lacks of the integrals, exp(−2π²σ²/step²) between points and erfc(17/(√2 σ)) beyond the ends, is below 1e-12 for
/// β from 0.4 to 2.5.
std::vector<Weighted> law_by_quadrature(const EnergyModel& model, LayerId layer, double beta) {
  constexpr double end = 20.0, step = 0.4;
  const Oracle oracle(model);
  const Layout& layout = model.layout();
  LayerSet counted;
  std::vector<Index> normal;
  for (const LayerId l : layout.ids()) {
    if (layout[l].unit->num_states() > 0) counted.add(l);
    else
      for (Index u = 0; u < layout[l].size; ++u) normal.push_back(oracle.first(l) + u);
  }
  REQUIRE(normal.size() == 2);
  std::vector<Weighted> all;
  double z = 0.0;
  for (Oracle::State x : oracle.states(counted)) {
    std::vector<double> units;
    const Index width = layout[layer].unit->width();
    for (Index i = 0; i < layout[layer].size; ++i) {
      const double* const own = x.data() + oracle.first(layer) + i * width;
      if (width > 1) units.push_back(static_cast<double>(std::max_element(own, own + width) - own));
      else units.push_back(layout[layer].unit->min() < 0.0 ? *own : 2.0 * *own - 1.0);
    }
    for (double a = -end; a <= end; a += step)
      for (double b = -end; b <= end; b += step) {
        x[normal[0]] = a;
        x[normal[1]] = b;
        const double energy = oracle.energy(x);
        all.push_back({std::exp(-beta * energy), energy, units});
        z += all.back().probability;
      }
  }
  for (Weighted& w : all) w.probability /= z;
  return all;
}

void check_by_quadrature(const EnergyModel& model, LayerId layer) {
  const LayerObservables what(model, layer);
  const StateSum sum(model, what, executor);
  CHECK(sum.integrates());
  for (const double beta : {0.4, 1.0, 2.5}) {
    CAPTURE(beta);
    const std::vector<Weighted> law = law_by_quadrature(model, layer, beta);
    const Exact exact = by_loops(model, layer, beta, law);
    check_averages(sum.at(beta, executor), exact);
    const EnergyMoments found = energy_moments(model, beta, executor);
    const double heat = exact.at("specific_heat") * static_cast<double>(num_all_units(model.layout()));
    CHECK(std::abs(found.mean - exact.at("energy")) <= tolerance(exact.at("energy")));
    CHECK(std::abs(beta * beta * found.variance - heat) <= tolerance(heat));
    // The least energy of the grid is at most ½ · 1.6 · 2 · 0.2² above that between its points.
    const double of_grid = std::ranges::min_element(law, {}, &Weighted::energy)->energy;
    CHECK(found.least <= of_grid + tolerance(of_grid));
    CHECK(found.least >= of_grid - 0.065);
  }
}

/// ⟨h_i⟩ and ⟨h_i h_j⟩ of the two Gaussian units, by the same rule.
struct MomentsOfTwo {
  double mean[2] = {}, product[2][2] = {};
};

MomentsOfTwo moments_by_quadrature(const EnergyModel& model, LayerId normal, double beta) {
  constexpr double end = 20.0, step = 0.4;
  const Oracle oracle(model);
  const Index first = oracle.first(normal);
  MomentsOfTwo found;
  double z = 0.0;
  for (Oracle::State x : oracle.states(LayerSet(model.layout().all()).remove(normal)))
    for (double a = -end; a <= end; a += step)
      for (double b = -end; b <= end; b += step) {
        const double h[2] = {x[first] = a, x[first + 1] = b};
        const double weight = std::exp(-beta * oracle.energy(x));
        z += weight;
        for (Index i = 0; i < 2; ++i) {
          found.mean[i] += weight * h[i];
          for (Index j = 0; j < 2; ++j) found.product[i][j] += weight * h[i] * h[j];
        }
      }
  for (Index i = 0; i < 2; ++i) {
    found.mean[i] /= z;
    for (double& product : found.product[i]) product /= z;
  }
  return found;
}

/// Two spins v and a Gaussian h: E = −h (v₁ + v₂) + ½ h², so that E₀ = −1 − v₁v₂.
std::unique_ptr<LayeredModel> two_spins() {
  auto model = std::make_unique<LayeredModel>(
      LayerGraph{{observed("v", 2, std::make_shared<SpinUnit>()), latent("h", 1, gaussian())}, {{0, 1}}, {}});
  const ParameterLayout& p = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    const MatrixRef w = p.view(p.find("weight.v.h"), theta.data());
    w(0, 0) = w(1, 0) = Real{1};
  });
  return model;
}

/// Free energies as if the precision of what is integrated over depended on the first unit of the first layer.
class UnlikePrecisions final : public Forwarding, private FreeEnergy {
 public:
  using Forwarding::Forwarding;
  const FreeEnergy* free_energy() const override { return this; }

 private:
  using Forwarding::add_gradient;
  bool closed(LayerSet kept) const override { return inner_.free_energy()->closed(kept); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override {
    inner_.free_energy()->evaluate(kept, beta, x, out);
    for (Index r = 0; r < x.rows(); ++r) out[r] += 0.1 * static_cast<double>(x[LayerId{0}](r, 0));
  }
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& threads) const override {
    inner_.free_energy()->add_gradient(kept, x, weights, gradient, threads);
  }
  double operations(LayerSet kept) const override { return inner_.free_energy()->operations(kept); }
};

}  // namespace

TEST_CASE("sums over states with Gaussian units integrated over are those of quadrature") {
  const auto spin = std::make_shared<SpinUnit>();
  const auto sites = std::make_shared<CategoricalUnit>(CategoricalUnit::Options{3});
  struct Case {
    const char* name = nullptr;
    LayerGraph graph = {};
    LayerId layer = {};
  };
  const Case cases[] = {
      {"spins, coupled, and Gaussian units that are coupled",
       {{observed("v", 3, spin), latent("h", 2, gaussian())}, {{0, 0}, {0, 1}, {1, 1}}, {1}},
       LayerId{0}},
      {"bits and Gaussian units", {{observed("v", 3), latent("h", 2, gaussian())}, {{0, 1}}, {1}}, LayerId{0}},
      {"hidden bits of Gaussian visible units",
       {{observed("x", 2, gaussian()), latent("h", 3)}, {{0, 1}}, {0}},
       LayerId{1}},
      {"sites, and two layers of a Gaussian unit",
       {{latent("g", 1, gaussian()), observed("v", 2, sites), latent("h", 1, gaussian())},
        {{0, 1}, {1, 2}, {0, 2}},
        {0, 2}},
       LayerId{1}}};
  for (const Case& one : cases) {
    CAPTURE(one.name);
    check_by_quadrature(*random_model(one.graph, 11, 0.25), one.layer);
  }
}

TEST_CASE("averages of a layer of Gaussian units are those of quadrature") {
  const auto spin = std::make_shared<SpinUnit>();
  struct Case {
    LayerGraph graph = {};
    LayerId normal = {};
    bool coupled = false;
  };
  const Case cases[] = {
      {{{observed("v", 3, spin), latent("h", 2, gaussian())}, {{0, 0}, {0, 1}, {1, 1}}, {1}}, LayerId{1}, true},
      {{{observed("x", 2, gaussian()), latent("h", 3)}, {{0, 1}}, {0}}, LayerId{0}, false}};
  for (const Case& one : cases) {
    const auto model = random_model(one.graph, 11, 0.25);
    const LayerObservables what(*model, one.normal);
    const StateSum sum(*model, what, executor);
    for (const double beta : {0.4, 1.0, 2.5}) {
      CAPTURE(beta);
      const MomentsOfTwo m = moments_by_quadrature(*model, one.normal, beta);
      Exact exact{{"mean", 0.5 * (m.mean[0] + m.mean[1])},
                  {"mean_square", 0.5 * (m.product[0][0] + m.product[1][1])},
                  {"overlap", 0.5 * (m.mean[0] * m.mean[0] + m.mean[1] * m.mean[1])},
                  {"squared_overlap", 0.25 * (std::pow(m.product[0][0], 2) + std::pow(m.product[1][1], 2) +
                                              2.0 * std::pow(m.product[0][1], 2))}};
      if (one.coupled) exact["pair_correlation"] = m.product[0][1];
      const std::vector<ThermalAverage> averages = sum.at(beta, executor).thermal.averages;
      REQUIRE(averages.size() == 3 + exact.size());  // those of the energy come first
      for (Index k = 3; k < averages.size(); ++k) {
        CAPTURE(averages[k].name);
        REQUIRE(exact.contains(averages[k].name));
        CHECK(std::abs(averages[k].value - exact[averages[k].name]) <= tolerance(exact[averages[k].name]));
      }
    }
  }
}

TEST_CASE("a Gaussian field without other units has its propagator at all distances") {
  // P = 3 − w (of the two neighbors on a ring of 4): ⟨x_0 x_d⟩ = (1/4β) Σ_p cos(p d)/(3 − 2 w cos p), p = 0, π/2, π, 3π/2.
  constexpr double w = 0.5;
  auto model = random_model({{observed("x", 4, gaussian())}, {{0, 0}}, {0}}, 1, 0.1);
  const ParameterLayout& parameters = model->parameter_layout();
  model->update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    const MatrixRef couplings = parameters.view(parameters.find("weight.x.x"), theta.data());
    for (Index i = 0; i < 4; ++i) couplings(i, (i + 1) % 4) = couplings((i + 1) % 4, i) = static_cast<Real>(w);
    for (const ParameterBlock& b : parameters.blocks())
      if (is_curvature(b)) std::ranges::fill(theta.subspan(b.offset, b.size()), static_cast<Real>(std::log(3.0)));
  });
  const SiteGrid ring{{4}, {false}};
  const LayerObservables what(*model, LayerId{0}, &ring);
  const StateSum sum(*model, what, executor);
  CHECK(sum.num_states() == 1);
  for (const double beta : {0.5, 2.0}) {
    const auto at = [&](int distance) {
      double propagator = 0.0;
      for (int p = 0; p < 4; ++p)
        propagator += 0.25 / beta * std::cos(0.5 * std::numbers::pi * p * distance) /
                      (3.0 - 2.0 * w * std::cos(0.5 * std::numbers::pi * p));
      return propagator;
    };
    const ThermalAverages found = sum.at(beta, executor).thermal;
    const auto named = [&](const char* name) {
      return std::ranges::find(found.averages, name, &ThermalAverage::name)->value;
    };
    CHECK(named("mean") == 0.0);
    CHECK(std::abs(named("mean_square") - at(0)) <= tolerance(at(0)));
    CHECK(std::abs(named("pair_correlation") - at(1)) <= tolerance(at(1)));
    REQUIRE(found.correlations.size() == 2);
    CHECK(std::abs(found.correlations[0].value - at(1)) <= tolerance(at(1)));
    CHECK(std::abs(found.correlations[1].value - at(2)) <= tolerance(at(2)));
    CHECK(std::abs(named("energy") - 2.0 / beta) <= tolerance(2.0 / beta));
  }
}

TEST_CASE("a Gaussian unit joins two spins, and adds half a unit of heat") {
  const auto model = two_spins();
  const LayerObservables what(*model, LayerId{0});
  const StateSum sum(*model, what, executor);
  CHECK(sum.num_states() == 4);
  for (const double beta : {0.3, 1.0, 4.0}) {
    const std::vector<ThermalAverage> averages = sum.at(beta, executor).thermal.averages;
    const double t = std::tanh(beta);
    CHECK(averages[0].value == doctest::Approx(-1.0 - t + 0.5 / beta).epsilon(1e-12));
    CHECK(averages[2].value == doctest::Approx((beta * beta * (1.0 - t * t) + 0.5) / 3.0).epsilon(1e-12));
  }
}

TEST_CASE("what a sum cannot integrate over is told") {
  const auto model = two_spins();
  const LayerObservables of_spins(*model, LayerId{0});
  const UnlikePrecisions unlike(*model);
  CHECK_THROWS_WITH_AS(
      StateSum(unlike, of_spins, executor),
      "a sum over all states takes Gaussian units whose precision is the same in all of these. Run chains.",
      CapabilityError);
  const auto other = random_model(
      {{observed("v", 2), latent("h", 2, std::make_shared<ExponentialUnit>(ExponentialUnit::Options{}))}, {{0, 1}}, {}},
      1, 0.25);
  const LayerObservables of_bits(*other, LayerId{0});
  CHECK(std::isinf(StateEnergies::log2_states(*other)));
  CHECK_THROWS_AS(StateSum(*other, of_bits, executor), CapabilityError);
}

}  // namespace gaussian_averages_test
