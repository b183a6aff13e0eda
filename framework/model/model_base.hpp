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
class ObservedModel : public ModelBase {
 public:
  ObservedModel(const ObservedModel& other) : ModelBase(other) {}
  ObservedModel& operator=(const ObservedModel&) = delete;
  const FreeEnergy* free_energy() const final { return &energy_alone_; }

 protected:
  using ModelBase::ModelBase;
  /// Multiplications and additions that the energy of a row takes, for budgets.
  virtual double energy_operations() const = 0;

 private:
  /// An object of its own, so that its gradient has not the name of the model's.
  class EnergyAlone final : public FreeEnergy {
   public:
    explicit EnergyAlone(const ObservedModel& of) : of_(of) {}
    bool closed(LayerSet kept) const override { return kept == of_.layout().all(); }
    void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override;
    void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                      const Executor& executor) const override;
    double operations(LayerSet) const override { return of_.energy_operations(); }

   private:
    const ObservedModel& of_;
  };
  EnergyAlone energy_alone_{*this};
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
