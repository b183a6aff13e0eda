#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// out −= Σ_r weights[r] a_rᵀ b_r (columns of a × columns of b): ∂/∂W of −aᵀWb. Parameters are cut, not rows: no sum over
/// threads is ever needed.
void subtract_outer_products(ConstMatrixRef a, ConstMatrixRef b, std::span<const double> weights, MatrixRef out,
                             const Executor& executor);

/// Σ_r weights[r] x(r, c) for columns [begin, end), in double: a sum over many rows in single precision would lose the
/// same part of each term that is small beside it, which is a bias.
std::vector<double> weighted_sums(ConstMatrixRef x, std::span<const double> weights, Index begin, Index end);

/// Rows for which a product in double costs less by add_few_rows than one that asks for W in double.
constexpr Index few_rows = 4;
/// out += x W, in the order of the rows of W that have a state other than 0.
void add_few_rows(MatrixView<const double> x, ConstMatrixRef w, MatrixView<double> out);

/// out[r] += factor · x_r W y_rᵀ
void add_bilinear_forms(double factor, MatrixView<const double> x, MatrixView<const double> w,
                        MatrixView<const double> y, std::span<double> out);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
