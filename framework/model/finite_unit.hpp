#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A unit of one column that takes one of a few listed values:
///   P(x) = e^{θx − ½γx²} / Σ_k e^{θ v_k − ½γ v_k²},
/// with log partition log Σ_k e^{θ v_k − ½γ v_k²}. Its author gives it a name and its values; moments and draws follow. γ is 0
/// unless a kind says that it has a curvature, of either sign.
class FiniteUnit : public UnitType {
 public:
  Index num_states() const override { return values_.size(); }
  void states(MatrixRef out) const override;
  bool has_curvature() const override { return false; }
  double min() const override { return values_.front(); }
  double max() const override { return values_.back(); }
  std::string_view domain() const override { return domain_; }
  /// Where the values are equally spaced whole numbers from -128 to 127, or from 0 to 255.
  std::optional<ByteCode> byte_code() const override;

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  /// Inverts the distribution function at one uniform number per unit.
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// Adds half an observation at each end value to the N rows, so the result is finite even for a unit that never changes.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;

 protected:
  /// `values`: at least two, rising.
  explicit FiniteUnit(std::vector<double> values);

 private:
  std::vector<double> values_;
  std::string domain_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
