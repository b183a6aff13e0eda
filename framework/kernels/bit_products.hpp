#pragma once

#include <string_view>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// How a product with a matrix of states is made. Where all states are 0 or 1, `sparse_sums` adds up the rows of the other
/// factor whose state is 1 (or takes those whose state is 0 from the sum of all, where these are fewer): no zero is multiplied.
/// `automatic` takes whichever costs less by a count of operations (CostOfProducts), which depends on sizes, states and the
/// instruction set alone, never on a clock.
enum class ProductWay { automatic, gemm, sparse_sums };

std::string_view name_of(ProductWay way);
/// The way of that name: automatic (or nothing), gemm or sparse_sums. Throws ConfigError, for the variable
/// HARMONIUM_PRODUCTS, where it is none of these.
ProductWay product_way_named(std::string_view name);
/// The way that the environment variable HARMONIUM_PRODUCTS names at the first call. Throws as product_way_named does.
ProductWay product_way();

/// What operations cost, in nanoseconds on one machine (Zen 5); only ratios matter. What is counted and what it is multiplied by
/// depends on sizes and states alone.
struct CostOfProducts {
  double gemm;           ///< of a multiplication and addition of gemm
  double addition;       ///< of an element of a row that is summed
  double packing;        ///< of an element of the right factor
  double transposition;  ///< of an element of the right factor that is transposed as well
  double listing;        ///< of a state
  double row;            ///< of a row, a panel of columns and a part that is added up together

  /// For an instruction set and a BLAS library, by their names (Kernels::name, blas_name).
  static CostOfProducts of(std::string_view isa, std::string_view blas);
  /// The share of states that may be listed for sparse sums to cost less than gemm, for x (rows × inner) times op(w) (inner ×
  /// cols); below 0: none. Of more ones than half the zeros are listed: from 0.5 on all densities are served.
  double limit(Index rows, Index inner, Index cols, Transpose w_op) const;
};

/// c = keep c + x op(w).
void state_product(MatrixView<const float> x, Transpose w_op, MatrixView<const float> w, float keep,
                   MatrixView<float> c, ProductWay way = product_way());
/// c += factor aᵀ b, where the rows of a are states.
void add_state_outer_products(float factor, MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                              ProductWay way = product_way());

// In double precision always gemm.
inline void state_product(MatrixView<const double> x, Transpose w_op, MatrixView<const double> w, double keep,
                          MatrixView<double> c) {
  gemm(Transpose::no, w_op, 1.0, x, w, keep, c);
}
inline void add_state_outer_products(double factor, MatrixView<const double> a, MatrixView<const double> b,
                                     MatrixView<double> c) {
  gemm(Transpose::yes, Transpose::no, factor, a, b, 1.0, c);
}

}  // namespace v1
}  // namespace harmonium
