#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/exact_rows.hpp>
#include <harmonium/framework/model/per_layer.hpp>
#include <harmonium/models/unit_moves.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace HARMONIUM_ABI {

class LayeredModel;

/// Adds Σ c ∂F(y)/∂θ over the neighbors y of rows x, weighed by c. The neighbor of unit u in state s is y = x + d, d within the
/// unit's columns, with means q(y) of the summed layers. Where ∂E/∂θ is bilinear in the means, the sum of a row is that of
/// four rows of means,
///   (x, Σ c q)   (x, 0) (C − 1)   ½ (x + Δ, 0)   −½ (x − Δ, 0),   C = Σ c, Δ = Σ c d,
/// and of what is left, −Σ c d qᵀ in the couplings with the summed layers. All weights are taken in units of the largest, so that
/// what cancels is no larger than what is left.
class NeighborGradient {
 public:
  NeighborGradient(const LayeredModel& model, LayerSet kept, LayerId layer, const Executor& executor);

  /// The four rows of means of each row of x; `weights`: rows × neighbors.
  void add(ConstChainView x, MatrixView<const double> weights, std::span<Real> gradient);
  /// What is left, once, after the last rows.
  void add_left(std::span<Real> gradient) const;

 private:
  struct Summed {
    LayerId layer;
    Index columns;
    std::vector<Real> couplings, gamma;
    std::vector<Real> slab_left;  ///< −Σ c d qᵀ of the slab, in its unit
    std::vector<double> left;     ///< of all slabs: float32 would lose what many rows add
  };
  /// Four rows of first and second moments for each row of a slab, one matrix a layer.
  struct Means {
    std::vector<Real> mean, second;
  };
  /// Rows of a slab, their neighbors' weights, and sums of these.
  struct Slab {
    Slab(ConstChainView rows, LayerId layer, MatrixView<const double> weights, const UnitMoves& moves);
    void set_unmoved(const UnitMoves& moves);
    void set_squares(const UnitMoves& moves);
    ConstChainView x;
    ConstMatrixRef own;
    double unit;                  ///< of the weights: a power of two, so that nothing is rounded
    Matrix<double> c;             ///< in this unit, as all that follows
    std::vector<double> total;    ///< Σ c of a row
    std::vector<double> unmoved;  ///< that of those neighbors which are the row itself, where layers are summed out
    std::vector<Real> shift;      ///< Δ = Σ c (y − x)
    std::vector<Real> square;     ///< Σ c y², of units that have a curvature
  };
  void moments(const Summed& s, std::vector<Real>& linear, Index rows, std::vector<Real>& second) const;
  /// Σ c q and Σ c E_q[h²] of a summed layer.
  Means summed_means(Summed& s, const Slab& slab) const;
  /// The part of panel p of the units of it, and what is left of theirs.
  void sum_moved(Summed& s, const Slab& slab, const std::vector<Real>& field, Index p, Means& sums) const;
  Means kept_means(LayerId layer, const Slab& slab) const;

  static constexpr Index panel = 16;  ///< units that share a task
  const LayeredModel& model_;
  LayerSet kept_;
  LayerId layer_;
  const Executor& executor_;
  UnitMoves moves_;
  std::vector<Summed> summed_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
