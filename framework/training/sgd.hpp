#pragma once

#include <harmonium/framework/training/optimizer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct SgdOptions {
  enum class Momentum : std::uint8_t { classical, nesterov };
  RateOptions rate = {};
  double momentum = 0.0;
  Momentum momentum_type = Momentum::classical;

  void bind(OptionBinder& o);
  void validate() const;
};

/// Stochastic gradient descent, with momentum m:
///   v ← m v − η g;   classical (Polyak 1964): θ ← θ + v;   Nesterov (in the form of Sutskever et al. 2013 that needs
///   the gradient at θ only): θ ← θ + m v − η g.
class Sgd final : public Optimizer {
 public:
  using Options = SgdOptions;
  explicit Sgd(Options options) : options_(std::move(options)) {}

  void check(const ParameterLayout& layout) const override { options_.rate.check(layout); }
  void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
            const Progress& progress, const Executor& executor) override;
  double rate(const Progress& progress) const override { return options_.rate.rate(progress); }
  /// The velocity that a slope of 1 has by now, η / (1 − m) at a constant rate.
  void step_sizes(std::span<Real> out, const ParameterLayout& layout, const Progress& progress,
                  const Executor& executor) const override;
  Index vectors() const override { return options_.momentum > 0.0 ? 1 : 0; }
  void state(StateArchive& archive) override {
    if (options_.momentum > 0.0) archive.late_field("velocity", velocity_, archive.sizes().moved);
  }

 private:
  Options options_;
  std::vector<Real> velocity_;  ///< only where there is momentum
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
