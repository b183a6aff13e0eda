#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <harmonium/framework/kernels/sparse_sums.hpp>

/// What products and sweeps of rows of states share. Internal to this folder.
namespace harmonium {
inline namespace v1 {

constexpr Index most_positions = Index{1} << 16;  ///< of 16-bit lists

/// So many elements of `memory`, which grows and is kept from call to call, from its first cache line on.
template <class T>
T* aligned_part(std::vector<T>& memory, Index elements) {
  constexpr Index line = 64 / sizeof(T);
  memory.resize(std::max<Index>(memory.size(), elements + line));
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (64 - address % 64) % 64 / sizeof(T);
}

/// How many states of x are 1; `not_bits` where some are neither 0 nor 1.
template <class T>
Index count_ones(const SparseSums<T>& sums, MatrixView<const T> x) {
  Index sum = 0;
  for (Index r = 0; r < x.rows; ++r) {
    const Index ones = sums.count_ones(x.row(r), x.cols);
    if (ones == not_bits) return not_bits;
    sum += ones;
  }
  return sum;
}

}  // namespace v1
}  // namespace harmonium
