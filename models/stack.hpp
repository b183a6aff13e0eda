#pragma once

#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/model_base.hpp>
#include <harmonium/models/stack_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct StackOptions {
  std::vector<std::unique_ptr<EnergyModel>> machines = {};  ///< from that of the data to the top one
  bool untied = false;                                      ///< see StackedMachines::untied
  void bind(OptionBinder& o);
};

/// A stack of machines, of RBMs a deep belief network (Hinton, Osindero & Teh 2006; stacked_machines.hpp). Its energy is
///   E(h_0, …, h_L) = Σ_{k<L} [E_k(h_{k−1}, h_k) − G_k(h_k)] + E_L(h_{L−1}, h_L),   G_k(h_k) = −log Σ_{h_{k−1}} exp(−E_k),
/// so that its log Z is that of the top machine.
///
/// Layers: the observed ones of the first machine by their names, and the latent ones of machine k by theirs with k, from 1,
/// behind: `visible`, `hidden1`, `hidden2`. Parameters: those of the machines, `machine1.weight.visible.hidden` and so on; of an
/// untied stack then the recognition weights of those below the top, `recognition1.weight.visible.hidden`, of which the energy
/// has none. There the biases of latent units are learned on the way up alone, and those of observed ones on the way down.
class Stack final : public ModelBase, private StackedMachines, private FreeEnergy {
 public:
  using Options = StackOptions;
  /// Throws ConfigError for fewer than two machines; where the observed layers of one are not the latent ones of that below,
  /// in number, sizes and units; for a machine below the top whose observed units are coupled with each other given the
  /// latent ones, or the reverse; a top machine without a free energy of its observed units; masks of couplings, which
  /// the file of a stack has no place for; and, untied, a machine that cannot be copied.
  explicit Stack(Options options);

  void energy(ConstChainView x, std::span<double> out) const override;
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  /// Closed where all but the latent units of the top machine, or those and the data, are kept.
  const FreeEnergy* free_energy() const override { return this; }
  std::unique_ptr<EnergyModel> copy() const override;
  const void* extension(std::string_view id) const override;
  std::string formula() const override;
  Value configuration() const override;

 private:
  Index num_machines() const override { return machines_.size(); }
  const EnergyModel& machine(Index k) const override { return *machines_[k]; }
  LayerId layer_of(Index k, LayerId own) const override { return layers_[k][own]; }
  std::span<Real> part(Index k, std::span<Real> theta) const override;
  bool untied() const override { return !upward_.empty(); }
  const EnergyModel& recognition(Index k) const override { return k < upward_.size() ? *upward_[k] : *machines_[k]; }
  std::span<Real> recognition_part(Index k, std::span<Real> theta) const override;
  std::unique_ptr<EnergyModel> untied_copy() const override;

  bool closed(LayerSet kept) const override;
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  double operations(LayerSet kept) const override;

  void refresh() override;
  /// Copies of the machines. Throws ConfigError where one cannot be had.
  StackOfMachines copies(Index count) const;
  /// Of the layers of machine k those that `kept` has.
  LayerSet own_layers(Index k, LayerSet kept) const;
  /// += β (E_k − G_k) for each row, of a machine below the top; with the data summed out, −log Σ exp(−β (E_1 − G_1)).
  void add_energy_below(Index k, bool summed, double beta, ConstChainView x, std::span<double> out) const;
  void add_gradient_below(Index k, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                          const Executor& executor) const;

  StackOfMachines machines_;
  StackOfMachines upward_;  ///< the recognition machines of those below the top; none where weights are tied
  std::vector<PerLayer<LayerId>> layers_;  ///< of each machine, the stack's layer that each of its own is
  std::vector<Index> first_;  ///< of each machine, then of each of `upward_`, where its parameters begin in θ
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
