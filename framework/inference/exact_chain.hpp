#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The Markov chain of the sampler 'gibbs' (systematic scan) on a small model of discrete units, exactly: its laws are
/// tables, and nothing is drawn. All probabilities are those of θ as it was when this was made, from the model's energies
/// in double.
///
/// Where the observed units are independent given the latent ones and the reverse (an RBM), a state is one of the observed
/// layers, a transition is x → h → x', and it has the two halves P(h | x) and P(x | h). Otherwise a state is one of all
/// layers, and a transition visits the model's blocks in their order.
class ExactChain {
 public:
  /// log₂ of the numbers in the largest table, infinity where a layer is continuous: for checks and budgets.
  static double log2_entries(const EnergyModel& model);
  /// Throws CapabilityError where the model offers no block conditionals, a layer is continuous, or a table would have
  /// more than 2^`most_bits` entries (8 bytes each; there are two or three).
  explicit ExactChain(const EnergyModel& model, double most_bits = 24, const Executor& executor = Executor(1));

  const EnergyModel& model() const { return *model_; }
  /// The states in the order of their numbers, a row each; only the layers of space() are meant.
  const Chains& states() const { return states_; }
  const JointStates& space() const { return space_; }
  Index num_states() const { return states_.size(); }
  double log_z() const { return log_z_; }
  /// P of each state, under the model.
  std::span<const double> stationary() const { return stationary_; }
  /// log P of each state.
  std::span<const double> log_stationary() const { return log_stationary_; }

  bool has_halves() const { return halves_.size() == 2; }
  /// P(h | x), a row a state; has_halves() only.
  const Matrix<double>& latent_given_observed() const { return halves_[0]; }
  /// P(x | h), a row a state of latent_space(); has_halves() only.
  const Matrix<double>& observed_given_latent() const { return halves_[1]; }
  const JointStates& latent_space() const { return latent_space_; }

  /// The matrix of one transition: row s is the law of the state after s.
  Matrix<double> transition_matrix() const;
  /// laws ← the laws one transition later; a row a law over the states.
  void advance(Matrix<double>& laws) const;
  /// The laws of X_1: row r has the observed layers that row r of `rows` has, and latent units, where they are part of a
  /// state, from their posterior. Throws CapabilityError where a value is no state of its unit.
  Matrix<double> start(const Chains& rows) const;
  /// The laws of X_t given x_1 = the rows: start(rows) after t − 1 transitions.
  Matrix<double> laws(const Chains& rows, Index t) const;

  /// The second largest modulus of an eigenvalue of the transition matrix: the rate at which laws approach the model's. With
  /// halves the matrix is reversible and positive semidefinite, and this is an eigenvalue. Takes the cube of num_states().
  double second_eigenvalue() const;

  /// ∂E/∂θ given each state, latent units that are no part of it at their posterior means: ∂F/∂θ of the observed state
  /// with halves. A row a state, a column a parameter.
  Matrix<double> energy_gradients() const;

 private:
  void make_halves(const Executor& executor);
  void make_matrix(const Executor& executor);
  void set_stationary(std::vector<double> log_weights);

  const EnergyModel* model_;
  JointStates space_, latent_space_;
  Chains states_;
  double log_z_ = 0.0;
  std::vector<double> stationary_, log_stationary_;
  std::vector<Matrix<double>>
      halves_;  ///< what laws are multiplied by, one after the other: P(h | x), P(x | h); or all in one
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
