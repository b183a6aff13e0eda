#pragma once

#include <vector>

#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// Rows of the observed layers, with what a DataBatch refers to.
class SmallBatch {
 public:
  /// `rows` with one weight each; they add up to 1.
  SmallBatch(const Layout& layout, Chains rows, std::vector<double> weights);
  /// `num` random rows, of three weights.
  static SmallBatch random(const Layout& layout, Index num);
  /// Every configuration of the observed layers, weighted by its probability under the model; the caller sees to it that
  /// they are few.
  static SmallBatch of_law(const EnergyModel& model);

  /// With a posterior that nothing is known of yet.
  DataBatch view();
  /// What an estimator begins with; it refers to this batch.
  DataOutline outline() const;
  const Chains& rows() const { return rows_; }
  const std::vector<double>& weights() const { return weights_; }

 private:
  Chains rows_;
  std::vector<double> weights_, marginals_;
  std::vector<Index> indices_;
  Posterior posterior_;
};

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
