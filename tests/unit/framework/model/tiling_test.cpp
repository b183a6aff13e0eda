#include <mutex>
#include <set>
#include <tuple>

#include <doctest/doctest.h>

#include <harmonium/framework/model/tiling.hpp>

namespace tiling_test {

using namespace harmonium;

TEST_CASE("up to 256 rows are one tile, more are cut evenly at multiples of four") {
  CHECK(Tiling::of(0).rows == 1);
  CHECK(Tiling::of(1).rows == 1);
  CHECK(Tiling::of(256).rows == 256);
  CHECK(Tiling::of(257).rows == 132);
  CHECK(Tiling::of(1000).rows == 252);
  bool right = true;
  for (Index n = 1; n < 2000; ++n) {
    const Tiling t = Tiling::of(n);
    right = right && t.rows <= 256 && (t.one_tile(n) ? t.rows == n : t.rows % 4 == 0);
  }
  CHECK(right);
  CHECK(Tiling::of(1000, 50).rows == 52);
  CHECK(Tiling::of(10, 64).one_tile(10));
}

TEST_CASE("panels share a layer out in even parts of at most 400 units") {
  CHECK(Tiling::panel(1) == 16);
  CHECK(Tiling::panel(400) == 400);
  CHECK(Tiling::panel(401) == 208);
  CHECK(Tiling::panel(784) == 400);
  bool right = true;
  for (Index units = 1; units < 3000; ++units) {
    const Index panel = Tiling::panel(units), panels = (units + panel - 1) / panel;
    right = right && panel % 16 == 0 && panel <= 400 && panels == (units + 399) / 400;
  }
  CHECK(right);
}

TEST_CASE("pieces cover rows and units once: panels of a lone tile, whole rows of several") {
  const Executor executor(2);
  for (const auto& [rows, units] : {std::pair<Index, Index>{100, 900}, {600, 900}, {1, 1}}) {
    std::set<std::tuple<Index, Index, Index, Index>> pieces;
    std::mutex mutex;
    for_each_piece(executor, Tiling::of(rows), rows, units, [&](Index r0, Index r1, Index u0, Index u1) {
      const std::lock_guard lock(mutex);
      pieces.insert({r0, r1, u0, u1});
    });
    Index area = 0;
    for (const auto& [r0, r1, u0, u1] : pieces) {
      area += (r1 - r0) * (u1 - u0);
      if (rows > 256) CHECK((u0 == 0 && u1 == units));
      else CHECK((r0 == 0 && r1 == rows));
    }
    CHECK(area == rows * units);
  }
}

}  // namespace tiling_test
