// Products by sums of integers at the ends of what their sums hold.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/kernels/integer_products.hpp>

namespace integer_extremes_test {

using namespace harmonium;

namespace {

/// What a column of numbers comes to by the definition, in whole numbers of 64 bits; parts are added up in single precision.
float field_by_definition(const std::vector<float>& column) {
  float sum = 0.0f;
  for (Index begin = 0; begin < column.size(); begin += most_inner) {
    const Index end = std::min(begin + most_inner, column.size());
    float most = 0.0f;
    for (Index i = begin; i < end; ++i) most = std::max(most, std::abs(column[i]));
    const float inverse = 8355710.0f / most;
    std::int64_t whole = 0;
    for (Index i = begin; i < end; ++i)
      whole += std::llround(static_cast<double>(column[i]) * static_cast<double>(inverse));
    sum += static_cast<float>(static_cast<double>(whole) * (1.0 / static_cast<double>(inverse)));
  }
  return sum;
}

}  // namespace

// Digits have signs: 126 · 65536 − 128 · 256 − 128 has the lowest of the two lower ones, 8355710 the highest of the first. 255 is the
// longest product whose digits are put together at once.
TEST_CASE("sums of the largest numbers in the longest products do not overflow") {
  const float lowest_digits = (126.0f * 65536.0f - 128.0f * 256.0f - 128.0f) / 8355710.0f;
  for (const Index inner : {Index{1}, Index{254}, Index{255}, Index{256}, most_inner, most_inner + 1}) {
    CAPTURE(inner);
    const std::vector<std::vector<float>> columns{std::vector<float>(inner, 1.0f), std::vector<float>(inner, -1.0f),
                                                  std::vector<float>(inner, lowest_digits),
                                                  std::vector<float>(inner, -lowest_digits)};
    std::vector<float> w;
    std::vector<float> expected;
    for (std::vector<float> column : columns) {
      column[0] = std::copysign(1.0f, column[0]);
      expected.push_back(field_by_definition(column));
      w.insert(w.end(), column.begin(), column.end());
    }
    const std::vector<float> ones(inner, 1.0f);
    for (const float white : {1.0f, 255.0f})
      for (const IntegerTiles* tiles : available_integer_tiles()) {
        std::vector<float> out(columns.size());
        REQUIRE(integer_product({{ones.data(), 1, inner, inner}, Transpose::no, white}, Transpose::yes,
                                {w.data(), columns.size(), inner, inner}, {1.0f, 0.0f, 3},
                                {out.data(), 1, columns.size(), columns.size()}, *tiles));
        CHECK_MESSAGE(out == expected, tiles->name);
      }
  }
}

}  // namespace integer_extremes_test
