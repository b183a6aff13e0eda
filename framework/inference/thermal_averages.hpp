#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/inference/flip_symmetry.hpp>
#include <harmonium/framework/inference/thermal_series.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An average over chains and time, or a function of some.
struct ThermalAverage {
  std::string name;
  double
      value = 0.0,
      error =
          0.0;  ///< one standard error: the larger of the jackknife's over blocks and, of 4 chains or more, over chains
  double time =
      1.0;  ///< integrated autocorrelation time of what it is the mean of to first order, in steps, by batch means
  double r_hat = 1.0;       ///< of the same
  bool long_enough = true;  ///< whether the error can be believed
  bool odd =
      false;  ///< needs the sign or the state of an order that a flip changes, the law being the same after it (flip_symmetry.hpp)
  /// The same time by a window over all chains (windowed_time.hpp), which scatters less; nothing where the series do not tell it,
  /// R-hat among what speaks against them.
  std::optional<NumberWithError> windowed_time = {};
};

/// How often the overlap is in [low, high]; at most 101 of them, as far apart on either side of the middle.
struct OverlapShare {
  double low = 0.0, high = 0.0;
  double share = 0.0, error = 0.0;  ///< of all pairs and steps; the error is NaN where none was there
  double width = 0.0;               ///< of q: of values that can be told apart, their number times their distance
  bool long_enough =
      true;  ///< the series of the bin, as of an average, with 25 times in it or more that are independent
};

struct ThermalAverages {
  double beta = 1.0;
  std::vector<ThermalAverage> averages;
  std::vector<OverlapShare> overlaps;
  std::vector<ThermalAverage> correlations = {};  ///< of LayerObservables::distances()
  std::vector<ThermalAverage> witnesses = {};     ///< that are not told, and doubt the others as these do
};

/// (p max share − 1)/(p − 1) of p states, whose shares are measured at the same times.
std::vector<double> potts_order(std::span<const std::vector<double>> shares);

/// The second-moment correlation length in sites, √(S(0)/S(k) − 1)/(2 sin(k/2)), of the structure factor at the least wave number k but 0;
/// NaN where S(k) is the larger one, or 0.
double correlation_length(double at_zero, double at_least, double wave_number);

/// Chains whose R-hat is larger are in different places.
inline constexpr double most_r_hat_of_averages = 1.05;

/// What one temperature's series come to, n being the units of the layer and N those of all layers:
///   energy ⟨E⟩, energy_per_unit ⟨E⟩/N, specific_heat β² (⟨E²⟩ − ⟨E⟩²)/N;
/// of spins of any size: magnetization ⟨m⟩, abs_magnetization ⟨|m|⟩, squared_magnetization ⟨m²⟩,
///   susceptibility β n (⟨m²⟩ − ⟨m⟩²), the response of ⟨m⟩ to a field on every unit;
///   abs_susceptibility β n (⟨m²⟩ − ⟨|m|⟩²), which peaks at a transition of finite systems;
///   binder_cumulant 1 − ⟨m⁴⟩/(3 ⟨m²⟩²) (Binder 1981): 0 of a Gaussian law, 2/3 of two sharp peaks;
/// of units of one column but those of two states mean_square ⟨Σ x²/n⟩; of other units: mean, or the shares of the states and,
/// with p of them, potts_order ⟨o⟩ of o = (p max share − 1)/(p − 1) and
///   potts_susceptibility β n (⟨o²⟩ − ⟨o⟩²);
/// then overlap ⟨q⟩, abs_overlap ⟨|q|⟩, squared_overlap ⟨q²⟩ of two replicas, and pair_correlation, or pair_delta of sites; of
/// spins also
///   structure_factor ⟨S(k)⟩ of LayerObservables::least_wave_number(), where there is one, and correlation_length with
///   S(0) = n (⟨m²⟩ − ⟨m⟩²), of which ⟨m⟩ is 0 where the law has a flip symmetry; and the averages of m of the staggered magnetization, by "staggered_" before their names, with S(k) and ξ of ε_i s_i;
///   spin_glass_susceptibility n ⟨q²⟩ and overlap_binder ½ (3 − ⟨q⁴⟩/⟨q²⟩²) (Bhatt & Young 1985): 0 of a Gaussian law, 1 of ±q.
///
/// An average is called long enough where each chain has 50 autocorrelation times and each block of the jackknife 5 of them, and
/// R-hat is at most 1.05, and something changed: of constant series an error of 0 would say nothing of states that were not met;
/// ⟨q⟩ only where the first of the layer's numbers is. The time that decides is that of batch means (Meketon & Schmeiser 1984): they see more of a slow mode that is a small part of the
/// fluctuation than a window that closes before it.
/// doubt_by_slowest (slowest_time.hpp) then looks at all averages together. Numbers that differ by rounding alone are constant.
///
/// Of a law with a flip symmetry ⟨m⟩, the susceptibility, which takes ⟨m⟩² off, and ⟨q⟩ are odd, and cast no doubt on the others;
/// of sites the shares of the states and all averages of q. Valleys that no permutation of the states joins are then seen by a
/// witness, the mean of LayerObservables::joint_overlap.
ThermalAverages averages_of(const ThermalSeries& series, const LayerObservables& what, Index units_of_all,
                            FlipSymmetry symmetry = FlipSymmetry::none);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
