#include <harmonium/framework/pictures/tiles.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace tiles_test {

using namespace harmonium;
using namespace harmonium::testing;
using Shape = std::vector<Index>;

TEST_CASE("a tile has the sample's two dimensions, or is a square, or a line") {
  CHECK(tile_shape(784, Shape{28, 28}) == TileShape{28, 28});
  CHECK(tile_shape(784, Shape{14, 56}) == TileShape{14, 56});
  CHECK(tile_shape(12, Shape{3, 4, 1}) == TileShape{3, 4});
  CHECK(tile_shape(12, Shape{1, 3, 4}) == TileShape{3, 4});
  CHECK(tile_shape(784, {}) == TileShape{28, 28});
  CHECK(tile_shape(784, Shape{784}) == TileShape{28, 28});
  CHECK(tile_shape(500, Shape{28, 28}) == TileShape{1, 500});  // a shape of other values
  CHECK(tile_shape(4, {}) == TileShape{2, 2});
  CHECK(tile_shape(1, {}) == TileShape{1, 1});
  CHECK(tile_shape(15, {}) == TileShape{1, 15});
  CHECK(tile_shape(2 * 3 * 5, Shape{2, 3, 5}) == TileShape{1, 30});
}

TEST_CASE("a grid is a little wider than high, leaves few places empty and no small tile small") {
  const auto planned = [](Index items, TileShape tile, Index columns = 0, Index band = 1) {
    const Grid g = plan_grid(items, tile, columns, band);
    CHECK(g.items == items);
    CHECK(g.columns * g.band_rows() >= items);
    return g;
  };
  Grid g = planned(100, {28, 28});
  CHECK(g.columns == 10);
  CHECK(g.scale_x == 2);
  CHECK(g.gutter == 2);
  CHECK(g.width() == 582);
  CHECK(g.height() == 582);
  CHECK(planned(64, {28, 28}).columns == 8);
  CHECK(planned(20, {28, 28}).columns == 5);
  CHECK(planned(14, {3, 3}).columns == 5);
  CHECK(planned(14, {3, 3}).scale_x == 22);
  CHECK(planned(1, {28, 28}).columns == 1);
  CHECK(planned(7, {28, 28}, 7).columns == 7);
  CHECK(planned(7, {28, 28}, 3).band_rows() == 3);
  CHECK(planned(2, {3000, 2000}).scale_x == 1);
  g = planned(50, {28, 28}, 0, 2);
  CHECK(g.columns == 10);
  CHECK(g.height() == 10 * (28 * g.scale_y + 2) + 2 + 4 * 4);
}

TEST_CASE("lines stand one below the other, several points high") {
  const Grid g = plan_grid(20, {1, 15});
  CHECK(g.columns == 1);
  CHECK(g.scale_x == 16);
  CHECK(g.scale_y == 16);
  CHECK(plan_grid(48, {1, 15}).columns == 1);
  CHECK(plan_grid(49, {1, 15}).columns == 2);
  CHECK(plan_grid(50, {1, 15}, 0, 2).columns == 3);
  CHECK(plan_grid(500, {1, 15}).scale_y == 15);
  CHECK(plan_grid(500, {1, 784}).columns == 1);
  CHECK(plan_grid(500, {1, 784}).scale_y == 3);
  CHECK(plan_grid(20, {1, 2000}).scale_x == 1);
}

TEST_CASE("every point of a grid is as it must be") {
  // Three tiles of 1 x 2 cells that are 2 x 3 points, two a row, frames of one point.
  Grid g;
  g.tile = {1, 2};
  g.items = 3;
  g.columns = 2;
  g.scale_x = 2;
  g.scale_y = 3;
  const std::vector<double> values{0.0, 1.0, 0.2, 0.4, 0.6, std::numeric_limits<double>::quiet_NaN()};
  const Image image = draw_tiles(g, {values.data(), 3, 2, 2}, {});
  REQUIRE(image.width == 11);
  REQUIRE(image.height == 9);
  const auto gray = [](int level) {
    const auto l = static_cast<std::uint8_t>(level);
    return Color{l, l, l};
  };
  const Color f = frame_color({});
  const auto row = [&](Color a, Color b, Color c, Color d) {
    return std::vector<Color>{f, a, a, b, b, f, c, c, d, d, f};
  };
  const std::vector<Color> frame(11, f), above = row(gray(0), gray(255), gray(51), gray(102)),
                                         below = row(gray(153), signal_color, f, f);
  for (Index y = 0; y < 9; ++y) {
    const std::vector<Color> found(image.pixels.begin() + static_cast<std::ptrdiff_t>(y * 11),
                                   image.pixels.begin() + static_cast<std::ptrdiff_t>((y + 1) * 11));
    CAPTURE(y);
    CHECK(found == (y % 4 == 0 ? frame : y < 4 ? above : below));
  }
}

TEST_CASE("the tiles of a band stand one above the other, and bands apart") {
  Grid g;
  g.items = 2;
  g.columns = 1;
  g.band = 2;
  const std::vector<double> values{0.0, 0.2, 0.4, 0.6};
  const Image image = draw_tiles(g, {values.data(), 4, 1, 1}, {});
  REQUIRE(image.width == 3);
  REQUIRE(image.height == 11);
  const int f = frame_color({}).red;
  const std::vector<int> middle{f, 0, f, 51, f, f, f, 102, f, 153, f};
  for (Index y = 0; y < 11; ++y) CHECK(image(y, 1).red == middle[y]);
}

TEST_CASE("a cell of a picture is where row and column say") {
  Grid g;
  g.tile = {2, 3};
  g.items = 1;
  const std::vector<double> values{0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
  const Image image = draw_tiles(g, {values.data(), 1, 6, 6}, {});
  CHECK(image(1, 1).red == 0);
  CHECK(image(1, 3).red == 102);
  CHECK(image(2, 1).red == 153);
  CHECK(image(2, 3).red == 255);
}

TEST_CASE("a picture beyond the limits is refused with its size, and most_items stays within") {
  CHECK(message_of<ConfigError>([] {
          plan_grid(1'000'000, {28, 28}, 1000);
        }) == "the picture would have 30000 x 30000 points, and the most is 50 million. Draw fewer.");
  CHECK_THROWS_AS(plan_grid(1, {1, 1'000'000}), ConfigError);
  for (const TileShape tile : {TileShape{28, 28}, TileShape{1, 15}, TileShape{1000, 1000}, TileShape{1, 20000},
                               TileShape{1, 1}, TileShape{3, 500}, TileShape{64, 64}})
    for (const Index band : {1, 2}) CHECK_NOTHROW(plan_grid(most_items(tile, band), tile, 0, band));
}

TEST_CASE("the frame has a color that no value has") {
  for (const Shading::Map map : {Shading::Map::gray, Shading::Map::diverging}) {
    const Shading shading{map, 0.0, 1.0};
    CHECK(frame_color(shading) != signal_color);
    for (int i = 0; i <= 4096; ++i) CHECK(color_of(i / 4096.0, shading) != frame_color(shading));
  }
}

}  // namespace tiles_test
