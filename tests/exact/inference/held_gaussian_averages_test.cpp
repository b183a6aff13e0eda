// The averages of `observe --exact` with Gaussian units held, and those of single Gaussian units, by inverses and quadrature.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace held_gaussian_averages_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Square = std::vector<std::vector<double>>;

const Executor executor(2);

// Parameters and what is held are the same numbers on both sides, and all sums are in double.
double tolerance(double size) { return 1e-11 * (1.0 + std::abs(size)); }

void check_near(double found, double exact) { CHECK(std::abs(found - exact) <= tolerance(exact)); }

double named(const ThermalAverages& found, const char* name) {
  return std::ranges::find(found.averages, name, &ThermalAverage::name)->value;
}

/// By Gauss and Jordan.
Square inverse(Square a) {
  const Index n = a.size();
  Square b(n, std::vector<double>(n, 0.0));
  for (Index i = 0; i < n; ++i) b[i][i] = 1.0;
  for (Index k = 0; k < n; ++k) {
    const double pivot = a[k][k];
    for (Index j = 0; j < n; ++j) {
      a[k][j] /= pivot;
      b[k][j] /= pivot;
    }
    for (Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (Index j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        b[i][j] -= factor * b[k][j];
      }
    }
  }
  return b;
}

/// E = ½ xᵀ P x − bᵀ x of five Gaussian units that are all coupled.
struct Field {
  std::unique_ptr<LayeredModel> model =
      random_model({{observed("v", 5, std::make_shared<GaussianUnit>())}, {{0, 0}}, {0}}, 7, 0.125);
  Square precision = Square(5, std::vector<double>(5));
  std::vector<double> bias = std::vector<double>(5);

  Field() {
    const ParameterLayout& p = model->parameter_layout();
    const auto view = [&](const char* name) { return p.view(p.find(name), model->parameters().data()); };
    for (Index i = 0; i < 5; ++i) {
      bias[i] = static_cast<double>(view("bias.v")(i, 0));
      for (Index j = 0; j < 5; ++j) precision[i][j] = -static_cast<double>(view("weight.v.v")(i, j));
      precision[i][i] = std::exp(static_cast<double>(view("log_precision.v")(i, 0)));
    }
  }
  double energy(const std::vector<double>& x) const {
    double e = 0.0;
    for (Index i = 0; i < 5; ++i) {
      e -= bias[i] * x[i];
      for (Index j = 0; j < 5; ++j) e += 0.5 * x[i] * precision[i][j] * x[j];
    }
    return e;
  }
};

/// Whichever units `held` marks are held at `at`: the means and the covariances at β = 1 of all.
struct Conditional {
  std::vector<double> mean;
  Square covariance = Square(5, std::vector<double>(5, 0.0));
  Index num_free = 0;

  Conditional(const Field& field, const std::vector<std::uint8_t>& held, const std::vector<double>& at) : mean(at) {
    std::vector<Index> free;
    for (Index i = 0; i < 5; ++i)
      if (!held[i]) free.push_back(i);
    num_free = free.size();
    Square part(num_free, std::vector<double>(num_free));
    for (Index i = 0; i < num_free; ++i)
      for (Index j = 0; j < num_free; ++j) part[i][j] = field.precision[free[i]][free[j]];
    const Square own = inverse(part);
    for (Index i = 0; i < num_free; ++i) {
      mean[free[i]] = 0.0;
      for (Index j = 0; j < num_free; ++j) {
        double f = field.bias[free[j]];
        for (Index h = 0; h < 5; ++h)
          if (held[h]) f -= field.precision[free[j]][h] * at[h];
        mean[free[i]] += own[i][j] * f;
        covariance[free[i]][free[j]] = own[i][j];
      }
    }
  }
};

void check_field(const Field& field, const std::vector<std::uint8_t>& held_units) {
  const std::vector<double> at{2.0, 0.0, -0.75, 0.5, 1.25};
  HeldState held{Chains(field.model->layout(), 1), {}};
  for (Index i = 0; i < 5; ++i) held.state.write(LayerId{0})(0, i) = static_cast<Real>(at[i]);
  held.units.hold_units(LayerId{0}, 5, held_units);
  const Conditional exact(field, held_units, at);
  const LayerObservables what(*field.model, LayerId{0});
  const LocalObservables local(what, LocalObservables::Pairs::all);
  const StateSum sum(*field.model, what, executor, &held);
  for (const double beta : {0.5, 1.0, 3.0}) {
    CAPTURE(beta);
    const ExactAverages found = sum.at(beta, executor, &local);
    const auto k = static_cast<double>(exact.num_free);
    check_near(named(found.thermal, "energy"), field.energy(exact.mean) + 0.5 * k / beta);
    check_near(named(found.thermal, "specific_heat"), 0.5 * k / 5.0);
    REQUIRE(found.local);
    double mean = 0.0, squares = 0.0;
    for (Index i = 0; i < 5; ++i) {
      check_near(found.local->units[i].value, exact.mean[i]);
      mean += exact.mean[i] / 5.0;
      squares += exact.mean[i] * exact.mean[i] / 5.0;
    }
    check_near(named(found.thermal, "mean"), mean);
    check_near(found.local->squares[0].value, squares);  // edwards_anderson
    REQUIRE(found.local->pairs.size() == 10);
    for (Index p = 0; p < 10; ++p) {
      const auto [i, j] = local.pairs()[p];
      const double connected = exact.covariance[i][j] / beta;
      check_near(found.local->connected[p].value, connected);
      check_near(found.local->pairs[p].value, connected + exact.mean[i] * exact.mean[j]);
    }
  }
}

