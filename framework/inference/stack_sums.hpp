#pragma once

#include <vector>

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Sums over the latent units of a stack (stacked_machines.hpp) at β = 1, machine by machine. With F_k the free energy of the observed
/// units of machine k, G_k that of its latent units and q_k its posterior, a product over units,
///   −A_k(h_{k−1}) = −F_k(h_{k−1}) + log Σ_{h_k} q_k(h_k | h_{k−1}) exp[G_k(h_k) − A_{k+1}(h_k)],   A_L = F_L,
/// and A_1 of the data is −log Σ_{h_1, …, h_L} exp(−E). Of q_k a sum over S states takes some 2 S operations a row, and what stands
/// behind it is found once for all rows.
class StackSums {
 public:
  /// `model` is a stack, whose layers between the data and the top machine's latent ones are of finite units: 8 bytes a state of each.
  /// Throws CapabilityError where they are not.
  StackSums(const EnergyModel& model, const Executor& executor);

  /// A_1 of each row.
  std::vector<double> free_energies(const Chains& rows, const Executor& executor) const;
  /// Multiplications and additions that a further row takes.
  static double operations(const EnergyModel& model);

 private:
  /// −A_k of rows of machine k.
  std::vector<double> log_sums(Index k, const Chains& rows, const Executor& executor) const;
  /// The numbers G_k(h_k) − A_{k+1}(h_k) of all states of h_k, in the order of JointStates.
  std::vector<double> log_weights_above(Index k, const Executor& executor) const;

  struct Between {
    std::vector<double> log_weights, weights;  ///< the latter are exp(log_weights − their largest)
    double largest = 0.0;
  };
  const EnergyModel* model_;
  const StackedMachines* stack_;
  std::vector<Between> between_;  ///< of machine k, that of its latent layers
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
