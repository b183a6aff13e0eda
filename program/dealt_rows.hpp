#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// Where configurations set rows of the same data aside by different seeds, and one of them by its own, for want of a `data_seed`:
/// the seed by which the first does. Nothing where all deal alike, or have been told not to.
std::optional<std::uint64_t> first_of_unlike_deals(const std::vector<const Value*>& configs);

/// Whether runs of two configurations have the same rows of data, in each part of it: they read it alike, and set none aside or do so
/// by the same seed. False where one does not say what it reads.
bool have_same_rows(const Value& one, const Value& other);

}  // namespace v1
}  // namespace harmonium
