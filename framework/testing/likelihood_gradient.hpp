#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/testing/small_batch.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// The gradient of the negative log likelihood of a batch, and the variance of each entry where it is an estimate itself.
struct LikelihoodGradient {
  std::vector<double> gradient, variance;

  /// From the energies of all states, which are few.
  static LikelihoodGradient exact(const EnergyModel& model, const SmallBatch& batch);
  /// From rows that follow the law and the posterior by other means (reference_rows.hpp). `why_not` is empty, or says that
  /// they do not follow them.
  static LikelihoodGradient of_rows(const EnergyModel& model, const SmallBatch& batch, std::string& why_not);
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
