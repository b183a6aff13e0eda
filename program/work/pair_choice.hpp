#pragma once

#include <cstdint>
#include <optional>

namespace harmonium {
inline namespace v1 {

/// Which pairs of units have scores to be told, and by which states.
struct PairChoice {
  std::uint64_t min_separation = 1;            ///< |i − j| of these pairs, at least
  std::optional<std::uint64_t> left_out = {};  ///< a state that has no part in their scores

  /// The option that was given, or nothing.
  const char* option() const { return left_out ? "--left-out" : min_separation != 1 ? "--min-separation" : nullptr; }
};

}  // namespace v1
}  // namespace harmonium
