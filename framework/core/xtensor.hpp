#pragma once

#include <array>
#include <numeric>
#include <span>

#include <xtensor/xadapt.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/core/zeroed_allocator.hpp>

/// Vectors and matrices of numbers as xtensor expressions. The layout of a container of xtensor's goes by its allocator, and
/// xtensor's own choice of one by the compiler's flags: those here name one, so that they are the same type everywhere.
namespace harmonium {
inline namespace v1 {

/// Numbers that own their memory; zeros where made by a size.
template <class T>
using Vector = xt::xtensor<T, 1, xt::layout_type::row_major, ZeroedAllocator<T>>;
template <class T>
using Matrix = xt::xtensor<T, 2, xt::layout_type::row_major, ZeroedAllocator<T>>;

template <class T>
Vector<T> zeros(Index size) {
  return Vector<T>(std::array<Index, 1>{size});
}
template <class T>
Matrix<T> zeros(Index rows, Index cols) {
  return Matrix<T>(std::array<Index, 2>{rows, cols});
}

/// An expression over the numbers of `x`, without a copy; writing to it writes to them.
template <class T>
auto as_xtensor(std::span<T> x) {
  return xt::adapt(x.data(), x.size(), xt::no_ownership(), std::array<Index, 1>{x.size()});
}
template <class T>
auto as_xtensor(MatrixView<T> m) {
  // A view of whole rows, as an adaptor with strides of its own cannot be assigned to.
  const std::array<Index, 2> shape{m.rows, m.stride};
  return xt::view(xt::adapt(m.data, m.rows * m.stride, xt::no_ownership(), shape), xt::all(),
                  xt::range(Index{0}, m.cols));
}

/// The numbers of `x` to be assigned to, without xtensor's temporary: for expressions that read of `x`, if anything, each
/// number in its own place.
template <class T>
auto in_place(std::span<T> x) {
  return xt::noalias(as_xtensor(x));
}
template <class T>
auto in_place(MatrixView<T> x) {
  return xt::noalias(as_xtensor(x));
}

/// Σ of an expression's entries, one after the other: the same bits as the loop. (A reduction of xtensor's may add up parts.)
template <class Expression>
double sum_in_order(const Expression& x) {
  return std::accumulate(x.begin(), x.end(), 0.0);
}

/// The matrix view of a row-major xtensor container of two dimensions, without a copy.
template <class Container>
auto as_matrix(Container& x) {
  return MatrixView<std::remove_pointer_t<decltype(x.data())>>{x.data(), x.shape(0), x.shape(1), x.shape(1)};
}

/// Row r of such a container.
template <class Container>
auto row_of(Container& x, Index r) {
  return as_matrix(x)[r];
}

}  // namespace v1
}  // namespace harmonium
