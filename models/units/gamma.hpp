#pragma once

#include <string_view>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A positive number whose law is a gamma law of shape k and rate λ − θ: p(x) ∝ h(x) exp(θx), θ < λ, with the base measure
/// h(x) = λᵏ xᵏ⁻¹ e^(−λx) / Γ(k), a law itself (Welling, Rosen-Zvi & Hinton 2004). Log partition −k log(1 − θ/λ), mean
/// k / (λ − θ). Shape 1 is an exponential unit.
class GammaUnit : public UnitType {
 public:
  struct Options {
    double shape = 2.0;
    double rate = 1.0;
    void bind(OptionBinder& o);
  };
  explicit GammaUnit(Options options);

  std::string_view name() const override { return "gamma"; }
  Value configuration() const override { return table_of("gamma", options_); }
  Index num_states() const override { return 0; }
  void states(MatrixRef) const override {}
  bool has_curvature() const override { return false; }
  double min() const override { return 0.0; }
  double max() const override;
  std::string_view domain() const override { return options_.shape == 1.0 ? "from 0 up" : "above 0"; }
  bool has_base() const override { return true; }
  double log_base(double x) const override;
  double linear_limit() const override { return options_.rate; }

  void add_log_partition(const BasicFields<const double>& fields, std::span<double> sums) const override;
  void moments(const ConstFields& fields, MatrixRef mean, MatrixRef second) const override;
  void sample(const ConstFields& fields, const DrawBlock& addresses, MatrixRef out, MatrixRef mean) const override;
  /// A mean of 0 is taken as one of half an observation of the base measure's mean in num_rows.
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override;
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override;

 protected:
  double rate() const { return options_.rate; }

 private:
  template <class T>
  double rate_of(const BasicFields<T>& f, Index r, Index c) const;
  Real draw(double rate, const DrawBlock& addresses, Index r, Index c) const;

  Options options_;
  double log_constant_;  ///< log λᵏ/Γ(k)
};

/// A gamma unit of shape 1: x from 0 up, p(x) ∝ exp((θ − λ)x).
class ExponentialUnit final : public GammaUnit {
 public:
  struct Options {
    double rate = 1.0;
    void bind(OptionBinder& o);
  };
  explicit ExponentialUnit(Options options) : GammaUnit({.shape = 1.0, .rate = options.rate}) {}
  std::string_view name() const override { return "exponential"; }
  Value configuration() const override { return table_of("exponential", Options{.rate = rate()}); }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
