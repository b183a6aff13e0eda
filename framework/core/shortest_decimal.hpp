#pragma once

#include <fmt/format.h>

#include <harmonium/framework/core/parsed_number.hpp>

namespace harmonium {
inline namespace v1 {

/// The number of at most so many digits that is nearest: 0.6 where sums and quotients leave 0.6000000000000001.
inline double shortest_decimal(double value, int digits = 15) {
  return parsed_number<double>(fmt::format("{:.{}g}", value, digits)).value_or(value);
}

}  // namespace v1
}  // namespace harmonium
