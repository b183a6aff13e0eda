#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include <harmonium/framework/kernels/normal.hpp>

namespace normal_test {

using namespace harmonium;

TEST_CASE("a normal number is Box and Muller's of the first two draws of its address") {
  for (const std::uint32_t first_chain : {0u, 3u}) {
    DrawBlock block = DrawBlock::of({7, 8}, first_chain, 2, LayerId{1});
    block.first_site = 11;
    NormalDraws normal(block, 37);
    for (const Index r : {0, 1, 2, 3, 4, 9, 1}) {  // in order, and back
      const std::span<const double> z = normal.row(r);
      CHECK(z.size() == 37);
      for (std::uint32_t c = 0; c < 37; ++c) {
        const double u = uniform_f64(block.word(r, 11 + c, 0)), v = uniform_f64(block.word(r, 11 + c, 1));
        CHECK(z[c] == std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
      }
    }
  }
}

}  // namespace normal_test
