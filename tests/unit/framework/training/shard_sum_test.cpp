#include <cmath>
#include <mutex>
#include <numeric>

#include <doctest/doctest.h>

#include <harmonium/framework/training/shard_sum.hpp>
#include <harmonium/tests/support/thread_ranks.hpp>

namespace shard_sum_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index length = 37;

/// Numbers of very unlike sizes, so that the order of their sum is seen in its bits.
void fill_unlike(Index shard, std::span<Real> out) {
  for (Index i = 0; i < out.size(); ++i)
    out[i] = static_cast<Real>(std::sin(static_cast<double>(7 * shard + 3 * i + 1)) *
                               std::pow(10.0, static_cast<double>((shard + i) % 5)));
}

/// The sum on so many ranks; each must have the same.
std::vector<Real> sum_on(Index ranks, Index shards, const std::function<void(Index, std::span<Real>)>& make) {
  std::vector<std::vector<Real>> found(ranks, std::vector<Real>(length));
  std::vector<Index> made(shards, 0);
  std::mutex mutex;
  ThreadRanks(ranks).run([&](Communicator& own) {
    ShardSum sum(shards, own);
    const auto counted = [&](Index shard, std::span<Real> out) {
      const std::lock_guard lock(mutex);
      ++made[shard];
      make(shard, out);
    };
    for (int again = 0; again < 2; ++again) sum.add_up(found[own.rank()], counted, Executor(1));
  });
  for (const std::vector<Real>& other : found) CHECK(other == found[0]);
  CHECK(made == std::vector<Index>(shards, 2));
  return found[0];
}

/// As the documentation defines it.
std::vector<Real> by_tree(Index begin, Index end) {
  std::vector<Real> sum(length);
  if (end - begin == 1) {
    fill_unlike(begin, sum);
    return sum;
  }
  Index half = 1;
  while (2 * half < end - begin) half *= 2;
  sum = by_tree(begin, begin + half);
  const std::vector<Real> right = by_tree(begin + half, end);
  for (Index i = 0; i < length; ++i) sum[i] += right[i];
  return sum;
}

}  // namespace

TEST_CASE("the sum of shards has the bits of its tree on any number of ranks") {
  for (const Index shards : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16}) {
    const std::vector<Real> expected = by_tree(0, shards);
    for (Index ranks = 1; ranks <= std::min<Index>(shards, 5); ++ranks) {
      CAPTURE(shards);
      CAPTURE(ranks);
      CHECK(sum_on(ranks, shards, fill_unlike) == expected);
    }
  }
}

TEST_CASE("the numbers that it is tested with show an order") {
  const Index shards = 7;
  std::vector<Real> in_turn(length), next(length);
  for (Index s = 0; s < shards; ++s) {
    fill_unlike(s, next);
    for (Index i = 0; i < length; ++i) in_turn[i] += next[i];
  }
  CHECK(in_turn != by_tree(0, shards));
}

TEST_CASE("the sum of whole numbers is exact") {
  const auto count = [](Index shard, std::span<Real> out) {
    std::iota(out.begin(), out.end(), static_cast<Real>(shard));
  };
  const std::vector<Real> sum = sum_on(3, 8, count);
  for (Index i = 0; i < length; ++i) CHECK(sum[i] == static_cast<Real>(8 * i + 28));
}

TEST_CASE("ranks have contiguous shares of the shards, in order") {
  ThreadRanks ranks(3);
  std::vector<std::pair<Index, Index>> shares(3);
  ranks.run([&](Communicator& own) {
    const ShardSum sum(8, own);
    shares[own.rank()] = {sum.first(), sum.last()};
  });
  CHECK(shares == std::vector<std::pair<Index, Index>>{{0, 2}, {2, 5}, {5, 8}});
}

}  // namespace shard_sum_test
