#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/descent.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/law.hpp>
#include <harmonium/tests/support/machines.hpp>

namespace descent_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);

}  // namespace

TEST_CASE("a descent ends in a local minimum at or below its start, found by enumeration") {
  for (const auto& model : {small_rbm(), small_general(), small_deep(), small_triangle(), small_visible()}) {
    const StateSpace space(model->layout());
    const std::vector<double> energy = energies(*model, space);
    std::vector<std::size_t> start(space.size());
    for (std::size_t s = 0; s < start.size(); ++s) start[s] = s;
    Chains chains(model->layout(), start.size());
    space.put(start, chains);
    descend(*model, chains, executor);
    const std::vector<std::size_t> end = space.read(chains);
    // Fields are summed in Real: what is lower by less than that is not seen.
    const double blur = rounding(100.0, 5.0);
    for (std::size_t s = 0; s < end.size(); ++s) {
      CHECK(energy[end[s]] <= energy[s] + blur);
      for (std::size_t u = 0; u < space.num_units(); ++u) {
        const std::size_t other =
            space.digit(end[s], u) == 0 ? end[s] + space.stride(u) : end[s] - space.stride(u);  // units of two states
        CHECK(energy[end[s]] <= energy[other] + blur);
      }
    }
  }
}

TEST_CASE("a descent leaves what is held, and goes through units of several columns and of a curvature") {
  for (const Example& m : example_models()) {
    CAPTURE(m.name);
    const Layout& layout = m.model->layout();
    const StateSpace space(layout);
    std::vector<std::size_t> start(space.size());
    for (std::size_t s = 0; s < start.size(); ++s) start[s] = s;
    Chains chains(layout, start.size());
    space.put(start, chains);
    const LayerId last = layout.id(layout.size() - 1);
    std::vector<std::uint8_t> bytes(start.size() * layout[last].size, 0);
    for (Index r = 0; r < start.size(); ++r) bytes[r * layout[last].size + r % layout[last].size] = 1;
    HeldMask held;
    held.hold_units(last, layout[last].size, bytes);
    if (layout.size() > 1) held.hold(layout.id(0));
    std::vector<double> before(start.size()), after(start.size());
    m.model->energy(chains, before);
    descend(*m.model, chains, executor, &held);
    m.model->energy(chains, after);
    const std::vector<std::size_t> end = space.read(chains);
    for (std::size_t s = 0; s < end.size(); ++s) {
      CHECK(after[s] <= before[s] + rounding(100.0, 5.0));
      for (std::size_t u = 0; u < space.num_units(); ++u) {
        const bool fixed = held.holds(space.layer_of(u)) ||
                           (space.layer_of(u) == last && bytes[s * layout[last].size + space.place_of(u)] != 0);
        if (fixed) CHECK(space.digit(end[s], u) == space.digit(s, u));
      }
    }
  }
}

TEST_CASE("a descent through continuous units is refused") {
  LayerGraph graph = binary_layers({3, 2}, {true, false}, {{0, 1}});
  graph.layers[0].unit = std::make_shared<GaussianUnit>();
  const LayeredModel continuous(graph);
  CHECK_THROWS_AS(check_descent(continuous), CapabilityError);
}

}  // namespace descent_test
