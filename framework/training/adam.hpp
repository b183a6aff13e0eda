#pragma once

#include <harmonium/framework/training/optimizer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct AdamOptions {
  RateOptions rate = {.learning_rate = 0.001};
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

  void bind(OptionBinder& o);
};

/// Adam (Kingma & Ba 2015, algorithm 1): steps of about the learning rate for each parameter, whatever its gradient's size.
class Adam final : public Optimizer {
 public:
  using Options = AdamOptions;
  explicit Adam(Options options) : options_(std::move(options)) {}

  void check(const ParameterLayout& layout) const override { options_.rate.check(layout); }
  void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
            const Progress& progress, const Executor& executor) override;
  double rate(const Progress& progress) const override { return options_.rate.rate(progress); }
  /// η / (√v̂ + ε) of each parameter.
  void step_sizes(std::span<Real> out, const ParameterLayout& layout, const Progress& progress,
                  const Executor& executor) const override;
  Index vectors() const override { return 2; }
  void state(StateArchive& archive) override;

 private:
  Options options_;
  std::uint64_t steps_ = 0;
  std::vector<Real> first_, second_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
