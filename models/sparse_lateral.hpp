#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>
#include <harmonium/framework/model/chains.hpp>
#include <harmonium/models/graph_coloring.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Two columns of a layer, a < b, of different units, and which entry of a tensor couples them.
struct CoupledColumns {
  std::uint32_t a, b;
  Index entry;
};

/// The couplings within a layer of which few exist, L in −½ xᵀ L x, as compressed rows of columns, and a coloring of the
/// units. Values follow θ at each refresh().
class SparseLateral {
 public:
  /// `pairs`: no pair twice; an entry may couple several. `columns` of the layer, `width` a unit.
  SparseLateral(const std::vector<CoupledColumns>& pairs, Index columns, Index width);

  /// Takes the values of the couplings from the entries of their tensor.
  void refresh(const Real* entries);

  /// Appends to the neighbors of each unit those that it is coupled with.
  void add_neighbors(Neighbors& neighbors) const;
  /// For layers of one column a unit.
  SparseCoupling<Real> view() const;

  /// Σ_j L_cj x_j of a row of the layer.
  template <class T>
  T field(const T* row, Index column) const {
    T sum = 0;
    for (Index e = begin_[column]; e < begin_[column + 1]; ++e) sum += row[neighbor_[e]] * static_cast<T>(value_[e]);
    return sum;
  }
  /// out[r] += factor · ½ x_rᵀ L x_r
  void add_quadratic_forms(double factor, MatrixView<const double> x, std::span<double> out) const;
  /// entries[e] −= Σ_r weights[r] x(r, a) x(r, b), summed over the pairs (a, b) of the entry e with a of [begin, end).
  void add_gradient(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end,
                    std::span<Real> entries) const;
  /// out −= L, columns × columns.
  void subtract_from(MatrixView<double> out) const;
  /// entries[e] −= factor · Σ m(a, b) over the pairs (a, b) of the entry e.
  void subtract_pairs(double factor, MatrixView<const double> m, std::span<Real> entries) const;
  /// Whether an entry couples several pairs: add_gradient is then for all columns at once.
  bool shares_entries() const { return shares_entries_; }
  /// How many multiplications all fields take.
  double num_products() const { return static_cast<double>(neighbor_.size()); }

 private:
  Neighbors units_;  ///< of each unit, those that it is coupled with
  std::vector<std::uint32_t> order_;
  std::vector<Index> class_end_;
  std::vector<Index> begin_;
  std::vector<std::uint32_t> neighbor_;
  std::vector<Index> entry_;
  std::vector<Real> value_;
  bool shares_entries_ = false;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
