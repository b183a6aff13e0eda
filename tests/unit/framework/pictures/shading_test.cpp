#include <harmonium/framework/pictures/shading.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

using namespace harmonium;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
using Map = Shading::Map;
using Values = std::vector<double>;

}  // namespace

TEST_CASE("grey runs from black to white, rounded to the nearest level, and stops at the ends") {
  const Shading unit;
  CHECK(colour_of(0.0, unit) == Colour{0, 0, 0});
  CHECK(colour_of(1.0, unit) == Colour{255, 255, 255});
  CHECK(colour_of(0.5, unit) == Colour{128, 128, 128});
  CHECK(colour_of(0.2, unit) == Colour{51, 51, 51});
  CHECK(colour_of(-3.0, unit) == Colour{0, 0, 0});
  CHECK(colour_of(3.0, unit) == Colour{255, 255, 255});
  CHECK(colour_of(0.0, {Map::grey, -1.0, 1.0}) == Colour{128, 128, 128});
  CHECK(colour_of(102.0, {Map::grey, 0.0, 255.0}) == Colour{102, 102, 102});
}

TEST_CASE("signed values are blue below zero, white at it and red above") {
  const Shading s{Map::diverging, -2.0, 2.0};
  CHECK(colour_of(-2.0, s) == Colour{5, 48, 97});
  CHECK(colour_of(0.0, s) == Colour{255, 255, 255});
  CHECK(colour_of(2.0, s) == Colour{103, 0, 31});
  CHECK(colour_of(-9.0, s) == colour_of(-2.0, s));
  CHECK(colour_of(9.0, s) == colour_of(2.0, s));
  CHECK(colour_of(0.4, s) == Colour{253, 219, 199});  // a fifth of the way: the next of the eleven
  CHECK(colour_of(0.2, s) == Colour{254, 237, 227});  // half of that
  CHECK(colour_of(-0.8, s) == Colour{146, 197, 222});
}

TEST_CASE("what is no number has a colour that nothing else has") {
  for (const double v : {not_a_number, infinity, -infinity}) {
    CHECK(colour_of(v, {}) == signal_colour);
    CHECK(colour_of(v, {Map::diverging, -1.0, 1.0}) == signal_colour);
  }
  for (double v = -1.0; v <= 1.0; v += 1.0 / 512) {
    CHECK(colour_of(v, {Map::diverging, -1.0, 1.0}) != signal_colour);
    CHECK(colour_of(v, {Map::grey, -1.0, 1.0}) != signal_colour);
  }
}

TEST_CASE("a range as wide as the numbers do not overflow") {
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(colour_of(0.0, {Map::diverging, -most, most}) == Colour{255, 255, 255});
  CHECK(colour_of(most, {Map::grey, -most, most}) == Colour{255, 255, 255});
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

TEST_CASE("the scale of grey values goes by where they lie") {
  CHECK(grey_shading(Values{0.0, 0.3}).high == 1.0);
  CHECK(grey_shading(Values{0.0, 0.3}).low == 0.0);
  CHECK(grey_shading(Values{0.0, 16.0}).high == 16.0);
  CHECK(grey_shading(Values{0.0, 16.0}).low == 0.0);
  CHECK(grey_shading(Values{-0.5, 4.0}).low == -4.0);
  CHECK(grey_shading(Values{-0.5, 4.0}).high == 4.0);
  CHECK(grey_shading(Values{not_a_number, 0.5}).high == 1.0);
  CHECK(grey_shading({}).high == 1.0);
  CHECK(grey_shading(Values{0.0, 16.0}).map == Map::grey);
}
