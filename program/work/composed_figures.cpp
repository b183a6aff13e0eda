#include <harmonium/program/work/composed_figures.hpp>

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/row_figures.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void check_finite(const Evaluation& result, double beta) {
  const std::pair<const char*, const std::optional<double>&> figures[] = {
      {"log_z", result.log_z},
      {"free_energy", result.free_energy},
      {"pseudo_log_likelihood", result.pseudo_log_likelihood},
      {"reconstruction_error", result.reconstruction_error},
      {"log_likelihood", result.log_likelihood},
      {"label_log_likelihood", result.label_log_likelihood},
      {"mean_energy", result.mean_energy}};
  for (const auto& figure : figures) {
    if (!figure.second || std::isfinite(*figure.second)) continue;
    throw ConfigError(
        fmt::format("--beta {:g}: {} is {} (energies times beta leave the range of numbers). Take a beta nearer to 1.",
                    beta, figure.first, *figure.second));
  }
}

void take_log_z(const LogPartitionEstimate& found, Evaluation& result, Absent& absent) {
  result.log_z_interval = {found.low, found.high};
  result.log_z_at_least = found.at_least;
  result.log_z_at_most = found.at_most;
  result.agree = found.agree;
  result.why = found.why;
  result.log_z_method = found.method;
  result.ground_state_energy = found.ground_state_energy;
  result.ground_state_certain = found.exact;
  if (found.agree) result.log_z = found.log_z;
  else absent.log_z = disagreement(found, 1.0);
}

void take_rows(const LogPartitionEstimate& found, Evaluation& result, Absent& absent) {
  result.free_energy_interval = {-found.high, -found.low};
  if (found.agree) result.free_energy = -found.log_z;
  else {
    absent.free_energy = disagreement(found, -1.0);
    result.why += (result.why.empty() ? "" : "; ") + found.why;
  }
  if (result.agree) result.agree = *result.agree && found.agree;
}

void add_advice(const std::string& words, Evaluation& result) {
  if (!words.empty()) result.advice += (result.advice.empty() ? "" : " ") + words;
}

void compose_likelihood(Evaluation& result) {
  if (result.free_energy && result.log_z) result.log_likelihood = -*result.free_energy - *result.log_z;
  if (result.free_energy_interval && result.log_z_interval)
    result.log_likelihood_interval = {-result.free_energy_interval->high - result.log_z_interval->high,
                                      -result.free_energy_interval->low - result.log_z_interval->low};
}

void compose_bound(double sums, double error, Evaluation& result) {
  constexpr double rounding = 1e-9;  // of draws that all say the same
  result.bound_error = error;
  const double noise = error > rounding * std::abs(sums) ? 1.96 * error : 0.0;
  const std::optional<Interval>& z = result.log_z_interval;
  if (result.log_z) result.variational_bound = sums - *result.log_z;
  if (!z) return;
  // Of independent estimates; of what is not agreed on, all that was measured.
  if (const auto& own = result.log_z)
    result.variational_bound_interval = {sums - *own - std::hypot(z->high - *own, noise),
                                         sums - *own + std::hypot(*own - z->low, noise)};
  else result.variational_bound_interval = {sums - z->high - noise, sums - z->low + noise};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
