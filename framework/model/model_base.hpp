#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Holds the layout, the tensors and θ. A model passes the first two to the constructor and defines its energy and gradient.
class ModelBase : public EnergyModel {
 public:
  const Layout& layout() const final { return layout_; }
  const ParameterLayout& parameter_layout() const final { return parameter_layout_; }
  std::span<const Real> parameters() const final { return theta_; }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) final;

 protected:
  /// All parameters are 0.
  ModelBase(Layout layout, ParameterLayout parameters)
      : layout_(std::move(layout)), parameter_layout_(std::move(parameters)), theta_(parameter_layout_.size()) {}

  /// Called after θ changes, to recompute what depends on it. Throws NumericalError if θ gives no density; then the old θ is
  /// restored and this is called again.
  virtual void refresh() {}

 private:
  Layout layout_;
  ParameterLayout parameter_layout_;
  std::vector<Real> theta_;
};

/// A model without latent layers: its free energy is its energy, so likelihoods and criteria of small models need no more
/// code.
class ObservedModel : public ModelBase, private FreeEnergy {
 public:
  const FreeEnergy* free_energy() const final { return this; }

 protected:
  using EnergyModel::add_gradient;
  using ModelBase::ModelBase;
  /// Multiplications and additions that the energy of a row takes, for budgets.
  virtual double energy_operations() const = 0;

 private:
  bool closed(LayerSet kept) const final { return kept == layout().all(); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const final;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const final;
  double operations(LayerSet) const final { return energy_operations(); }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
