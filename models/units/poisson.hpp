#pragma once

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A count 0, 1, 2, …, Poisson given the others: p(n) = exp(θn − e^θ) / n!, base measure h(n) = 1/n!, log partition e^θ, mean
/// e^θ (Gehler, Holub & Welling 2006; Welling, Rosen-Zvi & Hinton 2004 for the family). At β the field is βθ, and at β = 0 the
/// law is that of mean 1.
class PoissonUnit final : public UnitType {
 public:
  std::string_view name() const override { return "poisson"; }
  Index num_states() const override { return 0; }
  void states(MatrixRef) const override {}
  bool has_curvature() const override { return false; }
  double min() const override { return 0.0; }
  double max() const override;
  std::string_view domain() const override { return "0, 1, 2 and so on"; }
  bool has_base() const override { return true; }
  double log_base(double x) const override;

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// A mean of 0 is taken as one of half an observation in num_rows.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
