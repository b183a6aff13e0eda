#pragma once

#include <vector>

#include <harmonium/tests/support/stationarity.hpp>

namespace harmonium::testing {

/// The exact-start test of a sampler with a ladder of its own: the rows of a logical chain are drawn independently from
/// the laws of its rungs, moved, and counted at the rungs where they end. What must stay is the product of these laws.
struct LadderScenario {
  const EnergyModel& model;
  std::vector<double> betas;                      ///< of the rungs that the sampler is expected to have
  const EnergyModel* base = nullptr;              ///< of the laws
  std::vector<const EnergyModel*> machines = {};  ///< of the rungs, in place of temperatures: betas are all 1
  bool give_base = true;                          ///< to the target: false where the sampler makes it itself
  LayerSet held_layers = {};
  /// As in Scenario; the logical chains take them in turn. Held units start uniform, and alike in all rows of a chain.
  std::vector<std::vector<std::uint8_t>> held_units = {};
  Index steps = 3;
  Index batch = 500;  ///< logical chains that one call moves
  Index draws = 200'000;
  int threads = 1;
};

/// `law`: every row, or where something is held one row of each logical chain, as the others are not independent of it.
/// `pairs`: of rows at neighboring rungs of one chain, against independence; only where nothing is held.
Findings examine_ladder(Sampler& sampler, const LadderScenario& scenario);

}  // namespace harmonium::testing
