#pragma once

#include <cstdint>
#include <string_view>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// How a product with a matrix of states is made. Where all states are 0 or 1, `sparse_sums` adds up the rows of the other
/// factor whose state is 1: no zero is multiplied. Where they are that, or gray levels k / 255, `integer_tiles` rounds each column of the
/// other factor to 24 bits and sums integers (IntegerTiles), `integer_tiles_16` to 16 bits. `automatic` takes whichever of gemm,
/// sparse_sums and integer_tiles costs least by a count of operations (CostOfProducts), which depends on sizes, on how many states
/// are 1, on the instruction set and on the BLAS library, never on a clock. Where a way is not for the states, gemm makes the product.
enum class ProductWay { automatic, gemm, sparse_sums, integer_tiles, integer_tiles_16 };

std::string_view name_of(ProductWay way);
/// The way of that name; automatic of nothing. Throws ConfigError, for the variable HARMONIUM_PRODUCTS, where it is none.
ProductWay product_way_named(std::string_view name);
/// The way that the environment variable HARMONIUM_PRODUCTS names at the first call. Throws as product_way_named does.
ProductWay product_way();

/// rows × inner states times inner × cols numbers, and how the numbers lie: as they are multiplied, or transposed; of an outer
/// product the states lie transposed.
struct ProductShape {
  enum Factor : std::uint8_t { as_it_is, transposed, of_outer_product };
  Index rows, inner, cols;
  Factor factor;
};

/// What operations cost, in nanoseconds on one machine (Zen 5); only ratios matter.
struct CostOfProducts {
  Index columns;         ///< of a panel
  double gemm;           ///< of a multiplication and addition of gemm
  double addition;       ///< of an element of a row that is summed
  double packing;        ///< of an element of the right factor
  double transposition;  ///< the same of one that lies transposed
  double listing;        ///< of a state
  double scattering;     ///< of a 1 of an outer product, beside
  double row;            ///< of a row, a panel of columns and a part that is added up together
  double call;

  /// Of sums of integers, in units of the sparse sums of the machine where both were measured.
  struct OfTiles {
    double multiplication;  ///< and addition, of all pieces; 0 where there are no instructions for it
    double packing;         ///< of an element of the right factor
    double transposition;   ///< the same of one that lies transposed
    double reading;         ///< of a state
    double field;           ///< of an element of the result
    Index rows, inner;      ///< that are multiplied at once
    double beside_gemm;     ///< by which these are multiplied beside gemm
  } tiles;

  /// Parts of a row of states whose ones are added up together: so many rows of a panel stay in the first cache, or nearly so.
  static Index parts_of(Index inner) {
    constexpr Index most_together = 160;
    return (inner + most_together - 1) / most_together;
  }

  /// For an instruction set of this machine and a BLAS library, by their names (instruction_set, blas_name).
  static CostOfProducts of(std::string_view isa, std::string_view blas);
  /// Of numbers in double precision: half as many in a vector, and no tiles of integers.
  CostOfProducts in_double() const;
  /// For the instruction set and the library that are in use, and numbers in double or in single precision.
  static CostOfProducts here(bool in_double);
  /// The cheaper way of those that do not depend on how many states are 1: gemm or integer_tiles.
  ProductWay dense_way(const ProductShape& shape) const;
  /// The share of ones up to which sparse sums cost less than the dense way; 0 or below: never.
  double limit(const ProductShape& shape) const;

 private:
  static double of_gemm(const ProductShape& shape, double each);
  double of_tiles(const ProductShape& shape) const;
};

/// c = keep c + x op(w). In double precision integer_tiles are for nothing: gemm.
void state_product(MatrixView<const float> x, Transpose w_op, MatrixView<const float> w, float keep,
                   MatrixView<float> c, ProductWay way = product_way());
void state_product(MatrixView<const double> x, Transpose w_op, MatrixView<const double> w, double keep,
                   MatrixView<double> c, ProductWay way = product_way());
/// c += factor aᵀ b, where the rows of a are states.
void add_state_outer_products(float factor, MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                              ProductWay way = product_way());
void add_state_outer_products(double factor, MatrixView<const double> a, MatrixView<const double> b,
                              MatrixView<double> c, ProductWay way = product_way());

}  // namespace v1
}  // namespace harmonium
