#include <algorithm>

#include <doctest/doctest.h>

#include <harmonium/estimators/phases/example_memory.hpp>
#include <harmonium/models/units/binary.hpp>

namespace example_memory_test {

using namespace harmonium;

TEST_CASE("states come back as they were, and of gray values that were seen the nearest state") {
  const Layout layout({{"v", 4, std::make_shared<BinaryUnit>(), Role::observed}});
  const LayerId v{0};
  Chains rows(layout, 2), again(layout, 2);
  const Real values[] = {0, 1, Real(0.75), Real(0.2), 1, 0, 1, 1};
  std::copy_n(values, 8, rows.write(v).data);
  ExampleMemory memory(ExampleMemory::Values::states);
  const std::vector<Index> places{5, 2};
  memory.remember(layout, layout.all(), places, rows);
  memory.recall(layout, places, again);
  const Real expected[] = {0, 1, 1, 0, 1, 0, 1, 1};
  CHECK(std::equal(expected, expected + 8, again.read(v).data));
}

}  // namespace example_memory_test
