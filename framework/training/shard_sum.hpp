#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/execution/communicator.hpp>
#include <harmonium/framework/execution/executor.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The sum of one vector of each shard, in the order of a binary tree over the shards' numbers: the shards [a, b) are
/// [a, a + h) plus [a + h, b), h the largest power of 2 below b − a. Each rank makes the vectors of a contiguous share of the
/// shards and adds up the subtrees that are all its own; of what is left each adds up a part of the entries. So the bits are
/// a function of the vectors alone, and never of the number of ranks.
class ShardSum {
 public:
  /// `ranks` must outlive it, and be no more than there are shards.
  ShardSum(Index shards, Communicator& ranks);

  /// The shards of this rank: [first(), last()).
  Index first() const { return share(ranks_->rank()).begin; }
  Index last() const { return share(ranks_->rank()).end; }
  Index shards() const { return shards_; }
  Communicator& ranks() const { return *ranks_; }
  /// Vectors that a call holds at once beside `out`, at most.
  Index vectors() const;

  /// out = Σ_s v_s, where make(s, v_s) fills a vector of zeros as long as `out`; s comes in ascending order. Collective.
  void add_up(std::span<Real> out, FunctionRef<void(Index, std::span<Real>)> make, const Executor& executor);

 private:
  struct Range {
    Index begin, end;
  };
  struct Node {
    Range shards;
    std::vector<Real> sum;
  };
  Range share(Index rank) const;
  /// The largest subtrees of `of` that lie within `own`, in order.
  static void find_subtrees(Range of, Range own, std::vector<Range>& found);
  std::vector<Real> sum_of(Range shards, Index size, FunctionRef<void(Index, std::span<Real>)> make,
                           const Executor& executor);
  void combine(std::vector<Node>& own, std::span<Real> out, const Executor& executor);
  std::vector<Real> take_vector(Index size);

  Index shards_;
  Communicator* ranks_;
  std::vector<std::vector<Range>> subtrees_;  ///< of each rank
  std::vector<std::vector<Real>> spare_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
