#pragma once

#include <cstdint>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Said in place of a number of ones where some element is neither 0 nor 1.
constexpr Index not_bits = static_cast<Index>(-1);

/// Where each of several rows of bits has its ones. Plain data.
struct BitLists {
  const std::uint16_t* list;  ///< positions
  const Index* begin;         ///< row r has the entries [begin[r], end[r])
  const Index* end;
};

/// out = keep · out + factor · sum; with keep = 0 what `out` was does not matter, NaN included.
template <class T>
struct SparseSum {
  T factor, keep;
};

/// The vectorized parts of a product X W of bits X and numbers W, in panels of `columns` columns of W, which are packed side by
/// side or read where they are. All instruction sets compute the same bits. None throws; all may be called concurrently on disjoint outputs.
template <class T>
struct SparseSums {
  Index columns;  ///< of a panel: of double half as many as of float

  /// How many of x are 1; `not_bits` where one is neither 0 nor 1.
  Index (*count_ones)(const T* x, Index n);
  /// The positions of the ones among n ≤ 2^16 elements, ascending; how many there are. Memory for n + 16 is needed.
  Index (*list_ones)(const T* x, Index n, std::uint16_t* list);

  /// packed[k · columns + c] = w(k, c), 0 beyond w.cols ≤ columns; of the other w(c, k), 0 beyond w.rows.
  void (*pack)(MatrixView<const T> w, T* packed);
  void (*pack_transposed)(MatrixView<const T> w, T* packed);

  /// Row r of `out` (at most `columns` columns) by the sum of the rows of the panel that are listed: those at even places plus
  /// those at odd ones. Row k of the panel begins at panel + k · stride: `columns`, where it is packed.
  void (*add)(const BitLists& lists, const T* panel, Index stride, const SparseSum<T>& how, MatrixView<T> out);
};

}  // namespace v1
}  // namespace harmonium
