#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// Where two of the configurations set rows of the same data aside by different seeds, and one of the two has no `data_seed`, so that
/// its own seed deals them: the seed that deals the rows of the first of these. Nothing where all deal alike, or have been told
/// not to.
std::optional<std::uint64_t> first_of_unlike_deals(const std::vector<const Value*>& configs);

}  // namespace v1
}  // namespace harmonium
