#include <cmath>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/latent_mixture.hpp>
#include <harmonium/framework/inference/rows_with_holes.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/oracle.hpp>

namespace rows_with_holes_test {

using namespace harmonium;
using namespace harmonium::testing;

/// Which units of each row are seen, a byte a unit by layers.
struct Seen {
  HeldMask mask;
  PerLayer<std::vector<std::uint8_t>> units;
};

/// Each unit with probability one half, but for a layer that is seen whole where there are several.
Seen half_seen(const Layout& layout, Index rows, unsigned seed) {
  std::mt19937 words(seed);
  Seen seen{{}, PerLayer<std::vector<std::uint8_t>>(layout.layers().size())};
  for (const LayerId l : layout.ids(layout.observed())) {
    std::vector<std::uint8_t> units(rows * layout[l].size);
    for (std::uint8_t& unit : units) unit = static_cast<std::uint8_t>(words() >> 31);
    seen.units[l] = units;
    seen.mask.hold_units(l, layout[l].size, std::move(units));
  }
  return seen;
}

/// Whether a state is row r as far as that is seen.
bool agrees(const Oracle& oracle, const Layout& layout, const Seen& seen, Index r, const Oracle::State& row,
            const Oracle::State& state) {
  for (const LayerId l : layout.ids(layout.observed()))
    for (Index u = 0; u < layout[l].size; ++u)
      for (Index c = 0; c < layout[l].unit->width(); ++c) {
        const Index column = oracle.first(l) + u * layout[l].unit->width() + c;
        if (seen.units[l][r * layout[l].size + u] != 0 && state[column] != row[column]) return false;
      }
  return true;
}

TEST_CASE("what was not seen of rows is summed out, whatever stands there, in every machine") {
  const Executor executor(2);
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(make_rbm({.num_visible = 5, .num_hidden = 4}));
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 4, .num_labels = 3}));
  machines.push_back(make_rbm({.num_visible = 2, .num_hidden = 10}));  // fewer ways than latent states
  machines.push_back(make_boltzmann_machine({.num_visible = 4, .num_hidden = 3}));
  machines.push_back(make_semi_restricted({.num_visible = 3, .num_hidden = 4, .num_labels = 2}));
  for (auto& model : machines) {
    randomize(*model, 5, 1.5);
    const Oracle oracle(*model);
    const Layout& layout = model->layout();
    const auto states = oracle.states(layout.observed());
    const Chains rows = oracle.chains(states);
    const Seen seen = half_seen(layout, states.size(), 11);
    const std::vector<double> ways = completions(layout, seen.mask, rows.size());
    for (const double beta : {1.0, 0.5}) {
      const std::vector<double> told = free_energies_of_seen(*model, rows, seen.mask, beta, executor);
      for (Index r = 0; r < states.size(); ++r) {
        double sum = 0.0, count = 0.0;
        for (const Oracle::State& state : states)
          if (agrees(oracle, layout, seen, r, states[r], state)) {
            sum += std::exp(-oracle.free_energy(layout.observed(), state, beta));
            count += 1.0;
          }
        CHECK(ways[r] == count);
        CHECK(std::abs(told[r] + std::log(sum)) <= rounding<double>(100, oracle.scale()));
      }
    }
  }
}

TEST_CASE("means of what was not seen are those over all ways to fill in a row, in every machine") {
  const Executor executor(2);
  std::vector<std::unique_ptr<LayeredModel>> machines;
  machines.push_back(make_rbm({.num_visible = 5, .num_hidden = 4}));
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 4, .num_labels = 3}));
  machines.push_back(make_rbm({.num_visible = 2, .num_hidden = 10}));  // by ways, and not over latent states
  machines.push_back(make_boltzmann_machine({.num_visible = 4, .num_hidden = 3}));
  machines.push_back(make_semi_restricted({.num_visible = 3, .num_hidden = 4, .num_labels = 2}));
  for (auto& model : machines) {
    randomize(*model, 5, 1.5);
    const Oracle oracle(*model);
    const Layout& layout = model->layout();
    const auto states = oracle.states(layout.observed());
    Chains rows = oracle.chains(states);
    const Seen seen = half_seen(layout, states.size(), 11);
    for (const LayerId l : layout.ids(layout.observed())) {  // what stands in the holes is no number
      const MatrixRef x = rows.write(l);
      for (Index r = 0; r < x.rows; ++r)
        for (Index c = 0; c < x.cols; ++c)
          if (seen.units[l][r * layout[l].size + c / layout[l].unit->width()] == 0)
            x(r, c) = std::numeric_limits<Real>::quiet_NaN();
    }
    const Matrix<double> told = means_of_seen(*model, rows, seen.mask, executor);
    CHECK(means_of_seen(*model, rows, seen.mask, Executor(3)) == told);
    for (Index r = 0; r < states.size(); ++r) {
      double sum = 0.0;
      std::vector<double> means(oracle.columns(), 0.0);
      for (const Oracle::State& state : states)
        if (agrees(oracle, layout, seen, r, states[r], state)) {
          const double weight = std::exp(-oracle.free_energy(layout.observed(), state));
          sum += weight;
          for (Index c = 0; c < means.size(); ++c) means[c] += weight * state[c];
        }
      Index at = 0;
      for (const LayerId l : layout.ids(layout.observed()))
        for (Index c = 0; c < layout[l].columns(); ++c, ++at) {
          const double mean = means[oracle.first(l) + c] / sum;
          const bool was_seen = seen.units[l][r * layout[l].size + c / layout[l].unit->width()] != 0;
          if (was_seen) CHECK(told(r, at) == states[r][oracle.first(l) + c]);
          // Weights are as exact as energies; over latent states the means of units are found in Real.
          else
            CHECK(std::abs(told(r, at) - mean) <= rounding<double>(200, oracle.scale()) + rounding(10, oracle.scale()));
        }
    }
  }
}

