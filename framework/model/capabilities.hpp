#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/framework/model/held_mask.hpp>
#include <harmonium/framework/model/moments.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Units of one layer that are independent of each other given all the rest.
struct Block {
  LayerId layer{};
  std::vector<Index> units;  ///< ascending; empty: every unit of the layer
  Index size = 0;            ///< how many units
  bool whole() const { return units.empty(); }
};

/// Capability: exact conditionals of blocks of units. Enough for Gibbs sampling, and beside FactorizedExpectation for
/// mean field.
class BlockConditionals {
 public:
  virtual ~BlockConditionals();
  /// A partition of all units; visiting every block once, in this order, is one sweep.
  virtual const std::vector<Block>& blocks() const = 0;
  /// Natural parameters, at β = 1, of the units [begin, end) of `block` (counted within it) given the other units of x.
  /// Row r belongs to chain r; width() columns a unit. `out.curvature` is written where the units have one.
  virtual void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const = 0;
  /// Whether all units of all layers of `free` are independent of each other given all units of the layers of `given`;
  /// read off the graph.
  virtual bool independent(LayerSet free, LayerSet given) const = 0;
};

/// Capability: redraws units of a layer of a tile in one call (fields, temperature, draw, mask, means left behind):
/// what is fast for the model's own structure. The path through BlockConditionals is the reference it agrees with: units
/// that are one block are drawn at once, those that are blocks of their own one after the other, in order.
class LayerKernel {
 public:
  struct Draw {
    LayerId layer{};
    Index begin = 0, end = 0;     ///< units
    const Real* scale = nullptr;  ///< β of each row of the tile; null: 1
    const HeldMask* held = nullptr;
    DrawBlock addresses{};  ///< of the tile's first row and the layer's first unit
    /// Rows of the tile × columns of the layer; empty: not wanted. Not asked of a layer that is drawn in order.
    MatrixRef mean = {}, second = {};
    /// Rows of the tile; empty: not wanted, which it is only where energy_follows said so. Adds Σ x f over the units drawn, f
    /// being what other units add to the field of each, before bias and β.
    std::span<double> products = {};
    /// False: `mean`, or `products` of the states as they are, is wanted alone, and the states are left as they are.
    bool states = true;
    bool backward = false;  ///< what is drawn unit by unit goes from the last to the first
  };
  virtual ~LayerKernel();
  /// Whether `redraw` can draw this layer.
  virtual bool draws(LayerId layer) const = 0;
  /// Whether `redraw` of the whole layer may stand for drawing these blocks of it one after the other: it does the same, or
  /// it draws them from their joint law given all others. Of the blocks in the opposite order it is asked with
  /// Draw::backward, and must then be the reversal of what it does in order.
  virtual bool follows(LayerId layer, std::span<const Block* const> blocks) const = 0;
  /// Whether its units may be cut into pieces that are drawn side by side; if not, `redraw` is asked for all of them.
  virtual bool divisible(LayerId layer) const = 0;
  virtual void redraw(const Draw& draw, ChainView x) const = 0;
  /// Whether the energy follows from Draw::products of these layers. It is asked of layers that are independent of each other given the
  /// others alone, and then of `redraw` without a draw as well as with one.
  virtual bool energy_follows(LayerSet) const { return false; }
  /// out[r] = E(x_r), where products[r] is what Draw::products of the layers in `drawn` came to. In double but for the fields
  /// that the draws were made from.
  virtual void energy(LayerSet drawn, std::span<const double> products, ConstChainView x, std::span<double> out) const;
};

/// Capability: E_q[∂E/∂θ] in closed form for any q that factorizes over units. Who offers it promises besides that the
/// energy is linear in each unit's x, the others given, but for terms ½ γ x² with γ as BlockConditionals::fields writes
/// it: so that the fields at the means are the mean fields, and E_q[E] = E(means) + ½ Σ γ Var.
class FactorizedExpectation {
 public:
  virtual ~FactorizedExpectation();
  /// gradient += Σ_r weights[r] · E_{q_r}[∂E/∂θ].
  virtual void add_gradient(const Moments& q, std::span<const double> weights, std::span<Real> gradient,
                            const Executor& executor) const = 0;
};

/// Capability: the free energy of some layers, the others summed or integrated out in closed form.
class FreeEnergy {
 public:
  virtual ~FreeEnergy();
  /// Whether the layers that are not in `kept` can be summed out in closed form.
  virtual bool closed(LayerSet kept) const = 0;
  /// out[r] = −log Σ_rest exp(−β E(x_r)); reads the kept layers only. Double arithmetic in both precisions.
  virtual void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const = 0;
  /// gradient += Σ_r weights[r] · ∂F(x_r)/∂θ at β = 1, which is E[∂E/∂θ | kept layers of row r]; reads the kept layers only.
  virtual void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                            const Executor& executor) const = 0;
  /// A neighbor of a row: the row with one unit of a kept layer, of discrete units, in state s of its S. Here
  /// out(r, i S + s) = F(x_r) − F(x_r with unit units[i] in state s) at β: the log of how much more probable the neighbor
  /// is than the row. The default evaluates every neighbor; a model that can tell from differences should.
  virtual void log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                          std::span<const Index> units, MatrixView<double> out) const;
  /// gradient += Σ_r Σ_(u,s) weights(r, u S + s) · ∂F/∂θ of that neighbor, over all units u of `layer`, at β = 1. The
  /// default makes every neighbor of a weight other than 0; a model that can do it from differences should.
  virtual void add_neighbor_gradient(const Layout& layout, LayerSet kept, ConstChainView x, LayerId layer,
                                     MatrixView<const double> weights, std::span<Real> gradient,
                                     const Executor& executor) const;
  /// out(r, i) = log p(x_u | all other kept units) of row r, u = units[i]: the terms of the pseudo likelihood (Besag
  /// 1975), −log Σ_s exp of the log ratios.
  void log_conditionals(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                        std::span<const Index> units, MatrixView<double> out) const;
  /// Multiplications and additions that one row costs, for budgets.
  virtual double operations(LayerSet kept) const = 0;
};

/// Capability: ∂E/∂x of the continuous layers. Enough for Langevin and Hamiltonian dynamics.
class StateGradient {
 public:
  virtual ~StateGradient();
  /// out[layer] = ∂E/∂x_layer, empty views are not written.
  virtual void evaluate(ConstChainView x, std::span<const MatrixRef> out) const = 0;
};

/// Capability: the score ψ = −∂F/∂x of continuous layers, F being their free energy with all others summed out, and what
/// score matching asks of it (Hyvärinen 2005).
class Score {
 public:
  virtual ~Score();
  /// Whether the score of the layers of `kept` can be had in closed form.
  virtual bool offered(LayerSet kept) const = 0;
  /// score[layer] = ψ, for each kept layer; divergence[r] = Σ_j ∂ψ_j/∂x_j, not written where the span is empty.
  virtual void evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                        std::span<double> divergence) const = 0;
  /// gradient += Σ_r weights[r] · ∂/∂θ [v_r · ψ(x_r) + divergence_weight · Σ_j ∂ψ_j(x_r)/∂x_j], v_r being the fixed vectors
  /// directions[layer] of the kept layers.
  virtual void add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                            std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                            const Executor& executor) const = 0;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
