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

/// What a panel's fields are made of: the digits' sums of bits may be put together in 32 bits, all of them where few are added up.
enum class Sums { of_few_bits, of_bits, of_grays };
constexpr Index few_bits = 255;

HARMONIUM_INLINE Ints sums_at(const std::int32_t* sums) {
  Ints v;
  copy_bytes(&v, sums, sizeof(v));
  return v;
}

/// The whole numbers of sixteen fields, exact. The digits' sums are `apart`, the highest first.
template <int pieces, Sums kind>
HARMONIUM_INLINE Doubles whole_numbers(const std::int32_t* sums, Index apart) {
  if constexpr (kind == Sums::of_grays) {
    Doubles whole{};
#pragma GCC unroll 3
    for (int p = 0; p < pieces; ++p)
      whole = whole * 256.0 + __builtin_convertvector(sums_at(sums + static_cast<Index>(p) * apart), Doubles);
    return whole;
  } else {
    constexpr Index last = pieces - 1;
    Ints lower = (sums_at(sums + (last - 1) * apart) << 8) + sums_at(sums + last * apart);
    if constexpr (pieces == 2) return __builtin_convertvector(lower, Doubles);
    const Ints high = sums_at(sums);
    if constexpr (kind == Sums::of_few_bits) return __builtin_convertvector((high << 16) + lower, Doubles);
    return __builtin_convertvector(high, Doubles) * 65536.0 + __builtin_convertvector(lower, Doubles);
  }
}

template <bool kept>
HARMONIUM_INLINE void put_fields(const Floats& fields, const IntegerProduct& how, float* out, Index n) {
  Floats value = how.factor * fields;
  if constexpr (kept) value += how.keep * load_some(out, n);
  if (n == lanes) copy_bytes(out, &value, sizeof(value));
  else copy_bytes(out, &value, n * sizeof(float));
}

/// What a panel is multiplied by, and where its fields go.
struct PanelProduct {
  const ByteStates& x;
  const PackedPanel& panel;
  const IntegerProduct& how;
  MatrixView<float> out;
};

template <int pieces, Sums kind, bool kept>
void multiply_panel(Unit& unit, const PanelProduct& p) {
  alignas(64) std::int32_t sums[pieces][Unit::rows][lanes];
  Doubles step;
  for (Index c = 0; c < lanes; ++c) step[c] = p.panel.step[c];
  const double white = static_cast<double>(p.x.white);
  for (Index r = 0; r < p.x.rows; r += Unit::rows) {
    unit.add_up<pieces>({p.x.data + byte_at(r, 0, p.x.width), 16 * p.x.width}, p.panel, sums);
    const Index left = p.x.rows - r < Unit::rows ? p.x.rows - r : Unit::rows;
    for (Index i = 0; i < left; ++i) {
      Doubles whole = whole_numbers<pieces, kind>(sums[0][i], Unit::rows * lanes);
      if constexpr (kind == Sums::of_grays) whole = whole / white;
      put_fields<kept>(__builtin_convertvector(whole * step, Floats), p.how, p.out.data + (r + i) * p.out.stride,
                       p.out.cols);
    }
  }
}

template <int pieces, Sums kind>
HARMONIUM_INLINE void multiply_panel(Unit& unit, const PanelProduct& p) {
  if (p.how.keep != 0.f) multiply_panel<pieces, kind, true>(unit, p);
  else multiply_panel<pieces, kind, false>(unit, p);
}

template <int pieces>
HARMONIUM_INLINE void multiply_panel(Unit& unit, const PanelProduct& p) {
  if (p.x.white != 1.f) multiply_panel<pieces, Sums::of_grays>(unit, p);
  else if (p.x.inner > few_bits) multiply_panel<pieces, Sums::of_bits>(unit, p);
  else multiply_panel<pieces, Sums::of_few_bits>(unit, p);
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
    multiply_panel<pieces>(unit, {x, panel, how, {out.data + begin, out.rows, n, out.stride}});
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
