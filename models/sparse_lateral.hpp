#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/models/graph_coloring.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The couplings within a layer of which only those that a mask names exist, as compressed rows of columns, and a
/// coloring of the units. Values follow θ at each refresh().
class SparseLateral {
 public:
  /// `mask` (columns × columns): symmetric, nothing within a unit; `width` columns a unit.
  SparseLateral(MatrixView<const std::uint8_t> mask, Index width);

  /// Takes the values of the couplings from their tensor.
  void refresh(ConstMatrixRef coupling);

  /// Appends to the neighbors of each unit those that it is coupled with.
  void add_neighbors(Neighbors& neighbors) const;
  /// For layers of one column a unit.
  SparseCoupling<Real> view() const;

  /// Σ_j L_cj x_j of a row of the layer.
  Real field(const Real* row, Index column) const {
    Real sum = 0;
    for (Index e = begin_[column]; e < begin_[column + 1]; ++e) sum += row[neighbor_[e]] * value_[e];
    return sum;
  }
  /// out[r] += factor · ½ x_rᵀ L x_r
  void add_quadratic_forms(double factor, MatrixView<const double> x, std::span<double> out) const;
  /// out(c, j) −= Σ_r weights[r] x(r, c) x(r, j) for the entries that exist, c of [begin, end) and j > c.
  void add_gradient(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end, MatrixRef out) const;
  double entries() const { return static_cast<double>(neighbor_.size()); }

 private:
  Neighbors units_;  ///< of each unit, those that it is coupled with
  std::vector<std::uint32_t> order_;
  std::vector<Index> class_end_;
  std::vector<Index> begin_;
  std::vector<std::uint32_t> neighbor_;
  std::vector<Real> value_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
