#pragma once

#include <memory>
#include <span>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Which units of a restricted machine count twice for those of the other side.
enum class Doubled : std::uint8_t { observed, latent };

/// The conditionals of a restricted machine of which one side counts twice for the other (Salakhutdinov & Hinton 2009, section
/// 3.2): with the observed units doubled
///   P(h_j = 1 | v) = sigm(2 Σ_i W_ij v_i + c_j),   P(v_i = 1 | h) = sigm(Σ_j W_ij h_j + b_i),
/// with the latent ones doubled the other way about. Moments, draws and expectations of the gradient are had of it as of a model;
/// the two conditionals are of no common law, so that there is no energy.
class DoubledConditionals final : public EnergyModel, private BlockConditionals, private LayerKernel {
 public:
  /// Throws CapabilityError, in the name of the estimator 'doubled', for a model that is no restricted machine, or cannot be
  /// copied.
  DoubledConditionals(const EnergyModel& model, Doubled doubled);
  static void check(const EnergyModel& model);
  /// Takes over the model's parameters as they are now.
  void follow(const EnergyModel& model);
  /// The layers for which the others count twice.
  LayerSet see_double() const { return see_double_; }

  const Layout& layout() const override { return once_->layout(); }
  const ParameterLayout& parameter_layout() const override { return once_->parameter_layout(); }
  std::span<const Real> parameters() const override { return once_->parameters(); }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override;
  /// There is none: throws CapabilityError, of no rows too (check_energy).
  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    once_->add_gradient(x, weights, gradient, executor);
  }
  const BlockConditionals* block_conditionals() const override { return this; }
  const LayerKernel* layer_kernel() const override { return once_->layer_kernel() ? this : nullptr; }
  const FactorizedExpectation* factorized_expectation() const override { return once_->factorized_expectation(); }

 private:
  const std::vector<Block>& blocks() const override { return once_->block_conditionals()->blocks(); }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override {
    of(block.layer).block_conditionals()->fields(block, begin, end, x, out);
  }
  bool independent(LayerSet free, LayerSet given) const override {
    return once_->block_conditionals()->independent(free, given);
  }
  using LayerKernel::energy;  // the energy does not follow from draws of a model in part doubled
  bool draws(LayerId layer) const override { return once_->layer_kernel()->draws(layer); }
  bool follows(LayerId layer, std::span<const Block* const> blocks) const override {
    return once_->layer_kernel()->follows(layer, blocks);
  }
  bool divisible(LayerId layer) const override { return once_->layer_kernel()->divisible(layer); }
  void redraw(const Draw& draw, ChainView x) const override { of(draw.layer).layer_kernel()->redraw(draw, x); }

  /// The machine whose conditional of this layer counts.
  const EnergyModel& of(LayerId layer) const { return see_double_.contains(layer) ? *twice_ : *once_; }

  std::unique_ptr<EnergyModel> once_, twice_;  ///< the model, and the model with twice its couplings
  LayerSet see_double_;                        ///< the layers for which the others count twice
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
