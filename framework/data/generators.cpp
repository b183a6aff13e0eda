#include <harmonium/framework/data/generators.hpp>

#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Bits = std::vector<std::uint8_t>;

void check_size(const char* name, Index value, Index low, Index high) {
  if (value < low || value > high) {
    throw ConfigError(fmt::format("{} is {} (from {} to {} expected)", name, value, low, high));
  }
}

Table table_of(Bits values, Index cols) {
  HARMONIUM_ASSERT(cols > 0);
  const Index rows = values.size() / cols;
  return {rows, cols, std::move(values), {rows, cols}};
}

/// Appends bit_of(0), …, bit_of(count − 1).
template <class BitOf>
void append(Bits& values, Index count, const BitOf& bit_of) {
  for (Index i = 0; i < count; ++i) values.push_back(bit_of(i));
}

std::uint8_t bit(Index word, Index i) { return static_cast<std::uint8_t>(word >> i & 1); }

}  // namespace

Table bars_and_stripes(Index side) {
  check_size("side", side, 1, 12);
  const Index patterns = Index{1} << side;
  Bits values;
  values.reserve((2 * patterns - 2) * side * side);
  for (const bool stripes : {false, true}) {
    for (Index pattern = 0; pattern < patterns; ++pattern) {
      if (stripes && (pattern == 0 || pattern == patterns - 1)) continue;  // the uniform images are among the bars
      append(values, side * side, [&](Index i) { return bit(pattern, stripes ? i / side : i % side); });
    }
  }
  Table table = table_of(std::move(values), side * side);
  table.shape = {table.rows, side, side};
  return table;
}

Table diagonal(Index size) {
  check_size("size", size, 1, 4096);
  Bits values;
  values.reserve((size + 1) * size);
  append(values, (size + 1) * size, [&](Index i) { return i % size < i / size; });
  return table_of(std::move(values), size);
}

Table one_d_ball(Index size) {
  check_size("size", size, 3, 256);
  Bits values;
  for (const bool negated : {false, true}) {
    for (Index start = 0; start < size; ++start) {
      for (Index width = 1; width <= (size - 1) / 2; ++width) {
        append(values, size, [&](Index i) { return ((i + size - start) % size < width) != negated; });
      }
    }
  }
  return table_of(std::move(values), size);
}

Table labeled_shifter(Index bits) {
  check_size("bits", bits, 2, 16);
  const Index patterns = Index{1} << bits;
  Bits values;
  values.reserve(3 * patterns * (2 * bits + 3));
  for (Index pattern = 0; pattern < patterns; ++pattern) {
    for (Index label = 0; label < 3; ++label) {  // shifts by -1, 0, +1
      append(values, bits, [&](Index i) { return bit(pattern, i); });
      append(values, bits, [&](Index i) { return bit(pattern, (i + bits + 1 - label) % bits); });
      append(values, 3, [&](Index i) { return i == label; });
    }
  }
  return table_of(std::move(values), 2 * bits + 3);
}

}  // namespace v1
}  // namespace harmonium
