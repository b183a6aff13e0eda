#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

// Checks of a study's lists and seeds. They throw ConfigError.

/// The list `name` holds something twice.
void refuse_twice(const std::vector<std::string>& values, const char* name);
void refuse_twice(const std::vector<double>& values, const char* name);

/// The list `name` has no entries.
void refuse_empty(Index entries, const char* name);

/// An entry of the list `name` is no whole number from `min` to `max`; `why` stands behind that.
void refuse_fractions(const std::vector<double>& values, const char* name, double min, double max,
                      const char* why = "");

/// Seeds that a study takes at most: thousands say all that means over seeds can, and each is a part with its own file.
inline constexpr double most_seeds = 10'000;

/// The last of the seeds, which follow one another from `first`, is beyond what TOML can hold.
void refuse_last_seed(std::uint64_t first, Index num_seeds);

}  // namespace v1
}  // namespace harmonium
