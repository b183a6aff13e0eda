#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Part `index` of `count` of the rows of each minibatch and of the chains of a run. Parts are contiguous, in the order of
/// their numbers, and differ by at most one in size: a function of these numbers alone, never of who works on them.
struct Shard {
  Index index = 0, count = 1;

  /// Of `n` things this has [begin(n), end(n)).
  Index begin(Index n) const { return index * n / count; }
  Index end(Index n) const { return (index + 1) * n / count; }
  Index of(Index n) const { return end(n) - begin(n); }
};

}  // namespace v1
}  // namespace harmonium
