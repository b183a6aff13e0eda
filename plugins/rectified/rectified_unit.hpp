#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A rectified linear unit with an energy: p(x) ∝ exp(β(θx − ½γx²)) on x ≥ 0, a normal law of mean m = θ/γ and variance
/// σ² = 1/(βγ) cut off at 0 (Su, Liao, Chen & Carin 2017). With t = m/σ and λ(t) = φ(t)/Φ(t):
///   log partition  ½ t² + log Φ(t) + log(σ√2π),   E[x] = σ(t + λ),   E[x²] = σ² + m E[x],
/// near max(0, m) where |t| is large. Of the kinds of ReLU for Boltzmann machines the one whose conditional is exact: the
/// noisy ReLU of Nair & Hinton (2010) is an approximation of infinitely many copies of a binary unit.
class RectifiedUnit final : public UnitType {
 public:
  std::string_view name() const override { return "rectified"; }
  Index num_states() const override { return 0; }
  void states(MatrixRef) const override {}
  bool has_curvature() const override { return true; }
  double min() const override { return 0.0; }
  double max() const override;
  std::string_view domain() const override { return "from 0 up"; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// A mean of 0 is taken as one of half an observation in num_rows.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  /// Standard half-normal: there is no uniform distribution of the half line.
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;
};

/// Rectified on both sides, with a threshold Δ: p(x) ∝ h(x) exp(β(θx − ½γx²)) on the whole line, base measure
/// h(x) = e^(−Δ|x|). Above 0 it is a normal law of mean (βθ − Δ)/βγ cut off there, below 0 one of mean (βθ + Δ)/βγ: the
/// double rectified unit of Tubiana, Cocco & Monasson (2019) of one precision. Δ > 0 gives numbers that are sparse, Δ < 0 a
/// law with a mode on each side.
class DoubleRectifiedUnit final : public UnitType {
 public:
  struct Options {
    double threshold = 1.0;
    void bind(OptionBinder& o);
  };
  explicit DoubleRectifiedUnit(Options options) : options_(options) {}

  std::string_view name() const override { return "double_rectified"; }
  Value configuration() const override { return table_of("double_rectified", options_); }
  Index num_states() const override { return 0; }
  void states(MatrixRef) const override {}
  bool has_curvature() const override { return true; }
  double min() const override;
  double max() const override;
  std::string_view domain() const override { return "any number"; }
  bool has_base() const override { return true; }
  double log_base(double x) const override;

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  /// Of no field and precision 1.
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