TEST_CASE("nothing seen is log Z, all seen the free energy, and ways come in pieces") {
  const Executor executor(2);
  const auto model = make_fully_visible({.num_visible = 13});
  randomize(*model, 3, 1.0);
  const Oracle oracle(*model);
  const Layout& layout = model->layout();
  const LayerId visible = layout.find("visible");
  Chains rows(layout, 3);
  for (Index c = 0; c < 13; ++c) rows.write(visible)(1, c) = rows.write(visible)(2, c) = static_cast<Real>(c % 2);
  std::vector<std::uint8_t> units(3 * 13, 0);  // 8192 ways, one way, 8192 ways
  std::fill_n(units.begin() + 13, 13, 1);
  HeldMask seen;
  seen.hold_units(visible, 13, units);
  const std::vector<double> told = free_energies_of_seen(*model, rows, seen, 1.0, executor);
  const double tolerance = rounding<double>(10000, oracle.scale());
  CHECK(std::abs(told[0] + oracle.log_z()) <= tolerance);
  CHECK(std::abs(told[1] - free_energies(*model, rows, 1.0, executor)[1]) <= tolerance);
  CHECK(std::abs(told[2] - told[0]) <= tolerance);
  CHECK(operations_of_seen(*model, seen, 3) == 16385.0 * free_energy_operations(*model));
  for (const int threads : {1, 3}) CHECK(free_energies_of_seen(*model, rows, seen, 1.0, Executor(threads)) == told);
}

TEST_CASE("with few latent states any units may be missing, and they are summed over where that takes less") {
  const Executor executor(2);
  const auto wide = make_rbm({.num_visible = 17, .num_hidden = 1});
  randomize(*wide, 6, 1.0);
  const Oracle oracle(*wide);
  const LayerId visible = wide->layout().find("visible");
  std::vector<std::uint8_t> units(3 * 17, 0);  // 131072 ways, one way, two ways
  std::fill_n(units.begin() + 17, 2 * 17 - 1, 1);
  HeldMask seen;
  seen.hold_units(visible, 17, units);
  const Chains rows(wide->layout(), 3);
  const std::vector<double> told = free_energies_of_seen(*wide, rows, seen, 1.0, executor);
  CHECK(std::abs(told[0] + oracle.log_z()) <= rounding<double>(100, oracle.scale()) + rounding<double>(262144));
  CHECK(told[1] == free_energies(*wide, rows, 1.0, executor)[1]);
  const auto mixture = LatentMixture::of(*wide);
  REQUIRE(mixture.has_value());
  const double of_row = mixture->operations_of_row(), of_way = free_energy_operations(*wide);
  REQUIRE(of_row < 2.0 * of_way);
  CHECK(operations_of_each_seen(*wide, seen, 3) == std::vector<double>{of_row, of_way, of_row});
  CHECK(operations_of_seen(*wide, seen, 3) == 2.0 * of_row + of_way + mixture->operations_of_states());

  const auto tall = make_rbm({.num_visible = 2, .num_hidden = 10});
  HeldMask half;
  half.hold_units(visible, 2, {1, 0});
  CHECK(operations_of_seen(*tall, half, 1) == 2.0 * free_energy_operations(*tall));
  CHECK(bytes_of_seen(*tall) >= LatentMixture::of(*tall)->bytes());

  const auto real = make_rbm({.num_visible = 2, .num_hidden = 2, .visible_units = std::make_unique<GaussianUnit>()});
  const std::vector<Index> first{0};
  const Chains zero(real->layout(), 1);
  CHECK(free_energies_of_seen(*real, zero, half, 1.0, executor) ==
        LatentMixture::of(*real)->free_energies(zero, half, first, 1.0, executor));
}

TEST_CASE("real numbers and too many ways are not summed over where latent states are too many as well") {
  const Executor executor(1);
  const auto real = make_rbm({.num_visible = 2, .num_hidden = 17, .visible_units = std::make_unique<GaussianUnit>()});
  HeldMask seen;
  seen.hold_units(real->layout().find("visible"), 2, {1, 0, 1, 1});
  CHECK(completions(real->layout(), seen, 2) == std::vector<double>{std::numeric_limits<double>::infinity(), 1.0});
  CHECK(std::isinf(operations_of_seen(*real, seen, 2)));
  CHECK_THROWS_AS(free_energies_of_seen(*real, Chains(real->layout(), 2), seen, 1.0, executor), CapabilityError);
  const auto wide = make_rbm({.num_visible = 17, .num_hidden = 17});
  CHECK(completions(wide->layout(), {}, 1) == std::vector<double>{131072.0});
  CHECK_THROWS_WITH_AS(free_energies_of_seen(*wide, Chains(wide->layout(), 1), {}, 1.0, executor),
                       "row 0 can be filled in in 131072 ways, and at most 65536 are summed over, or so many latent "
                       "states given which the observed units are independent.",
                       CapabilityError);
}

}  // namespace rows_with_holes_test
