#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace v1 {

/// Row r of a data set in `row`, as many numbers as it has columns, with NaN for what was not seen.
inline void read_row_with_holes(const Dataset& data, Index r, std::span<double> row) {
  data.fetch<double>(r, 0, {row.data(), 1, row.size(), row.size()});
  if (!data.has_missing()) return;
  std::vector<std::uint8_t> seen(row.size());
  data.seen({&r, 1}, {seen.data(), 1, seen.size(), seen.size()});
  for (Index c = 0; c < row.size(); ++c)
    if (seen[c] == 0) row[c] = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace v1
}  // namespace harmonium
