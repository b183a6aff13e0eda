#include <harmonium/estimators/gradients/unit_losses.hpp>

#include <cmath>

#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

// Of a unit's few states: an expression would cost more than its numbers.
void to_probabilities(std::span<double> x) {
  const double total = logsumexp(x);
  for (double& v : x) v = std::exp(v - total);
}

}  // namespace

double pseudo_likelihood_loss(std::span<double> ratios, Index) {
  const double loss = logsumexp(ratios);
  to_probabilities(ratios);
  return loss;
}

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
