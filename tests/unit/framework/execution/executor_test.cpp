#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/execution/execution.hpp>

namespace executor_test {

using namespace harmonium;

namespace {

/// The pieces that are run, in the order of their beginnings.
std::vector<std::pair<Index, Index>> pieces(const Executor& executor, Index n, Index grain) {
  std::vector<Index> end(n, 0);
  std::atomic<int> calls = 0;
  executor.for_each_piece(n, grain, [&](Index first, Index last) {
    ++calls;
    end[first] = last;
  });
  std::vector<std::pair<Index, Index>> all;
  for (Index i = 0; i < n; ++i)
    if (end[i]) all.emplace_back(i, end[i]);
  CHECK(static_cast<Index>(calls) == all.size());
  return all;
}

}  // namespace

TEST_CASE("pieces are cut at multiples of the grain, whatever the number of threads") {
  const std::vector<std::pair<Index, Index>> expected{{0, 4}, {4, 8}, {8, 10}};
  for (const int threads : {1, 2, 5}) {
    CAPTURE(threads);
    const Executor executor(threads);
    CHECK(executor.threads() == threads);
    CHECK(pieces(executor, 10, 4) == expected);
    CHECK(pieces(executor, 8, 4) == std::vector<std::pair<Index, Index>>{{0, 4}, {4, 8}});
    CHECK(pieces(executor, 3, 4) == std::vector<std::pair<Index, Index>>{{0, 3}});
    CHECK(pieces(executor, 0, 4).empty());
    CHECK(pieces(executor, 5, 0).empty());
  }
}

TEST_CASE("no number of threads means all cores") { CHECK(Executor(0).threads() >= 1); }

TEST_CASE("sums are added in the order of the pieces: the same bits on any number of threads") {
  const auto sum = [](int threads) {
    return Executor(threads).sum_in_order(1000, 7, [](Index begin, Index end) {
      double part = 0.0;
      for (Index i = begin; i < end; ++i) part += 1.0 / static_cast<double>(i + 1);
      return part;
    });
  };
  double expected = 0.0;
  for (Index begin = 0; begin < 1000; begin += 7) {
    double part = 0.0;
    for (Index i = begin; i < std::min<Index>(1000, begin + 7); ++i) part += 1.0 / static_cast<double>(i + 1);
    expected += part;
  }
  CHECK(sum(1) == expected);
  CHECK(sum(2) == expected);
  CHECK(sum(4) == expected);
  CHECK(Executor(2).sum_in_order(0, 7, [](Index, Index) { return 1.0; }) == 0.0);
}

TEST_CASE("the exception of a piece comes out, and the executor serves on") {
  for (const int threads : {1, 3}) {
    const Executor executor(threads);
    CHECK_THROWS_AS(executor.for_each_piece(10, 1,
                                            [](Index begin, Index) {
                                              if (begin == 6) throw std::out_of_range("six");
                                            }),
                    std::out_of_range);
    std::atomic<Index> done = 0;
    executor.for_each_piece(10, 1, [&](Index, Index) { ++done; });
    CHECK(done == 10);
  }
}

TEST_CASE("an executor may be called from inside a piece") {
  const Executor executor(2);
  std::atomic<Index> done = 0;
  executor.for_each_piece(4, 1, [&](Index, Index) { executor.for_each_piece(3, 1, [&](Index, Index) { ++done; }); });
  CHECK(done == 12);
}

TEST_CASE("a part of an execution has the same threads and words of its own") {
  const Executor executor(1);
  const Execution execution{executor, RandomSource{3, 0}};
  const Execution part = execution.part("a").part("b");
  CHECK(&part.executor == &executor);
  CHECK(part.random.seed == 3);
  CHECK(part.random.purpose == purpose_of("a/b"));
}

}  // namespace executor_test
