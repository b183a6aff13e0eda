#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Numbers along the inner dimension that a tile takes at once, and columns that it has: 16 rows of 64 bytes.
constexpr Index tile_inner = 64, tile_columns = 16;
/// Rows of states that may be read beyond the last: memory for a multiple of so many is needed.
constexpr Index tile_rows = 32;
/// A product longer than this could overflow sums of 32 bits: 255 · 128 an addend, and 256 · 128 + 128 where two digits of bits are
/// put together.
constexpr Index most_inner = Index{1} << 15;

/// States as bytes: state(r, i) = data[byte_at(r, i, width)] / white, with a `white` of 1 (bits) or 255 (gray levels). `width` is a
/// multiple of tile_inner; bytes are 0 from `inner` up to the next one.
struct ByteStates {
  const std::uint8_t* data;
  Index rows, inner, width;
  float white;
};
/// Sixteen rows of 64 bytes, as a tile of AMX has them, are a kilobyte without gaps, and the tiles of sixteen rows follow each other: a
/// processor fetches ahead what it reads in order, and not what it reads row by row.
constexpr Index byte_at(Index r, Index i, Index width) {
  constexpr Index high = 16;
  return r / high * high * width + i / tile_inner * high * tile_inner + r % high * tile_inner + i % tile_inner;
}

/// out = keep · out + factor · (X op(W)), W rounded to `pieces` (2 or 3) bytes a number; with keep = 0 what `out` was does not
/// matter.
struct IntegerProduct {
  float factor, keep;
  int pieces;
};

/// Products of states and numbers by sums of integers. A column w of op(W) is rounded to whole multiples of its own
/// step, max|w| / 8355710 with three pieces and max|w| / 32639 with two, and these are written with digits of eight bits that have
/// signs: q = 65536 high + 256 middle + low. Each digit's product with the bytes of a state is summed exactly in 32 bits. The sums
/// are put together and multiplied by the step in double precision, and rounded once, to single: so all instruction sets compute
/// the same bits, however rows and columns are cut. A column that holds an infinity or NaN gives NaN. None throws; all may be
/// called concurrently on disjoint outputs and scratch.
struct IntegerTiles {
  std::string_view name;   ///< of the instruction set, as HARMONIUM_ISA has it
  std::string_view level;  ///< of the other kernels that go with it (Kernels::name)

  /// The rows of x as rows of bytes (byte_at), x · white, 0 up to `width`. False where an element is no whole number of these from 0 to white,
  /// divided by white and rounded; `bytes` is then unspecified.
  bool (*rows_to_bytes)(MatrixView<const float> x, float white, std::uint8_t* bytes, Index width);
  /// The same of the columns of x.
  bool (*columns_to_bytes)(MatrixView<const float> x, float white, std::uint8_t* bytes, Index width);
  /// x.inner ≤ most_inner. `scratch` has integer_scratch(x.inner) bytes, at an address that is a multiple of 64.
  void (*product)(const ByteStates& x, Transpose w_op, MatrixView<const float> w, const IntegerProduct& how,
                  std::int8_t* scratch, MatrixView<float> out);
};

constexpr Index rounded_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }
/// Bytes that IntegerTiles::product works in: one panel of columns in three pieces, and as it is.
constexpr Index integer_scratch(Index inner) { return rounded_up(inner, tile_inner) * tile_columns * 7; }

/// Those that this machine can run, the best last. The first is written for any processor, and for tests: it computes what a
/// tile of AMX does, number by number.
std::vector<const IntegerTiles*> available_integer_tiles();

/// Those that go with an instruction set by its name, such as v4+vnni: the first where it has no instructions for them.
const IntegerTiles& integer_tiles_named(std::string_view instruction_set);

/// The instruction set of kernels() and integer_tiles() by its whole name: what HARMONIUM_ISA says, or the best of this
/// machine. Throws as kernels_named does.
std::string_view instruction_set();

/// Those of instruction_set().
const IntegerTiles& integer_tiles();

}  // namespace v1
}  // namespace harmonium
