#pragma once

#include <string>

#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Operations of one core a second that a way to log Z makes: sums over states run in vectors, those over tables do not.
double speed_of(const std::string& way);

/// Of all temperatures together: no exact sum that takes longer is begun unasked, but for `--effort` times as long.
inline constexpr double longest_unasked = 120.0;
/// Of the mean energy: twice as long, as a sum over states takes longer than that of log Z.
inline constexpr double longest_energy = 2.0 * longest_unasked;

/// "5 minutes of one core at each of 4 betas, 20 minutes in all".
std::string time_of_sums(double seconds, const EvaluateRequest& request);

/// How the mean energy is summed where log Z is found exactly.
struct EnergyPlan {
  EliminationLimits limits;
  double seconds = 0.0;       ///< at each temperature; 0 where it is not summed
  bool needs_effort = false;  ///< whether they are more than are spent without `--effort`
  std::string why_not = {};   ///< empty: nothing is known against it
};

/// `way`: that to log Z, by its name.
EnergyPlan plan_of_energy(const EnergyModel& model, const std::string& way, const EvaluateRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
