#pragma once

#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The model without its couplings: every unit independent, with the model's own bias and, where its kind has one, the
/// model's own precision or crystal field,
///   E₀(x) = Σ_l [ −b_lᵀx_l + ½ Σ_i γ_li x_li² ].
/// A base distribution to temper from or to anneal from (Salakhutdinov & Murray 2008): normalizable, its log Z in closed
/// form. It holds copies of those parameters as they are at construction; the model's layout must outlive it.
class FactorialBase final : public EnergyModel, private BlockConditionals, private FreeEnergy, private StateGradient {
 public:
  explicit FactorialBase(const EnergyModel& model);

  const Layout& layout() const override { return layout_; }
  /// `bias.<layer>`, and of layers whose units have a curvature `log_precision.<layer>`, or `crystal_field.<layer>`.
  const ParameterLayout& parameter_layout() const override { return parameter_layout_; }
  std::span<const Real> parameters() const override { return theta_; }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override;

  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;

  /// `fields` takes the blocks of any model of the same layout.
  const BlockConditionals* block_conditionals() const override { return this; }
  const FreeEnergy* free_energy() const override { return this; }
  /// Null where no layer is continuous.
  const StateGradient* state_gradient() const override;

  /// log Σ_x exp(−β E₀(x)), in nats.
  double log_partition(double beta) const;

 private:
  const std::vector<Block>& blocks() const override { return blocks_; }
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override;
  bool independent(LayerSet, LayerSet) const override { return true; }

  bool closed(LayerSet) const override { return true; }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  double operations(LayerSet kept) const override;

  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override;

  /// log Σ exp(−β E₀) of one layer alone.
  double log_partition(LayerId layer, double beta) const;
  ConstMatrixRef bias(LayerId layer) const { return parameter_layout_.view(bias_[layer], theta_.data()); }
  void refresh();
  /// The part of a gradient that is the layer's bias; and what says its curvature, empty where there is none.
  std::span<Real> of_bias(LayerId layer, std::span<Real> gradient) const;
  std::span<Real> of_curvature(LayerId layer, std::span<Real> gradient) const;

  const Layout& layout_;
  ParameterLayout parameter_layout_;
  PerLayer<Index> bias_, curvature_;  ///< parameter blocks of each layer; the latter past the end where absent
  std::vector<Real> theta_;
  PerLayer<std::vector<Real>> gamma_;  ///< of each layer; empty where there is none
  PerLayer<std::vector<Real>> slope_;  ///< ½ ∂γ/∂θ, beside it
  std::vector<Block> blocks_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
