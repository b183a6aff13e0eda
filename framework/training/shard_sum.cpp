#include <harmonium/framework/training/shard_sum.hpp>

#include <algorithm>
#include <bit>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/execution/shard.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index sum_grain = Index{1} << 16;
/// Entries that are sent at a time: what ranks hold beside their own sums is bounded by that.
constexpr Index slab = Index{1} << 22;

Index left_half(Index count) { return std::bit_floor(count - 1); }

void add_to(std::span<Real> left, std::span<const Real> right, const Executor& executor) {
  executor.for_each_piece(left.size(), sum_grain, [&](Index begin, Index end) {
    in_place(left.subspan(begin, end - begin)) += as_xtensor(right.subspan(begin, end - begin));
  });
}

}  // namespace

ShardSum::ShardSum(Index shards, Communicator& ranks) : shards_(shards), ranks_(&ranks), subtrees_(ranks.size()) {
  for (Index r = 0; r < ranks.size(); ++r) find_subtrees({0, shards}, share(r), subtrees_[r]);
}

ShardSum::Range ShardSum::share(Index rank) const {
  const Shard part{rank, ranks_->size()};
  return {part.begin(shards_), part.end(shards_)};
}

Index ShardSum::vectors() const {
  return subtrees_[ranks_->rank()].size() + static_cast<Index>(std::bit_width(last() - first()));
}

void ShardSum::find_subtrees(Range of, Range own, std::vector<Range>& found) {
  if (of.end <= own.begin || own.end <= of.begin) return;
  if (own.begin <= of.begin && of.end <= own.end) {
    found.push_back(of);
    return;
  }
  const Index middle = of.begin + left_half(of.end - of.begin);
  find_subtrees({of.begin, middle}, own, found);
  find_subtrees({middle, of.end}, own, found);
}

std::vector<Real> ShardSum::take_vector(Index size) {
  std::vector<Real> vector;
  if (!spare_.empty()) {
    vector = std::move(spare_.back());
    spare_.pop_back();
  }
  vector.assign(size, Real{0});
  return vector;
}

std::vector<Real> ShardSum::sum_of(Range shards, Index size, FunctionRef<void(Index, std::span<Real>)> make,
                                   const Executor& executor) {
  if (shards.end - shards.begin == 1) {
    std::vector<Real> vector = take_vector(size);
    make(shards.begin, vector);
    return vector;
  }
  const Index middle = shards.begin + left_half(shards.end - shards.begin);
  std::vector<Real> left = sum_of({shards.begin, middle}, size, make, executor);
  std::vector<Real> right = sum_of({middle, shards.end}, size, make, executor);
  add_to(left, right, executor);
  spare_.push_back(std::move(right));
  return left;
}

void ShardSum::add_up(std::span<Real> out, FunctionRef<void(Index, std::span<Real>)> make, const Executor& executor) {
  std::vector<Node> own;
  for (const Range& shards : subtrees_[ranks_->rank()])
    own.push_back({shards, sum_of(shards, out.size(), make, executor)});
  if (ranks_->size() == 1) std::ranges::copy(own.front().sum, out.begin());
  else combine(own, out, executor);
  for (Node& node : own) spare_.push_back(std::move(node.sum));
}

void ShardSum::combine(std::vector<Node>& own, std::span<Real> out, const Executor& executor) {
  const Index ranks = ranks_->size(), rank = ranks_->rank();
  for (Index from = 0; from < out.size(); from += slab) {
    const std::span<Real> part = out.subspan(from, std::min(slab, out.size() - from));
    // Rank r adds up the entries [begin, end) of this part, of all subtrees.
    const auto entries = [&](Index r) {
      const Shard cut{r, ranks};
      return Range{cut.begin(part.size()), cut.end(part.size())};
    };
    const Index mine = entries(rank).end - entries(rank).begin;
    std::vector<Real> send, received;
    std::vector<Index> to(ranks), bytes_from(ranks), parts(ranks);
    Index num_subtrees = 0;
    for (Index r = 0; r < ranks; ++r) {
      const auto [begin, end] = entries(r);
      for (const Node& node : own) {
        const auto sum = std::span(node.sum).subspan(from + begin, end - begin);
        send.insert(send.end(), sum.begin(), sum.end());
      }
      to[r] = own.size() * (end - begin) * sizeof(Real);
      bytes_from[r] = subtrees_[r].size() * mine * sizeof(Real);
      parts[r] = (end - begin) * sizeof(Real);
      num_subtrees += subtrees_[r].size();
    }
    received.resize(num_subtrees * mine);
    ranks_->exchange(std::as_bytes(std::span(send)), to, std::as_writable_bytes(std::span(received)), bytes_from);
    // Ranks have their shards in order, so the subtrees come in the order in which the tree is walked.
    Index next = 0, owner = 0, place = 0;
    const auto walk = [&](auto&& self, Range shards) -> std::span<Real> {
      while (place == subtrees_[owner].size()) ++owner, place = 0;
      const Range& first = subtrees_[owner][place];
      if (first.begin == shards.begin && first.end == shards.end) {
        ++place;
        return std::span(received).subspan(next++ * mine, mine);
      }
      const Index middle = shards.begin + left_half(shards.end - shards.begin);
      const std::span<Real> left = self(self, Range{shards.begin, middle});
      add_to(left, self(self, Range{middle, shards.end}), executor);
      return left;
    };
    const std::span<Real> sum = walk(walk, Range{0, shards_});
    std::ranges::copy(sum, part.begin() + static_cast<std::ptrdiff_t>(entries(rank).begin));
    ranks_->share(std::as_writable_bytes(part), parts);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
