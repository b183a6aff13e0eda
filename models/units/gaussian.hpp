#pragma once

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A real unit, p(x) ∝ exp(β(θx − ½γx²)): normal with mean θ/γ and variance 1/(βγ); log partition
/// ½ log(2π/(βγ)) + βθ²/(2γ). The curvature γ > 0 is the precision of the unit given the others.
class GaussianUnit final : public UnitType {
 public:
  std::string_view name() const override { return "gaussian"; }
  Index num_states() const override { return 0; }
  void states(MatrixRef) const override {}
  bool has_curvature() const override { return true; }
  double min() const override;
  double max() const override;
  std::string_view domain() const override { return "of the real line"; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  /// Standard normal: there is no uniform distribution of the line.
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
