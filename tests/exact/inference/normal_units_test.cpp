// Normal units beside units of several states: log Z, moments of the energy and ground states, against what the model's energies say
// of each state.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/normal_units.hpp>
#include <harmonium/framework/testing/differences.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>

namespace normal_units_test {

using namespace harmonium;

namespace {

const Executor executor(2);
constexpr bool wide = sizeof(Real) == sizeof(double);

double tolerance(double size) { return (wide ? 1e-10 : 1e-4) * (1.0 + std::abs(size)); }

double energy_of(const EnergyModel& model, const Chains& row) {
  double e = 0.0;
  model.energy({row, 0, 1}, {&e, 1});
  return e;
}

/// Of each state of `visible`, the least energy over the units of `hidden`, and Σ log γ of these: each unit's parabola by three
/// energies.
struct Parabolas {
  std::vector<double> least;
  double log_precisions = 0.0;
  Index count = 0;

  explicit Parabolas(const EnergyModel& model) {
    const Layout& layout = model.layout();
    const LayerId hidden = layout.find("hidden");
    LayerSet visible;
    visible.add(layout.find("visible"));
    const JointStates states(layout, visible);
    count = layout[hidden].size;
    Chains row(layout, 1);
    for (std::uint64_t s = 0; s < states.size(); ++s) {
      states.write(s, s + 1, row);
      const auto at = [&](Index k, Real h) {
        std::ranges::fill(row.write(hidden)[0], Real{0});
        row.write(hidden)(0, k) = h;
        return energy_of(model, row);
      };
      const double base = at(0, 0);
      double low = base;
      for (Index k = 0; k < count; ++k) {
        const double up = at(k, 1), down = at(k, -1), precision = up + down - 2.0 * base, field = 0.5 * (down - up);
        low -= 0.5 * field * field / precision;
        if (s == 0) log_precisions += std::log(precision);
      }
      least.push_back(low);
    }
  }
  double lowest() const { return *std::ranges::min_element(least); }
  double log_z(double beta) const {
    LogSumExp sum;
    for (const double e : least) sum.add(-beta * e);
    return sum.value() + 0.5 * (static_cast<double>(count) * std::log(2.0 * std::numbers::pi / beta) - log_precisions);
  }
  /// ⟨E⟩ and its variance.
  std::pair<double, double> moments(double beta) const {
    const double low = lowest(), k = static_cast<double>(count);
    double z = 0.0, mean = 0.0, variance = 0.0;
    for (const double e : least) z += std::exp(-beta * (e - low));
    for (const double e : least) mean += e * std::exp(-beta * (e - low)) / z;
    for (const double e : least) variance += (e - mean) * (e - mean) * std::exp(-beta * (e - low)) / z;
    return {mean + 0.5 * k / beta, variance + 0.5 * k / beta / beta};
  }
};

void check_ground_state(const EnergyModel& model, const Chains& row, double lowest) {
  CHECK(std::abs(energy_of(model, row) - lowest) <= tolerance(lowest));
  const LayerId hidden = model.layout().find("hidden");
  for (Index k = 0; k < model.layout()[hidden].size; ++k)
    for (const Real by : {Real{-0.25}, Real{0.25}}) {  // control: at no other h is it as low
      Chains other = row;
      other.write(hidden)(0, k) += by;
      CHECK(energy_of(model, other) > lowest + 1e-3);
    }
}

void check_model(const EnergyModel& model) {
  const Parabolas exact(model);
  const Elimination elimination(model, 20);
  for (const double beta : {0.3, 1.0, 2.5}) {
    CAPTURE(beta);
    CHECK(std::abs(elimination.log_sum(beta, executor) - exact.log_z(beta)) <= tolerance(exact.log_z(beta)));
    const auto [mean, variance] = exact.moments(beta);
    const WeighedEnergy swept = elimination.energy(beta, executor);
    CHECK(std::abs(swept.log_weight - exact.log_z(beta)) <= tolerance(exact.log_z(beta)));
    CHECK(std::abs(swept.mean - mean) <= tolerance(mean));
    CHECK(std::abs(swept.variance - variance) <= tolerance(variance + mean * mean));
    const EnergyMoments summed = energy_moments(model, beta, executor);
    CHECK(std::abs(summed.least - exact.lowest()) <= tolerance(exact.lowest()));
    REQUIRE(summed.ground_state);
    check_ground_state(model, *summed.ground_state, exact.lowest());
  }
  const Elimination::GroundState ground = elimination.ground_state(executor);
  CHECK(std::abs(ground.energy - exact.lowest()) <= tolerance(exact.lowest()));
  check_ground_state(model, ground.row(model.layout()), exact.lowest());
}

RbmOptions options(Index visible, Index hidden, std::unique_ptr<UnitType> units) {
  return {.num_visible = visible,
          .num_hidden = hidden,
          .visible_units = std::move(units),
          .hidden_units = std::make_unique<GaussianUnit>()};
}

/// A chain of spins, the two of each bond k being coupled by a normal unit of their own with weights a_k and b_k.
struct Chain {
  static constexpr Index spins = 60;
  std::vector<double> a, b;
  double precision = std::exp(0.5);
  std::unique_ptr<EnergyModel> model = make_rbm(options(spins, spins - 1, std::make_unique<SpinUnit>()));

