#include <harmonium/estimators/gradients/unit_losses.hpp>

#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// x ∝ e^x, of sum 1; returns log Σ e^x, of which the exponentials are those of the probabilities. Of a unit's few states: an
/// expression would cost more than its numbers.
double to_probabilities(std::span<double> x) {
  double top = -INFINITY, sum = 0.0;
  for (const double v : x)
    if (v > top || std::isnan(v)) top = v;
  const double of_top = 1.0 + (top - top);  // NaN where it is infinite
  for (double& v : x) sum += v = v == top ? of_top : std::exp(v - top);
  for (double& v : x) v /= sum;
  return std::isfinite(top) ? top + std::log(sum) : top;
}

}  // namespace

double pseudo_likelihood_loss(std::span<double> ratios, Index) { return to_probabilities(ratios); }

double ratio_matching_loss(std::span<double> ratios, Index own) {
  to_probabilities(ratios);
  double loss = 0.0, mean = 0.0;
  for (Index s = 0; s < ratios.size(); ++s) {
    const double miss = ratios[s] - (s == own ? 1.0 : 0.0);
    loss += 0.5 * miss * miss;
    mean += ratios[s] * miss;
  }
  for (Index s = 0; s < ratios.size(); ++s) ratios[s] *= ratios[s] - (s == own ? 1.0 : 0.0) - mean;
  return loss;
}

double probability_flow_loss(std::span<double> ratios, Index own) {
  double loss = 0.0;
  for (Index s = 0; s < ratios.size(); ++s) {
    const double flow = s == own ? 0.0 : std::exp(0.5 * ratios[s]);
    loss += flow;
    ratios[s] = 0.5 * flow;
  }
  return loss;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
