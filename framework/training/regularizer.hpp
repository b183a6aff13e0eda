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
  /// gradient += ∂penalty/∂θ, of a penalty that has one everywhere.
  virtual void add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                            const Executor& executor) const = 0;
  /// Whether the penalty is paid after the optimizer's step, by `shrink`.
  virtual bool shrinks() const { return false; }
  /// The proximal step: θ_i ← argmin_x ½ (x − θ_i)² + step_sizes_i · penalty(x).
  virtual void shrink(std::span<Real> theta, const ParameterLayout& layout, std::span<const Real> step_sizes,
                      const Executor& executor) const;
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

/// Sparsity: strength Σ |w| over the couplings, each pair of a symmetric one once. It is paid by a proximal step, the soft
/// threshold
///   w ← sign(w) max(|w| − η strength, 0)
/// (Daubechies, Defrise & De Mol 2004; FOBOS, Duchi & Singer 2009), η being the optimizer's step size of that parameter, so that a
/// coupling whose gradient is less than the strength is exactly 0; by a slope of its own it would come near 0 and no further.
class L1 final : public Regularizer {
 public:
  using Options = DecayOptions;
  explicit L1(Options options) : options_(options) {}
  /// Nothing: the penalty has no slope at 0.
  void add_gradient(std::span<const Real>, const ParameterLayout&, std::span<Real>, const Executor&) const override {}
  bool shrinks() const override { return true; }
  void shrink(std::span<Real> theta, const ParameterLayout& layout, std::span<const Real> step_sizes,
              const Executor& executor) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
