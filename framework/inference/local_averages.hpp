#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/inference/joint_states.hpp>
#include <harmonium/framework/inference/local_sums.hpp>
#include <harmonium/framework/inference/normal_moments.hpp>
#include <harmonium/framework/inference/thermal_averages.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A mean of one unit or pair.
struct LocalAverage {
  double value = 0.0, error = 0.0;
  bool long_enough = true;  ///< as in ThermalAverage
};

/// What LocalObservables come to at one temperature.
struct LocalAverages {
  std::vector<LocalAverage> units;        ///< ⟨v_ia⟩: unit × numbers_of_unit()
  std::vector<LocalAverage> pairs;        ///< ⟨Σ_a v_ia v_ja⟩
  std::vector<LocalAverage> connected;    ///< the same less Σ_a ⟨v_ia⟩⟨v_ja⟩
  std::vector<LocalAverage> frequencies;  ///< ⟨v_ia v_jb⟩: pair × a × b, where they are measured
  /// edwards_anderson, Σ_ia ⟨v_ia⟩²/n (Edwards & Anderson 1975), which is ⟨q⟩ of two replicas; and, where couplings join pairs,
  /// link_overlap, the mean over these of ⟨Σ_a v_ia v_ja⟩². Their time is NaN, for no series is left.
  std::vector<ThermalAverage> squares;
};

/// The averages that chains leave. Errors are those of ChainJackknife. A square of a mean is estimated by means of different chains,
/// ⟨v⟩² = Σ_{c≠d} v̄_c v̄_d / (C (C − 1)), which has no bias (replica_squares.hpp).
///
/// All are doubted where one of `others`, those of the temperature, is: a unit leaves no time of its own; but ⟨Σ_a v_ia v_ja⟩ and
/// link_overlap only where one is that is not odd. So is besides what has two values where its chains differ by more than an R-hat of
/// 1.05, and then the squares. The same bits for any number of threads.
LocalAverages local_averages_of(const LocalSums& sums, const ThermalAverages& others, const Executor& executor);

/// Those of a law: `probabilities` of the states of the layer, in their order. Without errors; 0 where all but rounding cancels. The
/// same bits for any number of threads.
LocalAverages exact_local_averages(const Layout& layout, const LocalObservables& what, const JointStates& states,
                                   const std::vector<double>& probabilities, const Executor& executor);
/// Those of a layer of units that are normal given the rest, by its moments.
LocalAverages normal_local_averages(const LocalObservables& what, const NormalMoments::At& moments);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
