#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/execution/deal.hpp>

namespace deal_test {

using namespace harmonium;

TEST_CASE("a deal puts each thing into one group, and sizes differ by one at most") {
  for (const Index size : {1, 2, 7, 24, 100})
    for (const Index num_groups : {1, 2, 3, 7, 10}) {
      CAPTURE(size);
      CAPTURE(num_groups);
      const Deal deal(size, num_groups, 5);
      CHECK(deal.num_groups() == num_groups);
      std::vector<Index> all;
      for (Index g = 0; g < num_groups; ++g) {
        const std::vector<Index> group = deal.group(g);
        CHECK(group.size() >= size / num_groups);
        CHECK(group.size() <= (size + num_groups - 1) / num_groups);
        all.insert(all.end(), group.begin(), group.end());
      }
      std::ranges::sort(all);
      REQUIRE(all.size() == size);
      for (Index i = 0; i < size; ++i) CHECK(all[i] == i);
    }
}

TEST_CASE("things meet in a group as often as chance has it, and a key is always the same deal") {
  // Of 6 things in groups of 2 two given ones meet with probability 1/5. 5,000 keys: a frequency lies 5 errors off, of
  // √(1/5 · 4/5 / 5000), with probability 6e-7, and there are 15 pairs. In a deal without chance a pair meets always or never.
  constexpr int keys = 5000;
  std::vector<double> met(36, 0.0);
  for (int key = 0; key < keys; ++key) {
    const Deal deal(6, 3, static_cast<std::uint64_t>(key));
    for (Index g = 0; g < 3; ++g) {
      const std::vector<Index> pair = deal.group(g);
      CHECK(pair == Deal(6, 3, static_cast<std::uint64_t>(key)).group(g));
      met[std::min(pair[0], pair[1]) * 6 + std::max(pair[0], pair[1])] += 1.0 / keys;
    }
  }
  for (Index a = 0; a < 6; ++a)
    for (Index b = a + 1; b < 6; ++b) CHECK(std::abs(met[a * 6 + b] - 0.2) < 5.0 * std::sqrt(0.16 / keys));
}

}  // namespace deal_test
