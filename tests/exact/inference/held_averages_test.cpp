// The averages of `observe --exact --clamp` beside loops over the states that agree with what is held.
#include <algorithm>
#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/exact_averages.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/spins.hpp>

#include "state_loops.hpp"

namespace held_averages_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::state_loops;

namespace {

const Executor executor(2);

/// A unit, and its s as in Weighted.
struct Hold {
  LayerId layer;
  Index unit;
  double s;
};

HeldState held_state(const EnergyModel& model, const std::vector<Hold>& holds) {
  const Layout& layout = model.layout();
  HeldState held{Chains(layout, 1), {}};
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    const Index width = layer.unit->width();
    std::vector<std::uint8_t> units(layer.size, 0);
    for (const Hold& hold : holds) {
      if (hold.layer != l) continue;
      units[hold.unit] = 1;
      const MatrixRef x = held.state.write(l);
      if (width > 1) x(0, hold.unit * width + static_cast<Index>(hold.s)) = Real{1};
      else x(0, hold.unit) = static_cast<Real>(layer.unit->min() < 0.0 ? hold.s : 0.5 * (hold.s + 1.0));
    }
    if (std::ranges::count(units, 1) == static_cast<std::ptrdiff_t>(layer.size)) held.units.hold(l);
    else if (std::ranges::count(units, 1) > 0) held.units.hold_units(l, layer.size, std::move(units));
  }
  return held;
}

/// The law of the states that agree with all of `holds`.
std::vector<Weighted> given(const EnergyModel& model, const std::vector<Hold>& holds, LayerId layer, double beta) {
  std::vector<Weighted> law = law_of(model, layer, beta);
  for (const Hold& hold : holds) {
    const std::vector<Weighted> other = law_of(model, hold.layer, beta);  // the same states in the same order
    for (Index i = 0; i < law.size(); ++i)
      if (other[i].units[hold.unit] != hold.s) law[i].probability = 0.0;
  }
  std::erase_if(law, [](const Weighted& w) { return w.probability == 0.0; });
  const double all = mean(law, [](const Weighted&) { return 1.0; });
  for (Weighted& w : law) w.probability /= all;
  return law;
}

}  // namespace

TEST_CASE("sums given what is held are those of loops over the states that agree: units, sites, whole layers") {
  struct Case {
    std::unique_ptr<EnergyModel> model;
    std::vector<Hold> holds;
  };
  Case cases[4];
  cases[0] = {small_spin_rbm(), {{LayerId{0}, 1, 1.0}, {LayerId{0}, 4, -1.0}, {LayerId{1}, 2, -1.0}}};
  cases[1] = {small_potts(), {{LayerId{0}, 1, 2.0}}};
  cases[2] = {small_categorical(), {{LayerId{1}, 0, 1.0}, {LayerId{1}, 1, -1.0}, {LayerId{1}, 2, 1.0}}};
  cases[3] = {small_deep(), {{LayerId{2}, 0, 1.0}, {LayerId{0}, 2, -1.0}}};
  for (const Case& one : cases) {
    const EnergyModel& model = *one.model;
    const HeldState held = held_state(model, one.holds);
    for (const LayerId layer : model.layout().ids()) {
      CAPTURE(model.layout()[layer].name);
      const LayerObservables what(model, layer);
      // All states one by one, and with the units of other layers summed out, held ones among them.
      const StateSum sum(model, what, executor, &held), few(model, what, executor, &held, 0.0);
      for (const double beta : {0.0, 1.0, 2.5}) {
        CAPTURE(beta);
        const std::vector<Weighted> law = given(model, one.holds, layer, beta);
        CHECK(sum.num_states() == law.size());
        check_averages(sum.at(beta, executor), by_loops(model, layer, beta, law));
        check_averages(few.at(beta, executor), by_loops(model, layer, beta, law));
      }
    }
    // The law itself is another one.
    const LayerObservables what(model, LayerId{0});
    const double free = StateSum(model, what, executor).at(1.0, executor).thermal.averages[0].value;
    const double bound = StateSum(model, what, executor, &held).at(1.0, executor).thermal.averages[0].value;
    CHECK(std::abs(free - bound) > 1e-6);
  }
}

TEST_CASE("a sum given what is almost never so has its averages, however far its energies are above the lowest") {
  // Two spins joined by 1000, held apart: the energy of the only two states that agree is 1000 + and - 0.5 of the third.
  const auto model = spins_on({3, {{0, 1, 1000.0}, {1, 2, 0.5}}});
  const HeldState held = held_state(*model, {{LayerId{0}, 0, 1.0}, {LayerId{0}, 1, -1.0}});
  const LayerObservables what(*model, LayerId{0});
  const auto averages = StateSum(*model, what, executor, &held).at(1.0, executor).thermal.averages;
  CHECK(averages[0].value == doctest::Approx(1000.0 - 0.5 * std::tanh(0.5)).epsilon(1e-12));
  const auto m = std::ranges::find(averages, "magnetization", &ThermalAverage::name);
  REQUIRE(m != averages.end());
  CHECK(m->value == doctest::Approx(-std::tanh(0.5) / 3.0).epsilon(1e-12));
}

}  // namespace held_averages_test