/// Three spins v that are coupled, and two Gaussian units h; h_0 is held at 1.5, and v_0 up where `spin_held`.
struct Mixture {
  std::unique_ptr<LayeredModel> model =
      random_model({{observed("v", 3, std::make_shared<SpinUnit>()), latent("h", 2, std::make_shared<GaussianUnit>())},
                    {{0, 0}, {0, 1}, {1, 1}},
                    {1}},
                   11, 0.25);
  double energy = 0.0, square = 0.0, spin[3] = {}, product = 0.0, h = 0.0, h_square = 0.0;

  /// By the trapezoidal rule over h_1, whose remainders are those of gaussian_averages_test.
  void integrate(double beta, bool spin_held) {
    constexpr double end = 20.0, step = 0.4;
    energy = square = product = h = h_square = 0.0;
    for (double& each : spin) each = 0.0;
    const Oracle oracle(*model);
    double z = 0.0;
    for (Oracle::State x : oracle.states(LayerSet().add(LayerId{0}))) {
      if (spin_held && x[0] < 0.0) continue;
      const Index first = oracle.first(LayerId{1});
      x[first] = 1.5;
      for (double value = -end; value <= end; value += step) {
        x[first + 1] = value;
        const double e = oracle.energy(x), weight = std::exp(-beta * e);
        z += weight;
        energy += weight * e;
        square += weight * e * e;
        for (Index i = 0; i < 3; ++i) spin[i] += weight * x[i];
        product += weight * x[0] * x[2];
        h += weight * value;
        h_square += weight * value * value;
      }
    }
    for (double* sum : {&energy, &square, &spin[0], &spin[1], &spin[2], &product, &h, &h_square}) *sum /= z;
  }
};

}  // namespace

TEST_CASE("held Gaussian units leave the others normal, by the inverse of their part of the precision matrix") {
  const Field field;
  check_field(field, {0, 0, 0, 0, 0});
  check_field(field, {1, 0, 0, 1, 0});
  check_field(field, {1, 1, 1, 1, 1});
  // The conditional law is not the marginal one.
  const Conditional one(field, {1, 0, 0, 0, 0}, {2.0, 0.0, 0.0, 0.0, 0.0});
  const Conditional none(field, {0, 0, 0, 0, 0}, {0.0, 0.0, 0.0, 0.0, 0.0});
  CHECK(std::abs(one.mean[1] - none.mean[1]) > 1e-3);
  CHECK(one.covariance[1][1] < none.covariance[1][1]);
}

TEST_CASE("beside spins, Gaussian units that are held weigh their states, and the others are integrated over") {
  Mixture exact;
  const EnergyModel& model = *exact.model;
  for (const bool spin_held : {false, true}) {
    HeldState held{Chains(model.layout(), 1), {}};
    held.state.write(LayerId{0})(0, 0) = Real{1};
    held.state.write(LayerId{1})(0, 0) = Real{1.5};
    held.units.hold_units(LayerId{1}, 2, {1, 0});
    if (spin_held) held.units.hold_units(LayerId{0}, 3, {1, 0, 0});
    const LayerObservables of_spins(model, LayerId{0}), of_h(model, LayerId{1});
    const LocalObservables spins(of_spins, LocalObservables::Pairs::all), h(of_h, LocalObservables::Pairs::all);
    const StateSum sum(model, of_spins, executor, &held), sum_of_h(model, of_h, executor, &held);
    CHECK(sum.num_states() == (spin_held ? 4 : 8));
    for (const double beta : {0.4, 1.0, 2.5}) {
      CAPTURE(beta);
      exact.integrate(beta, spin_held);
      const ExactAverages found = sum.at(beta, executor, &spins), found_h = sum_of_h.at(beta, executor, &h);
      for (const ExactAverages* each : {&found, &found_h}) {
        check_near(named(each->thermal, "energy"), exact.energy);
        check_near(named(each->thermal, "specific_heat"),
                   beta * beta * (exact.square - exact.energy * exact.energy) / 5.0);
      }
      for (Index i = 0; i < 3; ++i) check_near(found.local->units[i].value, exact.spin[i]);
      check_near(found.local->pairs[1].value, exact.product);  // of units 0 and 2
      CHECK(found_h.local->units[0].value == 1.5);             // as it is held, whatever probabilities add up to
      check_near(found_h.local->units[1].value, exact.h);
      check_near(found_h.local->pairs[0].value, 1.5 * exact.h);
      check_near(found_h.local->connected[0].value, 0.0);
      check_near(named(found_h.thermal, "mean_square"), 0.5 * (2.25 + exact.h_square));
    }
  }
}

}  // namespace held_gaussian_averages_test
