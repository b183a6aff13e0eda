#pragma once

#include <optional>
#include <span>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The energy, in nats at β = 1, of some states that weigh e^log_weight together.
struct WeighedEnergy {
  double log_weight = 0.0, mean = 0.0, variance = 0.0;

  /// The product of two laws: what each adds to the energy is independent of the other.
  WeighedEnergy& operator+=(const WeighedEnergy& other) {
    log_weight += other.log_weight;
    mean += other.mean;
    variance += other.variance;
    return *this;
  }
};

/// All of them together. `parts` are not empty.
WeighedEnergy mixture(std::span<const WeighedEnergy> parts);

/// Of p(x) ∝ exp(−β E(x)).
struct EnergyMoments {
  double mean = 0.0, variance = 0.0;  ///< ⟨E⟩ and ⟨E²⟩ − ⟨E⟩², in nats and nats² at β = 1
  double least = 0.0;                 ///< min_x E(x); NaN where it was not looked for
  /// One row, a state of that energy; normal units at their means; absent where these are coupled with each other.
  std::optional<Chains> ground_state = {};
};

/// Whether all joint states of all units are so few that they are summed over: 2^24 at most.
bool has_few_states(const Layout& layout);

/// What an elimination may take for them. As it stands some seconds.
struct EliminationLimits {
  double table_bits = 20, work_bits = 26;  ///< log2 of the numbers in the largest table, and of the additions in all
  Index degeneracy = 12;                   ///< denser graphs leave no small tables, and an order is not looked for
  bool ground_state = true;                ///< whether a sweep of its own looks for the least energy

  static EliminationLimits none() { return {64, 64, 64, true}; }
};

/// Exactly, by a sum over all joint states of all units, over at most 2^16 of some layers given which the others are independent
/// (conditional_energies.hpp), or by elimination (elimination.hpp), whichever takes less. Units that
/// are normal given the others are integrated over, where the others have 2^24 states at most (state_energies.hpp). Throws
/// CapabilityError, with what would serve, where there are other continuous units, or more than 2^24 states and couplings that
/// are not so sparse that `limits` are kept. `display`, where given, is shown how far an elimination is.
EnergyMoments energy_moments(const EnergyModel& model, double beta, const Executor& executor,
                             const EliminationLimits& limits = {}, Display* display = nullptr);

/// Multiplications and additions that energy_moments takes, over states or over tables, of which a core makes fewer a second, and
/// what the tables take in memory; all 0 where it throws.
struct EnergyMomentsWork {
  double of_states = 0.0, of_tables = 0.0;
  double table_bytes = 0.0;
};
EnergyMomentsWork energy_moments_work(const EnergyModel& model, const EliminationLimits& limits = {});

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
