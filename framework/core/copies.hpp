#pragma once

#include <algorithm>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Copies all entries, converted to the other type, between matrices of one shape.
template <class From, class To>
void copy(MatrixView<From> from, MatrixView<To> to) {
  HARMONIUM_ASSERT(from.rows == to.rows && from.cols == to.cols);
  for (Index r = 0; r < from.rows; ++r)
    std::transform(from.row(r), from.row(r) + from.cols, to.row(r), [](From x) { return static_cast<To>(x); });
}

/// Every row of `to` becomes `row`.
template <class Row, class To>
void copy_to_rows(const Row& row, MatrixView<To> to) {
  HARMONIUM_ASSERT(std::size(row) == to.cols);
  for (Index r = 0; r < to.rows; ++r) std::copy(std::begin(row), std::end(row), to.row(r));
}

}  // namespace v1
}  // namespace harmonium
