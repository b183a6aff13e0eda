#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a model offers that is a stack of machines, as a deep belief network is (Hinton, Osindero & Teh 2006): the law of the
/// top machine, and below it, machine by machine, that of the observed units given the latent ones. With L machines
/// p_1 … p_L, h_0 the data and h_k the latent units of machine k,
///   p(h_0, …, h_L) = p_L(h_{L−1}, h_L) Π_{k<L} p_k(h_{k−1} | h_k).
/// On the way up the latent layers are drawn from Q = Π_{k<L} q_k(h_k | h_{k−1}), q_k being the posterior of machine k, or,
/// where the weights are untied, that of a machine of its own (section 5). Whoever asks gets it by EnergyModel::extension.
class StackedMachines {
 public:
  static constexpr std::string_view extension_id = "harmonium.stacked_machines";
  virtual ~StackedMachines();

  /// L, at least 2.
  virtual Index num_machines() const = 0;
  /// From that of the data (0) to the top one.
  virtual const EnergyModel& machine(Index k) const = 0;
  /// The stack's layer that is the layer `own` of machine k.
  virtual LayerId layer_of(Index k, LayerId own) const = 0;
  /// The part of `theta`, of which there is one number a parameter of the stack, that is machine k's.
  virtual std::span<Real> part(Index k, std::span<Real> theta) const = 0;

  /// Whether the machines below the top have recognition weights of their own.
  virtual bool untied() const { return false; }
  /// The machine of which q_k is the posterior, of the layers of machine k; machine k where weights are tied, as those of the
  /// top always are.
  virtual const EnergyModel& recognition(Index k) const { return machine(k); }
  /// As `part`; of the recognition weights of machine k.
  virtual std::span<Real> recognition_part(Index k, std::span<Real> theta) const { return part(k, theta); }
  /// The same stack with recognition weights of its own, which begin as those of the machines. Throws ConfigError where a
  /// machine cannot be copied.
  virtual std::unique_ptr<EnergyModel> untied_copy() const = 0;

  const EnergyModel& top() const { return machine(num_machines() - 1); }
  /// The layers of the stack that are the layers `own` of machine k.
  LayerSet layers_of(Index k, LayerSet own) const;
  /// Rows of machine k, its layers `own` as they are in rows of the stack, the others 0.
  Chains rows_of_machine(Index k, LayerSet own, ConstChainView x) const;
};

/// What `model` offers as a stack; null where it is none.
const StackedMachines* stacked_machines(const EnergyModel& model);

/// The model whose log Z at β = 1 is that of `model`, and easier to have: of a stack its top machine, all below being
/// normalized; any other model itself.
const EnergyModel& model_of_log_z(const EnergyModel& model);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