  Chain() {
    for (Index k = 0; k + 1 < spins; ++k) {
      a.push_back(0.25 * static_cast<double>(k % 5) - 0.625);
      b.push_back(0.5 * static_cast<double>(k % 3) + 0.25);
    }
    const ParameterLayout& parameters = model->parameter_layout();
    model->update_parameters([&](std::span<Real> theta) {
      std::ranges::fill(theta, Real{0});
      for (const ParameterBlock& block : parameters.blocks())
        if (block.role == ParameterRole::log_precision)
          std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(block.offset), block.size(), Real{0.5});
      const MatrixRef w = parameters.view(parameters.find("weight.visible.hidden"), theta.data());
      for (Index k = 0; k + 1 < spins; ++k) {
        w(k, k) = static_cast<Real>(a[k]);
        w(k + 1, k) = static_cast<Real>(b[k]);
      }
    });
  }
};

}  // namespace

TEST_CASE("normal units beside others are integrated over, and least at their means: spins, sites, lateral couplings") {
  const auto spins = make_rbm(options(5, 3, std::make_unique<SpinUnit>()));
  conformance::randomize(*spins, 3, 0.75);
  check_model(*spins);
  const auto sites = make_rbm(options(3, 2, std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3})));
  conformance::randomize(*sites, 4, 0.75);
  check_model(*sites);
  const auto both = make_semi_restricted(options(5, 2, std::make_unique<SpinUnit>()));
  conformance::randomize(*both, 5, 0.75);
  check_model(*both);
}

TEST_CASE("a chain of many spins that normal units couple has the numbers of its effective couplings") {
  // Integrating over h_k leaves −(a² + b²)/(2γ) − (a b/γ) s_k s_(k+1), and Z of a chain is 2 Π 2 cosh βJ.
  const Chain chain;
  double constant = 0.0, lowest = 0.0;
  for (Index k = 0; k < chain.a.size(); ++k) {
    constant -= 0.5 * (chain.a[k] * chain.a[k] + chain.b[k] * chain.b[k]) / chain.precision;
    lowest -= std::abs(chain.a[k] * chain.b[k]) / chain.precision;
  }
  lowest += constant;
  const Elimination elimination(*chain.model, 20);
  CHECK(elimination.order().log2_largest <= 1.0);
  for (const double beta : {0.5, 2.0}) {
    double log_z = std::numbers::ln2 - beta * constant;
    for (Index k = 0; k < chain.a.size(); ++k)
      log_z += std::log(2.0 * std::cosh(beta * chain.a[k] * chain.b[k] / chain.precision)) +
               0.5 * std::log(2.0 * std::numbers::pi / (beta * chain.precision));
    CHECK(std::abs(elimination.log_sum(beta, executor) - log_z) <= tolerance(log_z));
    const EnergyMoments found = energy_moments(*chain.model, beta, executor);
    CHECK(std::abs(found.least - lowest) <= tolerance(lowest));
    REQUIRE(found.ground_state);
    CHECK(std::abs(energy_of(*chain.model, *found.ground_state) - lowest) <= tolerance(lowest));
  }
}

TEST_CASE("a normal unit that is coupled with many units joins them in one table, which is refused") {
  const auto dense = make_rbm(options(40, 1, std::make_unique<SpinUnit>()));
  conformance::randomize(*dense, 6, 0.5);
  CHECK_THROWS_AS(Elimination(*dense, 24), CapabilityError);
  CHECK(NormalUnits::of(*dense).has_value());
}

}  // namespace normal_units_test
