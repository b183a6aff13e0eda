// Sums over latent states against sums over everything that is free, continuous units by quadrature.
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/latent_mixture.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/poisson.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace latent_mixture_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Machine {
  std::string name;
  std::unique_ptr<LayeredModel> model;
  double states;    ///< that are summed over
  double size = 0;  ///< of the largest number that occurs in a sum; 0: that of an energy
};

/// A value that a unit may have, and the log of its measure.
struct Value {
  std::vector<double> x;
  double log_measure;
};

/// All values of a discrete unit; of a continuous one so many points that sums over them are integrals, but for less than
/// rounding: the trapezoid rule on a Gaussian with points σ/2 apart has a relative error of 2 exp(−8π²), and e^{−50} lies
/// further than 10 σ from the mean, which is at most |f|/γ.
std::vector<Value> values_of(const Oracle& oracle, LayerId layer, Index unit, double beta) {
  const UnitType& type = *oracle.layout()[layer].unit;
  std::vector<Value> values;
  if (type.name() == "poisson") {  // means stay below 5
    for (int n = 0; n <= 60; ++n) values.push_back({{double(n)}, -std::lgamma(n + 1.0)});
    return values;
  }
  if (type.name() == "gaussian") {
    const Index at = oracle.first(layer) + unit;
    double field = std::abs(oracle.bias[at]);
    for (Index j = 0; j < oracle.columns(); ++j) field += std::abs(oracle.coupling(at, j));
    const double sigma = 1.0 / std::sqrt(beta * oracle.gamma[at]), step = 0.5 * sigma;
    const double end = field / oracle.gamma[at] + 10.0 * sigma;
    for (double x = -end; x <= end; x += step) values.push_back({{x}, std::log(step)});
    return values;
  }
  std::vector<Real> states(type.num_states() * type.width());
  type.states({states.data(), type.num_states(), type.width(), type.width()});
  for (auto s = states.begin(); s != states.end(); s += static_cast<std::ptrdiff_t>(type.width()))
    values.push_back({{s, s + static_cast<std::ptrdiff_t>(type.width())}, 0.0});
  return values;
}

/// What the values of the units that `free` says come to, a byte a unit of all layers: the log of their sum, how many terms it has, and
/// by them the means of all columns and of their absolute values.
struct Sums {
  double log_sum = 0.0, terms = 0.0;
  std::vector<double> means, sizes;
};

Sums sums_over(const Oracle& oracle, const std::vector<std::uint8_t>& free, Oracle::State state, double beta) {
  struct Unit {
    Index at, value = 0;
    std::vector<Value> values;
  };
  std::vector<Unit> units;
  double seen = 0.0;  // log measure of what is seen
  Index number = 0;
  for (const LayerId l : oracle.layout().ids())
    for (Index u = 0; u < oracle.layout()[l].size; ++u, ++number) {
      const UnitType& type = *oracle.layout()[l].unit;
      const Index at = oracle.first(l) + u * type.width();
      if (free[number] != 0) units.push_back({at, 0, values_of(oracle, l, u, beta)});
      else if (type.name() == "poisson") seen -= std::lgamma(state[at] + 1.0);
    }
  std::vector<double> terms;
  std::vector<Oracle::State> states;
  while (true) {
    double measure = 0.0;
    for (const Unit& u : units) {
      std::ranges::copy(u.values[u.value].x, state.begin() + static_cast<std::ptrdiff_t>(u.at));
      measure += u.values[u.value].log_measure;
    }
    terms.push_back(measure - beta * oracle.energy(state));
    states.push_back(state);
    Index k = 0;
    while (k < units.size() && ++units[k].value == units[k].values.size()) units[k++].value = 0;
    if (k == units.size()) break;
  }
  const double all = logsumexp(terms);
  const std::vector<double> none(oracle.columns(), 0.0);
  Sums sums{seen + all, static_cast<double>(terms.size()), none, none};
  for (Index i = 0; i < terms.size(); ++i)
    for (Index c = 0; c < oracle.columns(); ++c) {
      sums.means[c] += std::exp(terms[i] - all) * states[i][c];
      sums.sizes[c] += std::exp(terms[i] - all) * std::abs(states[i][c]);
    }
  return sums;
}

/// Precisions of 1/2, 4 and so on in turn.
void set_precisions(LayeredModel& model) {
  const ParameterLayout& p = model.parameter_layout();
  model.update_parameters([&](std::span<Real> theta) {
    const MatrixRef log_gamma = p.view(p.find("log_precision.visible"), theta.data());
    for (Index i = 0; i < log_gamma.rows; ++i) log_gamma(i, 0) = static_cast<Real>(std::log(i % 2 == 0 ? 0.5 : 4.0));
  });
}

