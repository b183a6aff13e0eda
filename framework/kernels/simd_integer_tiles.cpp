// Products of states with numbers by sums of integers, compiled once for each kind of instructions that multiply bytes, with
// HARMONIUM_TILES_NAMESPACE naming it, HARMONIUM_TILES_NAME and HARMONIUM_TILES_LEVEL how it and the level that it goes with are
// called. All but the table has internal linkage, for the reason that simd_kernels.cpp gives.
#include <harmonium/framework/kernels/simd_integer_tiles.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define HARMONIUM_INLINE [[gnu::always_inline]] inline

#include <harmonium/framework/kernels/simd_integer_digits.inc>
// Takes its panels from the other.
#include <harmonium/framework/kernels/simd_integer_units.inc>

namespace harmonium {
inline namespace v1 {
namespace {

/// The sixteen fields whose digits' sums are `apart`: exact in double precision before the step. Bits give the same as grays of
/// nothing but white, since a division without a remainder is exact.
template <int pieces>
HARMONIUM_INLINE Floats fields_of(const std::int32_t* sums, Index apart, const Doubles& step, double white) {
  Doubles whole{};
#pragma GCC unroll 3
  for (int p = 0; p < pieces; ++p) {
    Ints digit;
    copy_bytes(&digit, sums + static_cast<Index>(p) * apart, sizeof(digit));
    whole = whole * 256.0 + __builtin_convertvector(digit, Doubles);
  }
  if (white != 1.0) whole = whole / white;
  return __builtin_convertvector(whole * step, Floats);
}

HARMONIUM_INLINE void put_fields(const Floats& fields, const IntegerProduct& how, float* out, Index n) {
  Floats value = how.factor * fields;
  if (how.keep != 0.f) value += how.keep * load_some(out, n);
  if (n == lanes) copy_bytes(out, &value, sizeof(value));
  else copy_bytes(out, &value, n * sizeof(float));
}

template <int pieces>
HARMONIUM_INLINE void multiply_panel(Unit& unit, const ByteStates& x, const PackedPanel& panel,
                                     const IntegerProduct& how, MatrixView<float> out) {
  alignas(64) std::int32_t sums[pieces][Unit::rows][lanes];
  Doubles step;
  for (Index c = 0; c < lanes; ++c) step[c] = panel.step[c];
  for (Index r = 0; r < x.rows; r += Unit::rows) {
    unit.add_up<pieces>({x.data + r * x.stride, x.stride}, panel, sums);
    const Index left = x.rows - r < Unit::rows ? x.rows - r : Unit::rows;
    for (Index i = 0; i < left; ++i)
      put_fields(fields_of<pieces>(sums[0][i], Unit::rows * lanes, step, static_cast<double>(x.white)), how,
                 out.data + (r + i) * out.stride, out.cols);
  }
}

template <int pieces>
void multiply(const ByteStates& x, Transpose w_op, MatrixView<const float> w, const IntegerProduct& how,
              std::int8_t* scratch, MatrixView<float> out) {
  Unit unit;
  PackedPanel panel{scratch, x.inner, (x.inner + tile_inner - 1) / tile_inner, {}};
  float* const turned = reinterpret_cast<float*>(scratch + tile_at<pieces>(panel.blocks, 0));
  for (Index begin = 0; begin < out.cols; begin += lanes) {
    const Index n = out.cols - begin < lanes ? out.cols - begin : lanes;
    if (w_op == Transpose::yes)
      pack<pieces>(transposed_panel({w.data + begin * w.stride, n, w.cols, w.stride}, turned), scratch, panel);
    else pack<pieces>(whole_panel({w.data + begin, w.rows, n, w.stride}, turned), scratch, panel);
    multiply_panel<pieces>(unit, x, panel, how, {out.data + begin, out.rows, n, out.stride});
  }
}

void product(const ByteStates& x, Transpose w_op, MatrixView<const float> w, const IntegerProduct& how,
             std::int8_t* scratch, MatrixView<float> out) {
  if (how.pieces == 2) multiply<2>(x, w_op, w, how, scratch, out);
  else multiply<3>(x, w_op, w, how, scratch, out);
}

}  // namespace

namespace simd::HARMONIUM_TILES_NAMESPACE {

constinit const IntegerTiles tiles{HARMONIUM_TILES_NAME, HARMONIUM_TILES_LEVEL, rows_to_bytes, columns_to_bytes,
                                   product};

}  // namespace simd::HARMONIUM_TILES_NAMESPACE
}  // namespace v1
}  // namespace harmonium
