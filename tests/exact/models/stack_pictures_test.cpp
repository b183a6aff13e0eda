// What pictures of a stack show: means of the observed units given the latent ones that they were drawn from.
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/run/picture_walk.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/stack.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/top_down.hpp>
#include <harmonium/tests/support/oracle.hpp>
#include <harmonium/tests/support/stack_oracle.hpp>

namespace stack_pictures_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// With labels beside categorical sites in the first machine, whose layers have other numbers in the stack.
std::unique_ptr<Stack> small_stack() {
  std::vector<std::unique_ptr<EnergyModel>> machines;
  machines.push_back(make_rbm({.num_visible = 2,
                               .num_hidden = 3,
                               .num_labels = 2,
                               .visible_units = std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3})}));
  machines.push_back(make_rbm({.num_visible = 3, .num_hidden = 2}));
  for (Index k = 0; k < machines.size(); ++k) randomize(*machines[k], 30 + k);
  return std::make_unique<Stack>(StackOptions{std::move(machines)});
}

}  // namespace

TEST_CASE("a look at chains of a stack has the means of its observed units given those of the layer above") {
  constexpr double tolerance = 4000 * std::numeric_limits<Real>::epsilon();
  constexpr Index count = 6;
  const auto stack = small_stack();
  const StackOracle loops(*stack);
  const Layout& layout = stack->layout();
  const Executor executor(2);
  const Execution execution{executor, RandomSource{3, 0}};
  TopDownOptions options;
  options.sampler = std::make_unique<Gibbs>();
  TopDown sampler(std::move(options));
  PictureWalk walk(*stack, sampler, {.count = count}, execution);
  walk.advance(5);

  std::vector<double> states, means;
  CHECK_FALSE(walk.look(layout.ids(), PictureWalk::Shown::states, states));
  const std::vector<LayerId> observed = layout.ids(layout.observed());
  REQUIRE(walk.look(observed, PictureWalk::Shown::means, means));
  const Index all = layout.columns(layout.all()), columns = layout.columns(layout.observed());
  REQUIRE(states.size() == count * all);
  REQUIRE(means.size() == count * columns);
  for (Index r = 0; r < count; ++r) {
    const auto begin = states.begin() + static_cast<std::ptrdiff_t>(r * all);
    const Oracle::State x(begin, begin + static_cast<std::ptrdiff_t>(all));
    std::vector<double> expected(columns, 0.0);
    loops.all.for_each(layout.observed(), x, [&](const Oracle::State& s) {
      const double p = std::exp(loops.log_down(0, s));
      Index c = 0;
      for (const LayerId l : observed)
        for (Index k = 0; k < layout[l].columns(); ++k, ++c) expected[c] += p * s[loops.all.first(l) + k];
    });
    for (Index c = 0; c < columns; ++c) CHECK(std::abs(means[r * columns + c] - expected[c]) < tolerance);
  }
}

}  // namespace stack_pictures_test
