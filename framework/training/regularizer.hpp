#pragma once

#include <span>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A penalty on θ that is added to the loss.
class Regularizer {
 public:
  static constexpr const char* kind = "regularizer";
  virtual ~Regularizer();
  /// gradient += ∂penalty/∂θ.
  virtual void add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                            const Executor& executor) const = 0;
};

struct DecayOptions {
  double strength = 1e-4;
  bool biases = false;
  void bind(OptionBinder& o) {
    o.option("strength", strength, "factor of the penalty in the loss, in nats a sample", at_least(0));
    o.option("biases", biases, "biases too, not only couplings");
  }
};

/// Weight decay: ½ strength Σ w² over the couplings, each pair of a symmetric one once.
class L2 final : public Regularizer {
 public:
  using Options = DecayOptions;
  explicit L2(Options options) : options_(options) {}
  void add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                    const Executor& executor) const override;

 private:
  Options options_;
};

/// Sparsity: strength Σ |w| over the couplings, each pair of a symmetric one once; subgradient 0 at 0.
class L1 final : public Regularizer {
 public:
  using Options = DecayOptions;
  explicit L1(Options options) : options_(options) {}
  void add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                    const Executor& executor) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
