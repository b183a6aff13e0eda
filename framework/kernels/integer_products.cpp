#include <harmonium/framework/kernels/integer_products.hpp>

#include <algorithm>
#include <vector>

#include <harmonium/framework/kernels/state_rows.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Memory of a thread, kept from call to call.
struct ByteScratch {
  std::vector<std::uint8_t> states;
  std::vector<std::int8_t> panel;

  static ByteScratch& of_thread() {
    thread_local ByteScratch scratch;
    return scratch;
  }
};

}  // namespace

bool integer_product(const StateFactor& x, Transpose w_op, MatrixView<const float> w, const IntegerProduct& how,
                     MatrixView<float> c, const IntegerTiles& tiles) {
  const bool turned = x.op == Transpose::yes;
  const Index rows = turned ? x.states.cols : x.states.rows, inner = turned ? x.states.rows : x.states.cols;
  ByteScratch& scratch = ByteScratch::of_thread();
  const Index width = rounded_up(inner, tile_inner);
  std::uint8_t* const bytes = aligned_part(scratch.states, rounded_up(rows, tile_rows) * width);
  if (!(turned ? tiles.columns_to_bytes : tiles.rows_to_bytes)(x.states, x.white, bytes, width)) return false;
  std::int8_t* const panel = aligned_part(scratch.panel, integer_scratch(std::min(inner, most_inner)));
  // Longer ones in parts, each a product of its own, which are added up in order.
  for (Index begin = 0; begin < inner; begin += most_inner) {
    const Index end = std::min(begin + most_inner, inner);
    tiles.product({bytes + byte_at(0, begin, width), rows, end - begin, width, x.white}, w_op,
                  w_op == Transpose::yes ? w.columns(begin, end) : w.slice(begin, end),
                  {how.factor, begin == 0 ? how.keep : 1.f, how.pieces}, panel, c);
  }
  return true;
}

}  // namespace v1
}  // namespace harmonium
