#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <harmonium/framework/execution/executor.hpp>
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
  /// out = keep · out + x L, of whole rows of the layer: those of `field`, to the bit. With keep = 0 what `out` was does not
  /// matter.
  template <class T>
  void add_fields(MatrixView<const T> x, T keep, MatrixView<T> out) const;
  /// out[r] += factor · ½ x_rᵀ L x_r
  void add_quadratic_forms(double factor, MatrixView<const double> x, std::span<double> out) const;
  /// entries[e] −= Σ_r weights[r] x(r, a) x(r, b), summed over the pairs (a, b) of the entry e. The same bits for any number of
  /// threads.
  void add_gradient(ConstMatrixRef x, std::span<const double> weights, std::span<Real> entries,
                    const Executor& executor) const;
  /// out −= L, columns × columns.
  void subtract_from(MatrixView<double> out) const;
  /// out(b, a) = out(a, b) for each pair, columns × columns.
  void mirror(MatrixRef out) const;
  /// entries[e] −= factor · Σ m(a, b) over the pairs (a, b) of the entry e.
  void subtract_pairs(double factor, MatrixView<const double> m, std::span<Real> entries) const;
  /// How many multiplications all fields take.
  double num_products() const { return static_cast<double>(neighbor_.size()); }

 private:
  /// `field` of several rows, whose numbers of a column lie side by side.
  template <class OfRows>
  OfRows fields(const OfRows* columns, Index column) const;
  /// Σ_r weights[r] x(r, a) x(r, b) of the pairs (a, b), a < b, with a of [begin, end): at the place of b among the neighbors of
  /// a, from those of `begin` on.
  std::vector<double> products(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end) const;

  Neighbors units_;  ///< of each unit, those that it is coupled with
  std::vector<std::uint32_t> order_;
  std::vector<Index> class_end_;
  std::vector<Index> begin_;
  std::vector<std::uint32_t> neighbor_;
  std::vector<Index> entry_;
  std::vector<Real> value_;
  bool shares_entries_ = false;  ///< whether an entry couples several pairs
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
