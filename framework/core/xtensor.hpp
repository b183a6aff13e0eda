#pragma once

#include <array>

#include <xtensor/xadapt.hpp>
#include <xtensor/xview.hpp>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// An xtensor expression over the matrix `m`, without a copy; writing to it writes to the matrix. For use inside a
/// translation unit: xtensor's types differ with its compile flags and must not cross a library boundary.
template <class T>
auto as_xtensor(MatrixView<T> m) {
  // A view of whole rows, as an adaptor with strides of its own cannot be assigned to.
  const std::array<Index, 2> shape{m.rows, m.stride};
  return xt::view(xt::adapt(m.data, m.rows * m.stride, xt::no_ownership(), shape), xt::all(),
                  xt::range(Index{0}, m.cols));
}

/// The matrix view of a row-major xtensor container of two dimensions, without a copy.
template <class Container>
auto as_matrix(Container& x) {
  return MatrixView<std::remove_pointer_t<decltype(x.data())>>{x.data(), x.shape(0), x.shape(1), x.shape(1)};
}

}  // namespace v1
}  // namespace harmonium
