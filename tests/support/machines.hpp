#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/models/layered.hpp>

namespace harmonium::testing {

/// The pairwise model over `graph`, its couplings normal with deviation `strength`, biases with 0.5; symmetric where they
/// must be.
std::unique_ptr<LayeredModel> random_machine(const LayerGraph& graph, double strength, std::uint64_t seed);

/// Layers of binary units; layer i is observed where `observed` says so.
LayerGraph binary_layers(std::vector<Index> sizes, std::vector<bool> observed,
                         std::vector<std::pair<Index, Index>> couplings);

/// The kinds of graphs, all of at most 1024 states; couplings so strong that a kernel that is wrong about one of them
/// fails.
std::unique_ptr<LayeredModel> small_rbm();              ///< 5 visible, 4 hidden
std::unique_ptr<LayeredModel> small_semi_restricted();  ///< lateral couplings of the visible units
std::unique_ptr<LayeredModel> small_lateral_hidden();   ///< lateral couplings of the hidden units
std::unique_ptr<LayeredModel> small_general();          ///< both
std::unique_ptr<LayeredModel> small_deep();             ///< 3 – 4 – 3
std::unique_ptr<LayeredModel> small_triangle();  ///< three layers, each coupled with both others, the hidden ones first
std::unique_ptr<LayeredModel> small_visible();   ///< one layer of 8 coupled units, none hidden
std::unique_ptr<LayeredModel> small_chain();  ///< one layer of 10 units, neighbors strongly coupled, the others weakly
std::unique_ptr<LayeredModel> small_spins();  ///< 5 visible, 4 hidden spins, all coupled

std::unique_ptr<LayeredModel> small_spin_rbm();     ///< 5 visible, 4 hidden spins
std::unique_ptr<LayeredModel> small_spin_glass();   ///< one layer of 7 coupled spins
std::unique_ptr<LayeredModel> small_categorical();  ///< 3 visible units of four states, 3 hidden bits
std::unique_ptr<LayeredModel> small_potts();        ///< 3 visible units, coupled, and 2 hidden ones, of three states

/// Only those pairs of units of the tensor's layers are coupled.
void keep_only(LayeredModel& machine, const std::string& tensor, const std::vector<std::pair<Index, Index>>& pairs);

/// A ring of 6 visible spins with a chord, so that two colors are not enough; 4 hidden ones, two of them coupled; and
/// half of the couplings of visible with hidden units.
std::unique_ptr<LayeredModel> small_sparse();
std::unique_ptr<LayeredModel> small_sparse_potts();  ///< a path of 4 visible units of three states, and 2 hidden bits

/// A model that forwards everything to another one: what to derive a model from that is wrong in one place.
class Forwarding : public EnergyModel {
 public:
  explicit Forwarding(const EnergyModel& inner) : inner_(inner) {}

  const Layout& layout() const override { return inner_.layout(); }
  const ParameterLayout& parameter_layout() const override { return inner_.parameter_layout(); }
  std::span<const Real> parameters() const override { return inner_.parameters(); }
  void update_parameters(FunctionRef<void(std::span<Real>)>) override;
  void energy(ConstChainView x, std::span<double> out) const override { inner_.energy(x, out); }
  void add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override {
    inner_.add_gradient(x, weights, gradient, executor);
  }
  const BlockConditionals* block_conditionals() const override { return inner_.block_conditionals(); }
  const LayerKernel* layer_kernel() const override { return inner_.layer_kernel(); }
  const FactorizedExpectation* factorized_expectation() const override { return inner_.factorized_expectation(); }
  const FreeEnergy* free_energy() const override { return inner_.free_energy(); }
  const StateGradient* state_gradient() const override { return inner_.state_gradient(); }
  const Score* score() const override { return inner_.score(); }

 protected:
  const EnergyModel& inner_;
};

/// Without its own kernel: samplers take the path through block conditionals.
class WithoutKernel final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const LayerKernel* layer_kernel() const override { return nullptr; }
};

}  // namespace harmonium::testing
