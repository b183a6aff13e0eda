#pragma once

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A unit of value −1 or +1: P(x = 1) = sigm(2θ), mean tanh θ, log partition log(2 cosh θ).
class SpinUnit final : public UnitType {
 public:
  std::string_view name() const override { return "spin"; }
  Index num_states() const override { return 2; }
  void states(MatrixRef out) const override;
  bool has_curvature() const override { return false; }
  /// Values between are taken as means, as is usual in the positive phase.
  double min() const override { return -1.0; }
  double max() const override { return 1.0; }
  std::string_view domain() const override { return "from -1 to 1"; }
  std::optional<ByteCode> byte_code() const override { return ByteCode{-1, 2}; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// artanh of the posterior mean of N observations under Jeffreys' prior: finite for a unit that never changes.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
