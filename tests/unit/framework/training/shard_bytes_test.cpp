#include <doctest/doctest.h>

#include <harmonium/framework/training/shard_bytes.hpp>

namespace shard_bytes_test {

using namespace harmonium;

namespace {

ShardReport told(double weight, Index rows, double share, double bound) {
  ShardReport entry;
  entry.report.own = {{"share", share}};
  entry.report.positive.bound = bound;
  entry.weight = weight;
  entry.rows = rows;
  return entry;
}

}  // namespace

TEST_CASE("figures of shards are weighed by their rows, or by the number of rows where none weighs anything") {
  const auto check = [](double a, double b, double c, double share, double bound) {
    std::vector<ShardReport> reports{told(a, 2, 0.5, -1.0), told(b, 1, 0.0, -4.0), told(c, 1, 1.0, -6.0)};
    for (int times = 0; times < 2; ++times) {
      const GradientEstimator::Report sum = merged(reports);
      CHECK(sum.own.front().second == doctest::Approx(share).epsilon(1e-14));
      CHECK(*sum.positive.bound == doctest::Approx(bound).epsilon(1e-14));
      reports = reports_of(to_bytes(reports));  // and as ranks send them
    }
  };
  check(2.0, 1.0, 1.0, 0.5, -3.0);
  check(0.0, 0.0, 0.0, 0.5, -3.0);
  check(0.0, 3.0, 1.0, 0.25, -4.5);  // what weighs nothing beside others does not count
  check(1.0, 0.0, 3.0, 0.875, -4.75);
}

}  // namespace shard_bytes_test
