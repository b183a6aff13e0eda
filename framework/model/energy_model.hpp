#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/model/capabilities.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// An unnormalized density p(x) ∝ exp(−E(x; θ)) on the configurations of a Layout. This is all that a model must say;
/// what it can say beyond it offers through accessors, where null means "no". Accessors, not inheritance: one class may
/// offer a capability for some of its configurations only, a wrapper forwards exactly what it wraps, and no run-time
/// type information crosses shared objects. Every const member may be called from several threads at once.
class EnergyModel {
 public:
  static constexpr const char* kind = "model";
  virtual ~EnergyModel();

  virtual const Layout& layout() const = 0;
  virtual const ParameterLayout& parameter_layout() const = 0;
  virtual std::span<const Real> parameters() const = 0;
  /// `write` changes θ in place (that is where the optimizer runs), then everything derived from θ is refreshed. Throws
  /// NumericalError when the new θ defines no density, and whatever `write` throws; θ and what is derived from it are
  /// then as they were.
  virtual void update_parameters(FunctionRef<void(std::span<Real>)> write) = 0;

  /// From now on only those entries of the tensor at `position` exist where `mask`, of its shape, is not 0. To be called
  /// before the model is in use. Throws ConfigError where there is no such choice.
  virtual void set_mask(Index position, std::vector<std::uint8_t> mask);

  /// E(x) for people, in one line of plain text: "- sum_i b_i visible_i - sum_ij w_ij visible_i hidden_j"; empty: not said.
  virtual std::string formula() const;

  /// The table [model] of a configuration that makes it again, but for its parameters and masks; empty: there is none.
  virtual Value configuration() const;

  /// out[r] = E(x_r), at β = 1, in nats.
  virtual void energy(ConstChainView x, std::span<double> out) const = 0;
  /// gradient += Σ_r weights[r] · ∂E(x_r)/∂θ.
  virtual void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                            const Executor& executor) const = 0;

  virtual const BlockConditionals* block_conditionals() const { return nullptr; }
  virtual const LayerKernel* layer_kernel() const { return nullptr; }
  virtual const FactorizedExpectation* factorized_expectation() const { return nullptr; }
  virtual const FreeEnergy* free_energy() const { return nullptr; }
  virtual const StateGradient* state_gradient() const { return nullptr; }
  virtual const Score* score() const { return nullptr; }
  /// A model of its own with the same parameters; null where it cannot be had.
  virtual std::unique_ptr<EnergyModel> copy() const;
  /// A plugin's model to its own sampler; the id names what is returned.
  virtual const void* extension(std::string_view id) const;
};

/// What the states of components of a run of `model`, trained on `rows`, are measured by.
StateSizes state_sizes(const EnergyModel& model, Index rows = 0);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
