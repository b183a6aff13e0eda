#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <harmonium/framework/core/assert.hpp>

/// Two kinds of code. What never names Real (errors, configuration, readers, files, kernels, the program's face) is
/// compiled once, in the inline namespace harmonium::v1. What does is compiled once per precision, in the inline
/// namespace harmonium::v1_f32 or harmonium::v1_f64, so that both can live in one process. A translation unit sees one
/// of the two. Nothing that depends on Real stands outside them: an inline function outside would silently take
/// whichever half the linker met first. (A test reads the symbol tables.)
#if defined(HARMONIUM_SINGLE_PRECISION)
#define HARMONIUM_ABI v1_f32
#else
#define HARMONIUM_ABI v1_f64
#endif

namespace harmonium {
inline namespace v1 {

using Index = std::size_t;

/// Position of a layer in a Layout; a unit's index is not one.
enum class LayerId : std::uint32_t {};

/// Non-owning row-major matrix: plain data, so it may cross the plugin boundary. `stride` is the distance of two rows
/// in elements. `core/xtensor.hpp` makes an xtensor expression of it without a copy.
template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0, cols = 0, stride = 0;

  T* row(Index r) const { return data + r * stride; }
  /// Row r with its length.
  std::span<T> operator[](Index r) const {
    HARMONIUM_ASSERT(r < rows);
    return {row(r), cols};
  }
  T& operator()(Index r, Index c) const {
    HARMONIUM_ASSERT(data && r < rows && c < cols);
    return data[r * stride + c];
  }
  bool empty() const { return rows == 0 || cols == 0; }
  /// Whether the rows follow each other without a gap, so that all numbers are one span.
  bool contiguous() const { return stride == cols || rows <= 1; }
  std::span<T> all() const {
    HARMONIUM_ASSERT(contiguous());
    return {data, rows * cols};
  }
  /// Rows [begin, end).
  MatrixView slice(Index begin, Index end) const {
    HARMONIUM_ASSERT(begin <= end && end <= rows);
    return {data + begin * stride, end - begin, cols, stride};
  }
  /// Columns [begin, end).
  MatrixView columns(Index begin, Index end) const {
    HARMONIUM_ASSERT(begin <= end && end <= cols);
    return {data + begin, rows, end - begin, stride};
  }
  // A view of what may be written is a view of what may be read.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }
};

}  // namespace v1

inline namespace HARMONIUM_ABI {

#if defined(HARMONIUM_SINGLE_PRECISION)
using Real = float;
#else
using Real = double;
#endif
using MatrixRef = MatrixView<Real>;
using ConstMatrixRef = MatrixView<const Real>;

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
