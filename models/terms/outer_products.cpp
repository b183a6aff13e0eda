#include <harmonium/models/terms/outer_products.hpp>

#include <algorithm>
#include <array>

#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/exact_dot.hpp>
#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void subtract_outer_products(ConstMatrixRef a, ConstMatrixRef b, std::span<const double> weights, MatrixRef out,
                             const Executor& executor) {
  const bool equal = std::ranges::all_of(weights, [&](double w) { return w == weights[0]; });
  std::vector<Real> scaled;
  if (!equal) {
    scaled.resize(b.rows * b.cols);
    for (Index r = 0; r < b.rows; ++r)
      for (Index j = 0; j < b.cols; ++j) scaled[r * b.cols + j] = static_cast<Real>(weights[r]) * b(r, j);
    b = {scaled.data(), b.rows, b.cols, b.cols};
  }
  const Real factor = equal ? static_cast<Real>(-weights[0]) : Real{-1};
  executor.for_each_piece(a.cols, Tiling::panel(a.cols), [&](Index begin, Index end) {
    add_state_outer_products(factor, a.columns(begin, end), b, out.slice(begin, end));
  });
}

std::vector<double> weighted_sums(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end) {
  constexpr Index together = 4;  // rows a pass, so that the sums are read and written once for four of x
  std::vector<double> sums(end - begin, 0.0);
  for (Index r = 0; r < x.rows; r += together) {
    std::array<const Real*, together> row{};
    std::array<Real, together> w{};
    for (Index k = 0; k < together; ++k) {
      row[k] = x.row(std::min(r + k, x.rows - 1)) + begin;
      w[k] = r + k < x.rows ? static_cast<Real>(weights[r + k]) : Real{0};
    }
    for (Index c = 0; c < sums.size(); ++c)
      sums[c] += static_cast<double>((w[0] * row[0][c] + w[1] * row[1][c]) + (w[2] * row[2][c] + w[3] * row[3][c]));
  }
  return sums;
}

void add_few_rows(MatrixView<const double> x, ConstMatrixRef w, MatrixView<double> out) {
  for (Index r = 0; r < x.rows; ++r) {
    double* const to = out.row(r);
    for (Index i = 0; i < x.cols; ++i) {
      const double state = x(r, i);
      if (state == 0.0) continue;
      const Real* const from = w.row(i);
      for (Index c = 0; c < w.cols; ++c) to[c] += state * static_cast<double>(from[c]);
    }
  }
}

void add_bilinear_forms(double factor, MatrixView<const double> x, MatrixView<const double> w,
                        MatrixView<const double> y, std::span<double> out) {
  std::vector<double> product(x.rows * w.cols);
  const MatrixView<double> along{product.data(), x.rows, w.cols, w.cols};
  state_product(x, Transpose::no, w, 0.0, along);
  for (Index r = 0; r < x.rows; ++r) out[r] += factor * exact_dot(along.row(r), y.row(r), w.cols);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
