#pragma once

#include <harmonium/framework/model/energy_model.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A model with all but its observed layers summed out: its energy is their free energy, and its slope minus their score. Of the
/// latent layers it knows nothing: they have no slope.
class MarginalEnergy final : public EnergyModel, private StateGradient {
 public:
  /// `model` offers both in closed form, and outlives this.
  explicit MarginalEnergy(const EnergyModel& model) : model_(model) {}

  const Layout& layout() const override { return model_.layout(); }
  const ParameterLayout& parameter_layout() const override { return model_.parameter_layout(); }
  std::span<const Real> parameters() const override { return model_.parameters(); }
  /// Throws CapabilityError: it looks at another model's.
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override;
  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  const StateGradient* state_gradient() const override { return this; }

 private:
  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override;

  const EnergyModel& model_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
