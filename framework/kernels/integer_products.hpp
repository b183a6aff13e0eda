#pragma once

#include <harmonium/framework/kernels/integer_tiles.hpp>

namespace harmonium {
inline namespace v1 {

/// The states of a product: as they are multiplied, or of an outer product, which lie transposed. `white` is 1 of bits and 255 of
/// gray levels k / 255.
struct StateFactor {
  MatrixView<const float> states;
  Transpose op = Transpose::no;
  float white = 1.0f;
};

/// c = keep c + factor op(x) op(w) by sums of integers (IntegerTiles). False where a state is none of x.white, and nothing is then
/// written.
bool integer_product(const StateFactor& x, Transpose w_op, MatrixView<const float> w, const IntegerProduct& how,
                     MatrixView<float> c, const IntegerTiles& tiles = integer_tiles());

}  // namespace v1
}  // namespace harmonium
