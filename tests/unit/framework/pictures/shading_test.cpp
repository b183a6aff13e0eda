#include <harmonium/framework/pictures/shading.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace shading_test {

using namespace harmonium;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
using Map = Shading::Map;
using Values = std::vector<double>;

}  // namespace

TEST_CASE("gray runs from black to white, rounded to the nearest level, and stops at the ends") {
  const Shading unit;
  CHECK(color_of(0.0, unit) == Color{0, 0, 0});
  CHECK(color_of(1.0, unit) == Color{255, 255, 255});
  CHECK(color_of(0.5, unit) == Color{128, 128, 128});
  CHECK(color_of(0.2, unit) == Color{51, 51, 51});
  CHECK(color_of(-3.0, unit) == Color{0, 0, 0});
  CHECK(color_of(3.0, unit) == Color{255, 255, 255});
  CHECK(color_of(0.0, {Map::gray, -1.0, 1.0}) == Color{128, 128, 128});
  CHECK(color_of(102.0, {Map::gray, 0.0, 255.0}) == Color{102, 102, 102});
}

TEST_CASE("signed values are blue below zero, white at it and red above") {
  const Shading s{Map::diverging, -2.0, 2.0};
  CHECK(color_of(-2.0, s) == Color{5, 48, 97});
  CHECK(color_of(0.0, s) == Color{255, 255, 255});
  CHECK(color_of(2.0, s) == Color{103, 0, 31});
  CHECK(color_of(-9.0, s) == color_of(-2.0, s));
  CHECK(color_of(9.0, s) == color_of(2.0, s));
  CHECK(color_of(0.4, s) == Color{253, 219, 199});  // a fifth of the way: the next of the eleven
  CHECK(color_of(0.2, s) == Color{254, 237, 227});  // half of that
  CHECK(color_of(-0.8, s) == Color{146, 197, 222});
}

TEST_CASE("what is no number has a color that nothing else has") {
  for (const double v : {not_a_number, infinity, -infinity}) {
    CHECK(color_of(v, {}) == signal_color);
    CHECK(color_of(v, {Map::diverging, -1.0, 1.0}) == signal_color);
  }
  for (double v = -1.0; v <= 1.0; v += 1.0 / 512) {
    CHECK(color_of(v, {Map::diverging, -1.0, 1.0}) != signal_color);
    CHECK(color_of(v, {Map::gray, -1.0, 1.0}) != signal_color);
  }
}

TEST_CASE("a range as wide as the numbers do not overflow") {
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(color_of(0.0, {Map::diverging, -most, most}) == Color{255, 255, 255});
  CHECK(color_of(most, {Map::gray, -most, most}) == Color{255, 255, 255});
}

TEST_CASE("the scale of signed values is what 99.5 % of the sizes do not exceed") {
  Values values(1000);
  for (std::size_t i = 0; i < 1000; ++i) values[i] = (i % 2 ? -1.0 : 1.0) * static_cast<double>(i + 1);
  values[999] = not_a_number;
  const Shading s = signed_shading(values);  // ceil(0.995 * 999) = 995 sizes up to it
  CHECK(s.map == Map::diverging);
  CHECK(s.high == 995.0);
  CHECK(s.low == -995.0);
  CHECK(signed_shading(Values{0.25, -0.5}).high == 0.5);
  Values sparse(1000, 0.0);
  sparse[7] = -3.0;
  CHECK(signed_shading(sparse).high == 3.0);
  CHECK(signed_shading(Values(5, 0.0)).high == 1.0);
  CHECK(signed_shading(Values{not_a_number, infinity}).high == 1.0);
}

TEST_CASE("the scale of gray values goes by where they lie") {
  CHECK(gray_shading(Values{0.0, 0.3}).high == 1.0);
  CHECK(gray_shading(Values{0.0, 0.3}).low == 0.0);
  CHECK(gray_shading(Values{0.0, 16.0}).high == 16.0);
  CHECK(gray_shading(Values{0.0, 16.0}).low == 0.0);
  CHECK(gray_shading(Values{-0.5, 4.0}).low == -4.0);
  CHECK(gray_shading(Values{-0.5, 4.0}).high == 4.0);
  CHECK(gray_shading(Values{not_a_number, 0.5}).high == 1.0);
  CHECK(gray_shading({}).high == 1.0);
  CHECK(gray_shading(Values{0.0, 16.0}).map == Map::gray);
}

}  // namespace shading_test
