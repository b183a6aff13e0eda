#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws ConfigError where the list `name` of a study holds something twice.
template <class T>
void refuse_twice(const std::vector<T>& values, const char* name) {
  for (auto a = values.begin(); a != values.end(); ++a)
    if (std::find(values.begin(), a, *a) != a)
      throw ConfigError(fmt::format("'{}' holds {} twice, and the study takes each once. Remove one.", name, *a));
}

/// Throws ConfigError where the list `name` of a study is empty.
template <class T>
void refuse_empty(const std::vector<T>& values, const char* name) {
  if (values.empty()) throw ConfigError(fmt::format("'{}' is empty, which leaves nothing to study.", name));
}

/// Throws ConfigError where an entry of the list `name` is no whole number from `least` to `most`, telling `why`.
inline void refuse_fractions(const std::vector<double>& values, const char* name, double least, double most,
                             const char* why = "") {
  for (const double v : values)
    if (v != std::floor(v) || v < least || v > most)
      throw ConfigError(fmt::format("'{}' holds {:g}, and whole numbers from {:.0f} to {:.0f} are expected{}.", name, v,
                                    least, most, why));
}

/// Seeds that a study takes at most: thousands say all that means over seeds can, and each is a part with its own file.
inline constexpr double most_seeds = 10'000;

/// Throws ConfigError where the last of the seeds, which follow one another from `first`, is beyond what TOML can hold.
inline void refuse_last_seed(std::uint64_t first, Index num_seeds) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (first > most - (num_seeds - 1))
    throw ConfigError(fmt::format(
        "'seed' is {}, and with 'num_seeds' {} the last seed would be beyond {}, the largest. Lower 'seed'.", first,
        num_seeds, most));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
