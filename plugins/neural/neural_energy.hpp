#pragma once

#include <memory>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/model/energy_model.hpp>

#include "network.hpp"

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct NeuralEnergyOptions {
  Index num_visible = 0;
  std::vector<double> hidden = {64, 64};
  double deviation = 2.0;
  Index initial_seed = 1;
  std::unique_ptr<UnitType> visible_units = {};

  void bind(OptionBinder& o);
  void validate() const;
};

/// E(x) = ½ Σ x_j² / s² − f(x; θ), f a perceptron of several layers with bounded hidden units, so that a density exists for
/// every θ. One layer `visible` of continuous units; parameters `network.weight<l>`, `network.bias<l>` and
/// `network.output`. Weights start as a normal draw over the root of their inputs' number, biases and output at 0.
///
/// Its energy is its free energy, so that likelihoods lack only log Z; it offers the slope by the state (Langevin) and the
/// score with all that score matching asks of it. No conditionals: Gibbs sampling has nothing to draw from.
class NeuralEnergy final : public EnergyModel, private FreeEnergy, private StateGradient, private Score {
 public:
  using Options = NeuralEnergyOptions;
  explicit NeuralEnergy(Options options);

  const Layout& layout() const override { return layout_; }
  const ParameterLayout& parameter_layout() const override { return parameter_layout_; }
  std::span<const Real> parameters() const override { return theta_; }
  void update_parameters(FunctionRef<void(std::span<Real>)> write) override;

  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  const FreeEnergy* free_energy() const override { return this; }
  const StateGradient* state_gradient() const override { return this; }
  const Score* score() const override { return this; }
  std::unique_ptr<EnergyModel> copy() const override { return std::make_unique<NeuralEnergy>(*this); }

 private:
  bool closed(LayerSet kept) const override { return kept.contains(LayerId{0}); }
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  double operations(LayerSet kept) const override;

  void evaluate(ConstChainView x, std::span<const MatrixRef> out) const override;

  bool offered(LayerSet kept) const override { return kept.contains(LayerId{0}); }
  void evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                std::span<double> divergence) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                    std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                    const Executor& executor) const override;

  std::vector<double> row_of(ConstChainView x, Index r) const;
  /// gradient += Σ_r of what `add(r, sum)` adds to a vector of the parameters, rows in pieces, in their order.
  template <class Add>
  void sum_over_rows(Index rows, std::span<Real> gradient, const Executor& executor, const Add& add) const;

  Layout layout_;
  Network network_;
  ParameterLayout parameter_layout_;
  double precision_;  ///< 1/s²
  std::vector<Real> theta_;
  std::vector<double> wide_;  ///< θ in double
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
