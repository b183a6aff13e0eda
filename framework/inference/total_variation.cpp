#include <harmonium/framework/inference/total_variation.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <harmonium/framework/core/numerics.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/joint_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
double binomial_mean_deviation(double n, double p) {
  if (p <= 0.0 || p >= 1.0) return 0.0;
  const double m = std::floor(n * p) + 1.0;
  if (m > n) return 0.0;
  // 2 m C(n, m) p^m (1 − p)^(n − m + 1) / n.
  const double log_choose = std::lgamma(n + 1.0) - std::lgamma(m + 1.0) - std::lgamma(n - m + 1.0);
  return 2.0 * m / n * std::exp(log_choose + m * std::log(p) + (n - m + 1.0) * std::log1p(-p));
}

std::optional<double> total_variation_operations(const EnergyModel& model) {
  const Layout& layout = model.layout();
  constexpr double most_bits = 14.0;
  const double bits = layout.log2_states(layout.observed());
  if (bits > most_bits || !offers_free_energy(model)) return {};
  return std::exp2(bits) * free_energy_operations(model);
}

std::optional<TotalVariation> total_variation(const EnergyModel& model, double beta, const Chains& rows, double draws,
                                              const Executor& executor) {
  if (!total_variation_operations(model)) return {};
  const Layout& layout = model.layout();
  const JointStates states(layout, layout.observed());
  Chains all(layout, states.size());
  states.write(0, states.size(), all);
  std::vector<double> log_weights = free_energies(model, all, beta, executor);
  for (double& f : log_weights) f = -f;
  const double log_z = logsumexp(log_weights);
  std::vector<double> counts(states.size(), 0.0);
  for (Index r = 0; r < rows.size(); ++r) ++counts[states.number(rows, r)];
  TotalVariation found;
  const double whole = std::max(1.0, std::floor(draws));
  for (Index s = 0; s < counts.size(); ++s) {
    const double p = std::exp(log_weights[s] - log_z);
    found.distance += 0.5 * std::abs(counts[s] / static_cast<double>(rows.size()) - p);
    found.floor += 0.5 * binomial_mean_deviation(whole, p);
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
