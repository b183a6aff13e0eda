#include <doctest/doctest.h>

#include <harmonium/framework/model/held_mask.hpp>

namespace held_mask_test {

using namespace harmonium;

TEST_CASE("a mask holds whole layers, single units, or nothing") {
  const LayerId a{0}, b{1}, c{2};
  HeldMask mask;
  CHECK_FALSE(mask.holds(a));
  CHECK_FALSE(mask.any_units());
  CHECK(mask.units(b, 0, 3).empty());

  mask.hold(a).hold_units(b, 2, {1, 0, 0, 1, 0, 0});
  CHECK(mask.holds(a));
  CHECK_FALSE(mask.holds(b));
  CHECK(mask.layers() == LayerSet{}.add(a));
  CHECK(mask.any_units());
  const auto rows = mask.units(b, 1, 3);
  CHECK(rows.rows == 2);
  CHECK(rows.cols == 2);
  CHECK(rows(0, 0) == 0);
  CHECK(rows(0, 1) == 1);
  CHECK(mask.units(a, 0, 3).empty());
  CHECK(mask.units(c, 0, 3).empty());
  CHECK(HeldMask(LayerSet{}.add(c)).holds(c));
}

}  // namespace held_mask_test
