#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct AgingPlan {
  static constexpr Index num_chains = 128;
  Index num_steps = 2000;
  double beta = 1.0;
  /// k, where the model was trained by chains like these, from uniform draws, of so many steps.
  std::optional<Index> trained_steps = {};
  double false_alarm = 0.001;
};

/// All chains after `step` steps.
struct AgingPoint {
  Index step = 0;
  double energy = 0.0, error = 0.0;  ///< mean, and one standard error
  /// Root mean square over pairs of observed columns of E[x_i x_j] − that of the data; what noise of the chains adds is left out.
  double distance = 0.0;
};

struct AgingReport {
  std::vector<AgingPoint> points;  ///< at 1, 4, 16, ... steps, at k, and at the end
  /// Whether chains are closer to the data after k steps than at the end, beyond noise; nothing where k is not known or not
  /// among the steps, or where the data has fewer than 50 rows.
  std::optional<bool> out_of_equilibrium = {};
  double at_k = 0.0, at_end = 0.0;  ///< both distances
  /// A distance at the end from which `out_of_equilibrium` is true in 19 of 20 cases, the one after k steps being as it is.
  double told_from = 0.0;
};

/// Chains from uniform draws, watched as they go. A machine that was trained by chains of k steps which were far from its law
/// when they were counted may look like its data after k steps and no more later: it has learned a dynamics, not a law
/// (Decelle, Furtlehner & Seoane 2021). Throws ConfigError where `data`, states of the observed layers without holes, all of
/// one weight, has fewer than two rows.
AgingReport examine_aging(const EnergyModel& model, Sampler& sampler, const Chains& data, const AgingPlan& plan,
                          const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
