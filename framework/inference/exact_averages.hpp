#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/inference/conditional_energies.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/local_averages.hpp>
#include <harmonium/framework/inference/normal_moments.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How likely the magnetization is m.
struct MagnetizationShare {
  double m = 0.0, share = 0.0;
};

/// What a sum over all states comes to at one temperature.
struct ExactAverages {
  /// Those of averages_of, with errors of 0. The overlap of spins of any size and of sites alone, and not where many levels have a
  /// law of it that takes long.
  ThermalAverages thermal;
  std::vector<MagnetizationShare> magnetizations;  ///< P(m) of spins of any size, of each m that there is
  std::optional<LocalAverages> local;              ///< where they were asked for
  /// log Z in nats, but for what no β changes: the integrals over normal units count as β^(−k/2), and are infinite at β = 0.
  double log_z_but_constant = 0.0;
};

/// The averages of thermal_averages.hpp without chains: sums over all joint states of all units, in double, or over those that
/// agree with what is held. Units that are normal given the others are integrated over (state_energies.hpp) unless they are held,
/// so that ⟨E⟩ is infinite at β = 0. Of a layer of these there are the averages that follow from first and second moments (normal_moments.hpp):
/// mean, mean_square, overlap, squared_overlap, and those of pairs. The same bits for any number of threads.
///
/// Where joint states are many, the sum is over those of the layer, and of as few others as leave the rest independent, which is
/// summed out given these (conditional_energies.hpp): all averages but those of the energy are of the law of the layer.
class StateSum {
 public:
  /// So many states, 2^24, take seconds a temperature.
  static constexpr double most_bits = 24;
  /// Up to so many joint states, 2^16, are summed over one by one, each energy once for all temperatures.
  static constexpr double joint_bits = 16;
  /// The layers whose states are summed over, those of all units that have states unless these are more than 2^`joint`.
  static LayerSet summed_over(const EnergyModel& model, LayerId layer, double joint = joint_bits);
  /// log₂ of how many that are, infinity where units are continuous and not normal given the others.
  static double log2_states(const EnergyModel& model, LayerId layer);
  /// What it takes while it works, 8 bytes each: energies, with normal units twice, probabilities, and those of the layer twice.
  static double bytes(const EnergyModel& model, const LayerObservables& what);

  /// Computes the energies of joint states, once for all temperatures. `model` and `what` must outlive it; `held` may be null. Throws
  /// CapabilityError where units are continuous and not normal given the others, or there are more than
  /// 2^most_bits states, or as NormalMoments does; NumericalError where an energy is no number.
  StateSum(const EnergyModel& model, const LayerObservables& what, const Executor& executor,
           const HeldState* held = nullptr, double joint = joint_bits);

  /// Those that are summed over.
  std::uint64_t num_states() const { return num_states_; }
  /// The layers whose states they are.
  LayerSet summed_over() const { return counted_; }
  /// Of the states that are summed over.
  double lowest_energy() const { return lowest_; }
  /// Whether there are normal units besides.
  bool integrates() const { return num_normal_ > 0.0; }
  /// With those of units and pairs, where `local` is not null.
  ExactAverages at(double beta, const Executor& executor, const LocalObservables* local = nullptr) const;

 private:
  void find_energies(const Executor& executor, const HeldState* held);
  void leave_out(const HeldState& held, const Executor& executor);
  bool counts(Index state) const { return agrees_.empty() || agrees_[state]; }
  std::vector<double> law(double beta, const Executor& executor, WeighedEnergy& energy) const;
  void add_energy(double beta, const WeighedEnergy& energy, ThermalAverages& out) const;
  void add_normal(const NormalMoments::At& moments, ThermalAverages& out) const;
  std::vector<double> law_of_layer(std::vector<double> law, const Executor& executor) const;

  const EnergyModel& model_;
  const LayerObservables& what_;
  LayerSet counted_;                          ///< layers whose states are summed over
  JointStates states_;                        ///< of these
  std::optional<ConditionalEnergies> given_;  ///< where other units that have states are summed out
  double num_normal_ = 0.0;                   ///< units of the others that are not held
  std::optional<NormalMoments> normal_;       ///< where the layer is of normal units, or such are held
  JointStates of_layer_;
  Index inner_ = 1;                   ///< states of the layers that change faster than it
  std::vector<double> energies_;      ///< of joint states: above the lowest that counts, normal units at their means
  std::vector<std::uint8_t> agrees_;  ///< of each state, with what is held; empty: nothing is
  std::uint64_t num_states_ = 0;
  double lowest_ = 0.0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
