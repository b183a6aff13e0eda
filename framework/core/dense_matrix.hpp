#pragma once

#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// A row-major matrix of doubles that owns its memory; zeros at first.
struct DenseMatrix {
  DenseMatrix() = default;
  DenseMatrix(Index r, Index c) : rows(r), cols(c), values(r * c, 0.0) {}

  double* row(Index r) { return values.data() + r * cols; }
  const double* row(Index r) const { return values.data() + r * cols; }
  double& operator()(Index r, Index c) { return values[r * cols + c]; }
  double operator()(Index r, Index c) const { return values[r * cols + c]; }
  MatrixView<double> view() { return {values.data(), rows, cols, cols}; }
  MatrixView<const double> view() const { return {values.data(), rows, cols, cols}; }

  Index rows = 0, cols = 0;
  std::vector<double> values;
};

}  // namespace v1
}  // namespace harmonium
