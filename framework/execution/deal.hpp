#pragma once

#include <vector>

#include <harmonium/framework/execution/permutation.hpp>

namespace harmonium {
inline namespace v1 {

/// `size` things dealt into groups by the chance of `key`, as cards are: each thing is in one group, and the sizes of groups
/// differ by one at most. A group holds every set of its size equally likely.
class Deal {
 public:
  Deal(Index size, Index num_groups, std::uint64_t key) : order_(size, key), num_groups_(num_groups) {
    HARMONIUM_ASSERT(num_groups > 0);
  }
  Index num_groups() const { return num_groups_; }
  /// The things of a group; none where there are fewer things than groups and its turn does not come.
  std::vector<Index> group(Index which) const {
    HARMONIUM_ASSERT(which < num_groups_);
    std::vector<Index> things;
    for (Index place = which; place < order_.size(); place += num_groups_) things.push_back(place);
    order_.apply(things);
    return things;
  }

 private:
  Permutation order_;
  Index num_groups_;
};

}  // namespace v1
}  // namespace harmonium