std::vector<Machine> machines() {
  std::vector<Machine> all;
  const auto add = [&](std::string name, std::unique_ptr<LayeredModel> model, double states, double spread = 1.0) {
    randomize(*model, 40 + all.size(), spread);
    all.push_back({std::move(name), std::move(model), states});
  };
  add("bits", make_rbm({.num_visible = 6, .num_hidden = 3}), 8);
  add("spins",
      make_rbm({.num_visible = 5,
                .num_hidden = 3,
                .visible_units = std::make_unique<SpinUnit>(),
                .hidden_units = std::make_unique<SpinUnit>()}),
      8);
  add("sites",
      make_rbm({.num_visible = 3,
                .num_hidden = 2,
                .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{4})}),
      4);
  add("labels", make_rbm({.num_visible = 4, .num_hidden = 3, .num_labels = 3}), 8);
  add("deep", make_deep({.num_visible = 4, .num_hidden = {2, 3}}), 4);
  add("coupled latent units",
      std::make_unique<LayeredModel>(LayerGraph{{observed("v", 4), latent("h", 3)}, {{0, 1}, {1, 1}}, {}}), 8);
  add("independent units", std::make_unique<LayeredModel>(LayerGraph{{observed("v", 4), latent("h", 2)}, {}, {}}), 1);
  add("counts", make_rbm({.num_visible = 2, .num_hidden = 2, .visible_units = std::make_unique<PoissonUnit>()}), 4,
      0.4);
  all.back().size = 1000.0;  // e^f, and values up to 10 times f
  add("real numbers", make_rbm({.num_visible = 3, .num_hidden = 3, .visible_units = std::make_unique<GaussianUnit>()}),
      8);
  set_precisions(*all.back().model);
  // f²/2γ, and γx²/2, at fields of up to 10 and values of up to 5.
  all.back().size = 200.0;
  return all;
}

/// Rows of which units are missing at random, at most two where units are not of a finite domain; what stands in the holes is no
/// number.
struct Holed {
  Chains rows;
  HeldMask seen;
  std::vector<std::vector<std::uint8_t>> free;  ///< of each row, a byte a unit of all layers
};

Holed holed(const Layout& layout, Index num_rows, unsigned seed) {
  std::mt19937 words(seed);
  Holed h{random_rows(layout, num_rows, seed), {}, std::vector<std::vector<std::uint8_t>>(num_rows)};
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    std::vector<std::uint8_t> seen(num_rows * layer.size, 0);
    for (Index r = 0; r < num_rows; ++r) {
      Index missing = 0;
      for (Index u = 0; u < layer.size; ++u) {
        const bool hole =
            layer.role == Role::latent || ((words() >> 31) != 0 && (layer.unit->num_states() > 0 || missing < 2));
        missing += hole ? 1 : 0;
        h.free[r].push_back(hole ? 1 : 0);
        seen[r * layer.size + u] = hole ? 0 : 1;
        for (Index c = 0; hole && c < layer.unit->width(); ++c)
          h.rows.write(l)(r, u * layer.unit->width() + c) = std::numeric_limits<Real>::quiet_NaN();
      }
    }
    if (layer.role == Role::observed) h.seen.hold_units(l, layer.size, std::move(seen));
  }
  return h;
}

}  // namespace

TEST_CASE("sums over latent states are those over all that is free, in double in both precisions") {
  const Executor executor(2);
  constexpr Index num_rows = 8;
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const auto mixture = LatentMixture::of(*m.model);
    REQUIRE(mixture.has_value());
    CHECK(static_cast<double>(mixture->num_states()) == m.states);
    const Holed h = holed(m.model->layout(), num_rows, 7);
    std::vector<Index> which{5, 0, 1, 2, 3, 4, 6, 7};
    for (const double beta : {1.0, 0.5}) {
      const std::vector<double> told = mixture->free_energies(h.rows, h.seen, which, beta, executor);
      for (Index i = 0; i < which.size(); ++i) {
        CAPTURE(which[i]);
        const Sums sums = sums_over(oracle, h.free[which[i]], oracle.state(h.rows, which[i]), beta);
        // Each term is a sum of fewer than 100 numbers of that size; the oracle adds so many of them.
        const double tolerance = rounding<double>(100, std::max(m.size, oracle.scale())) + rounding<double>(sums.terms);
        CHECK(std::abs(told[i] + sums.log_sum) <= tolerance);
      }
    }
  }
}

