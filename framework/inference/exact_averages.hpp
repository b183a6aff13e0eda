#pragma once

#include <vector>

#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// How likely the magnetization is m.
struct MagnetizationShare {
  double m = 0.0, share = 0.0;
};

/// What a sum over all states comes to at one temperature.
struct ExactAverages {
  ThermalAverages thermal;  ///< those of averages_of, with errors of 0; of Kind::numbers without the overlap
  std::vector<MagnetizationShare> magnetizations;  ///< P(m) of spins of any size, of each m that there is
};

/// The averages of thermal_averages.hpp without chains: sums over all joint states of all units, in double. The same bits for any
/// number of threads.
class StateSum {
 public:
  /// So many states, 2^24, take seconds a temperature.
  static constexpr double most_bits = 24;
  /// What it holds while it works, 8 bytes each: energies, probabilities, and those of the layer twice.
  static double bytes(const EnergyModel& model, const LayerObservables& what);

  /// Computes all energies, once for all temperatures. `model` and `what` must outlive it. Throws CapabilityError where units are
  /// continuous or there are more than 2^most_bits states, NumericalError where an energy is no number.
  StateSum(const EnergyModel& model, const LayerObservables& what, const Executor& executor);

  std::uint64_t num_states() const { return energies_.size(); }
  ExactAverages at(double beta, const Executor& executor) const;

 private:
  std::vector<double> law(double beta, const Executor& executor) const;
  void add_energy(double beta, const std::vector<double>& law, const Executor& executor, ThermalAverages& out) const;
  std::vector<double> law_of_layer(std::vector<double> law, const Executor& executor) const;

  const EnergyModel& model_;
  const LayerObservables& what_;
  JointStates of_layer_;
  Index inner_ = 1;               ///< states of the layers that change faster than it
  std::vector<double> energies_;  ///< above the lowest
  double lowest_ = 0.0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
