#pragma once

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A unit of value 0 or 1: P(x = 1) = sigm(θ), log partition log(1 + e^θ).
class BinaryUnit final : public UnitType {
 public:
  std::string_view name() const override { return "binary"; }
  Index num_states() const override { return 2; }
  void states(MatrixRef out) const override;
  bool has_curvature() const override { return false; }
  /// Gray values between are taken as probabilities, as is usual in the positive phase.
  double min() const override { return 0.0; }
  double max() const override { return 1.0; }
  std::string_view domain() const override { return "from 0 to 1"; }
  std::optional<ByteCode> byte_code() const override { return ByteCode{0, 1}; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// logit of (mean · N + ½) / (N + 1), the posterior mean under Jeffreys' prior: finite for a unit that never changes.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