TEST_CASE("means of what was not seen are those over all that is free, by quadrature where it is real") {
  constexpr Index num_rows = 8;
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto mixture = LatentMixture::of(*m.model);
    REQUIRE(mixture.has_value());
    const Holed h = holed(layout, num_rows, 7);
    const std::vector<Index> which{5, 0, 1, 2, 3, 4, 6, 7};
    const Matrix<double> told = mixture->means(h.rows, h.seen, which, Executor(1));
    CHECK(mixture->means(h.rows, h.seen, which, Executor(3)) == told);
    double furthest = 0.0;  // of a mean from a value of the row without holes: or nothing was asked
    for (Index i = 0; i < which.size(); ++i) {
      CAPTURE(which[i]);
      const Sums sums = sums_over(oracle, h.free[which[i]], oracle.state(h.rows, which[i]), 1.0);
      // Weights are exp of energies, whose errors are as above; the mean of a unit is found in Real, from a field that is rounded to it.
      const double of_weights = rounding<double>(100, std::max(m.size, oracle.scale())) + rounding<double>(sums.terms);
      Index at = 0, unit = 0;
      for (const LayerId l : layout.ids()) {
        for (Index c = 0; c < layout[l].columns(); ++c) {
          if (layout[l].role == Role::latent) continue;
          const Index column = oracle.first(l) + c;
          const bool free = h.free[which[i]][unit + c / layout[l].unit->width()] != 0;
          if (!free) {
            CHECK(told(i, at++) == static_cast<double>(h.rows.read(l)(which[i], c)));
            continue;
          }
          const double size = 1.0 + sums.sizes[column];
          CHECK(std::abs(told(i, at) - sums.means[column]) <=
                (2.0 * of_weights + rounding<Real>(10, oracle.scale())) * size);
          furthest = std::max(furthest, std::abs(told(i, at++) - std::round(sums.means[column])));
        }
        unit += layout[l].size;
      }
    }
    CHECK(furthest > 0.05);
  }
}

TEST_CASE("means of latent units given what was seen are those over all that is free") {
  constexpr Index num_rows = 8;
  const std::vector<Index> which{5, 0, 1, 2, 3, 4, 6, 7};
  for (const Machine& m : machines()) {
    CAPTURE(m.name);
    const Oracle oracle(*m.model);
    const Layout& layout = m.model->layout();
    const auto mixture = LatentMixture::of(*m.model);
    REQUIRE(mixture.has_value());
    const Holed h = holed(layout, num_rows, 7);
    for (const LayerId l : layout.ids(layout.latent())) {
      const Matrix<double> told = mixture->latent_means(l, h.rows, h.seen, which, Executor(1));
      CHECK(mixture->latent_means(l, h.rows, h.seen, which, Executor(3)) == told);
      for (Index i = 0; i < which.size(); ++i) {
        const Sums sums = sums_over(oracle, h.free[which[i]], oracle.state(h.rows, which[i]), 1.0);
        const double of_weights =
            rounding<double>(100, std::max(m.size, oracle.scale())) + rounding<double>(sums.terms);
        for (Index c = 0; c < layout[l].columns(); ++c)
          CHECK(std::abs(told(i, c) - sums.means[oracle.first(l) + c]) <=
                2.0 * of_weights + rounding<Real>(10, oracle.scale()));
      }
    }
  }
}

TEST_CASE("complete rows have their free energy, many states come in pieces, and threads do not matter") {
  const auto model = random_rbm(5, 12, 3);
  const auto mixture = LatentMixture::of(*model);
  REQUIRE(mixture.has_value());
  CHECK(mixture->num_states() == 4096);
  CHECK(mixture->operations_of_row() == 4096.0 * 25.0);
  const Layout& layout = model->layout();
  const Chains rows = random_rows(layout, 40, 9);
  const HeldMask all(layout.observed());
  std::vector<Index> which(rows.size());
  std::iota(which.begin(), which.end(), Index{0});
  const std::vector<double> closed = free_energies(*model, rows, 1.0, Executor(1));
  const std::vector<double> told = mixture->free_energies(rows, all, which, 1.0, Executor(1));
  for (Index r = 0; r < rows.size(); ++r)
    CHECK(std::abs(told[r] - closed[r]) <= rounding<double>(100, size_of_parameters(*model)) + rounding<double>(4096));
  for (const int threads : {2, 3}) CHECK(mixture->free_energies(rows, all, which, 1.0, Executor(threads)) == told);
}

TEST_CASE("a model is no mixture where observed units are coupled, or latent ones have too many states") {
  CHECK_FALSE(LatentMixture::of(*make_fully_visible({.num_visible = 4})).has_value());
  CHECK_FALSE(LatentMixture::of(*make_semi_restricted({.num_visible = 4, .num_hidden = 2})).has_value());
  CHECK_FALSE(LatentMixture::of(*random_rbm(2, 17, 1)).has_value());
  CHECK(LatentMixture::of(*random_rbm(2, 16, 1)).has_value());
  const auto wide = random_rbm(2, 17, 1);
  CHECK(LatentMixture::latent_layers(*wide) == wide->layout().latent());
  CHECK_FALSE(LatentMixture::latent_layers(*make_semi_restricted({.num_visible = 4, .num_hidden = 2})).has_value());
  CHECK_FALSE(LatentMixture::of(
                  *make_rbm({.num_visible = 2, .num_hidden = 2, .hidden_units = std::make_unique<GaussianUnit>()}))
                  .has_value());
  const auto rbm = random_rbm(2, 2, 1);
  CHECK_FALSE(LatentMixture::of(Forwarding(*rbm)).has_value());  // offers no fields in double
}

}  // namespace latent_mixture_test
