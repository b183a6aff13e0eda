#pragma once

#include <cstdint>
#include <vector>

#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/core/xtensor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The step size and the path of Hamiltonian Monte Carlo, adapted during a number of transitions.
///
/// In the first half the step size goes where the share of accepted proposals is the wanted one, by dual averaging (Nesterov 2009;
/// Hoffman & Gelman 2014, section 3.2.1, with their constants). In the second half paths of 1, 2, 4, … 64 leapfrog steps take
/// turns, and that is kept whose transitions change the squared distance from the mean m over the chains the most for what they cost,
///   Σ (‖q' − m‖² − ‖q − m‖²)² / number of leapfrog steps,
/// the criterion of Hoffman, Radul & Sountsov (2021): what changes that distance does not walk in circles. (Of a
/// single chain m is where it was.)
class HmcAdaptation {
 public:
  HmcAdaptation(double step_size, Index path, std::uint64_t transitions, double target_acceptance);

  double step_size() const { return step_size_; }
  Index path() const { return path_; }
  bool over() const { return age_ >= transitions_; }
  /// Whether the next transition is one in which paths are compared, so that all of the path is to be taken.
  bool comparing() const { return !over() && age_ >= half(); }
  /// What a transition came to: the share that was accepted, and where it began and ended, a row a chain.
  void learn(double acceptance, const Matrix<double>& before, const Matrix<double>& after);
  void state(StateArchive& archive);

 private:
  static constexpr Index num_paths = 7;
  std::uint64_t half() const { return (transitions_ + 1) / 2; }
  std::uint64_t of_each_path() const { return (transitions_ - half()) / num_paths; }
  void learn_step(double acceptance);
  void learn_path(const Matrix<double>& before, const Matrix<double>& after);
  /// Takes the path, or the best one, that the present transition is to have.
  void choose_path();

  std::uint64_t transitions_, age_ = 0;
  double target_, center_, error_sum_ = 0.0, mean_log_step_ = 0.0;
  double step_size_;
  Index path_;
  std::vector<double> scores_;  ///< of each path
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
