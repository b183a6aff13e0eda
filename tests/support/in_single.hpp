#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium::testing {

/// Of tests that count over hundreds of seeds how often an interval contains what it should: that does not hang on the precision, and
/// other tests hold the figures themselves against exact ones in both.
inline constexpr bool in_single = sizeof(Real) == sizeof(float);

/// Draws of an exact-start test that takes `draws` in double. In single precision a quarter, which sees errors twice as large:
/// samplers are the same source in both, and kernels are held to their definitions by tests without noise.
constexpr Index draws_here(Index draws) { return in_single ? draws / 4 : draws; }

/// The scenario with as many draws as this precision takes.
template <class Scenario>
Scenario drawn_here(Scenario scenario) {
  scenario.draws = draws_here(scenario.draws);
  return scenario;
}

}  // namespace harmonium::testing
