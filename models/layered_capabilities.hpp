#pragma once

#include <harmonium/framework/model/capabilities.hpp>

// What a layered model offers, each a class of its own that asks the model's terms. Part of layered.hpp.

namespace harmonium {
inline namespace HARMONIUM_ABI {

class LayeredModel;

/// Layers whose units no term couples with each other are one block; others have a block a color of the graph of what is
/// coupled, or a block a unit.
class LayeredConditionals final : public BlockConditionals {
 public:
  explicit LayeredConditionals(const LayeredModel& model) : model_(model) {}
  const std::vector<Block>& blocks() const override;
  void fields(const Block& block, Index begin, Index end, ConstChainView x, const Fields& out) const override;
  bool independent(LayerSet free, LayerSet given) const override;

 private:
  const LayeredModel& model_;
};

/// Draws whole layers: of independent units, of units of two states in order, of Gaussian ones jointly.
class LayeredKernel final : public LayerKernel {
 public:
  explicit LayeredKernel(const LayeredModel& model) : model_(model) {}
  bool draws(LayerId layer) const override;
  bool follows(LayerId layer, std::span<const Block* const> blocks) const override;
  bool divisible(LayerId layer) const override;
  void redraw(const Draw& draw, ChainView x) const override;
  /// Where what couples these layers with others is bilinear and nothing couples them with each other.
  bool energy_follows(LayerSet drawn) const override;
  void energy(LayerSet drawn, std::span<const double> products, ConstChainView x, std::span<double> out) const override;

 private:
  void redraw_independent(const Draw& draw, ChainView x) const;
  void redraw_in_order(const Draw& draw, ChainView x) const;
  /// Coupled Gaussian units of a layer from their joint law given the others; in rows of which some are held, in order.
  void redraw_jointly(const Draw& draw, ChainView x) const;
  /// Whether the units have two states and one column: what is drawn in order by a kernel of its own.
  bool two_states(LayerId layer) const;

  const LayeredModel& model_;
};

/// Energies of the terms among the kept layers; of each other layer the log partition at the fields that the kept ones give
/// it, and of jointly normal ones together that of their law.
class LayeredFreeEnergy final : public FreeEnergy {
 public:
  explicit LayeredFreeEnergy(const LayeredModel& model) : model_(model) {}
  bool closed(LayerSet kept) const override;
  void evaluate(LayerSet kept, double beta, ConstChainView x, std::span<double> out) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                    const Executor& executor) const override;
  void log_ratios(const Layout& layout, LayerSet kept, double beta, ConstChainView x, LayerId layer,
                  std::span<const Index> units, MatrixView<double> out) const override;
  void add_neighbor_gradient(const Layout& layout, LayerSet kept, ConstChainView x, LayerId layer,
                             MatrixView<const double> weights, std::span<Real> gradient,
                             const Executor& executor) const override;
  double operations(LayerSet kept) const override;

 private:
  /// Of the layers that are not kept (layered_free_energy_gradient.cpp).
  class RestMoments;

  /// `evaluate` of some of the rows; `coupled`: the Gaussian layers that are jointly normal. `work` is memory to use again.
  void evaluate_strip(LayerSet kept, LayerSet coupled, double beta, ConstChainView x, std::vector<double>& work,
                      std::span<double> out) const;
  /// Whether the neighbors of a row can be had from differences of fields.
  bool from_differences(LayerSet kept) const;

  const LayeredModel& model_;
};

/// Of Gaussian layers, the others being discrete or Gaussian and not coupled with one another.
class LayeredScore final : public Score {
 public:
  explicit LayeredScore(const LayeredModel& model) : model_(model) {}
  bool offered(LayerSet kept) const override;
  void evaluate(LayerSet kept, ConstChainView x, std::span<const MatrixRef> score,
                std::span<double> divergence) const override;
  void add_gradient(LayerSet kept, ConstChainView x, std::span<const ConstMatrixRef> directions,
                    std::span<const double> weights, double divergence_weight, std::span<Real> gradient,
                    const Executor& executor) const override;

 private:
  const LayeredModel& model_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
