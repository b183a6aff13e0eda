// What a record of ladders says against log Z that was found of it.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/framework/inference/ladder_checks.hpp>

namespace ladder_checks_test {

using namespace harmonium;

namespace {

/// Ten ladders of two rungs whose energies at the target scatter by 1 and change by `drift` from half to half.
LadderRecord record_of(std::mt19937_64& words, double drift) {
  std::normal_distribution<double> normal;
  LadderRecord record({1.0, 0.0}, 10, 40);
  for (Index ladder = 0; ladder < 10; ++ladder)
    for (Index rung = 0; rung < 2; ++rung) {
      const std::span<double> values = record.at(rung, ladder);
      for (Index t = 0; t < 40; ++t) values[t] = normal(words) + (t < 20 ? 0.0 : drift);
    }
  return record;
}

bool objected(const LadderRecord& record) {
  LogPartitionEstimate estimate = LogPartitionEstimate::of_normal(1.0, 0.1, "test");
  object_to_drift(record, estimate);
  CHECK(estimate.agree == estimate.why.empty());
  return !estimate.agree;
}

}  // namespace

TEST_CASE("energies that change between the halves are objected to, and those that do not rarely") {
  std::mt19937_64 words(9);
  int alarms = 0, seen = 0;
  for (int i = 0; i < 2000; ++i) alarms += objected(record_of(words, 0.0)) ? 1 : 0;
  // 1 %: 20 are expected; six standard deviations of a binomial law.
  CHECK(alarms < 20 + 27);
  CHECK(alarms > 2);  // it is not silent
  // The change of a ladder scatters by √(2/20) = 0.32, its mean over ten by 0.1: seen from 0.33 on; 0.6 nearly always.
  for (int i = 0; i < 200; ++i) seen += objected(record_of(words, -0.6)) ? 1 : 0;
  CHECK(seen > 180);
}

TEST_CASE("ladders that began apart and differ are objected to, and those that do not differ rarely") {
  std::mt19937_64 words(11);
  std::normal_distribution<double> normal;
  // Ladders scatter by 0.2; those that began low are `lower` in energy, and rise by `rise` while the others fall by it.
  const auto record_of_both = [&](double lower, double rise) {
    LadderRecord record = record_of(words, 0.0);
    record.starts_apart = true;
    for (Index ladder = 0; ladder < record.num_ladders; ++ladder) {
      const bool low = ladder % 2 == 1;
      const double own = 0.2 * normal(words) - (low ? lower : 0.0);
      const std::span<double> values = record.at(0, ladder);
      for (Index t = 0; t < values.size(); ++t) values[t] += own + (t < 20 ? 0.0 : low ? rise : -rise);
    }
    return record;
  };
  const auto objected_by = [](auto check, const LadderRecord& record) {
    LogPartitionEstimate estimate = LogPartitionEstimate::of_normal(1.0, 0.1, "test");
    check(record, estimate);
    return !estimate.agree;
  };
  int alarms = 0, seen = 0, drifts = 0, alike_drifts = 0, quiet = 0;
  for (int i = 0; i < 2000; ++i) alarms += objected_by(object_to_starts, record_of_both(0.0, 0.0)) ? 1 : 0;
  CHECK(alarms < 20 + 27);
  CHECK(alarms > 2);
  // The difference of two means of five has an error of √(2/5) √(0.2² + 1/40) = 0.16, and Student's t of 8 at half a percent is
  // 3.8: 1.0 is seen nearly always.
  for (int i = 0; i < 200; ++i) seen += objected_by(object_to_starts, record_of_both(1.0, 0.0)) ? 1 : 0;
  CHECK(seen > 180);
  LadderRecord alike = record_of_both(0.9, 0.0);
  alike.starts_apart = false;
  CHECK_FALSE(objected_by(object_to_starts, alike));
  // Each kind alone, in its order.
  const LadderRecord low = alike.every_other_ladder(1), hot = alike.every_other_ladder(0);
  CHECK(low.num_ladders == 5);
  CHECK(hot.num_ladders == 5);
  for (Index rung = 0; rung < 2; ++rung)
    for (Index k = 0; k < 5; ++k) {
      const std::span<double> of_low = alike.at(rung, 2 * k + 1), of_hot = alike.at(rung, 2 * k);
      CHECK(std::ranges::equal(low.at(rung).subspan(k * 40, 40), of_low));
      CHECK(std::ranges::equal(hot.at(rung).subspan(k * 40, 40), of_hot));
    }
  // What rises in the ones and falls in the others is a drift all the same.
  for (int i = 0; i < 200; ++i) drifts += objected_by(object_to_drift, record_of_both(0.0, 0.6)) ? 1 : 0;
  CHECK(drifts > 180);
  // So is what falls in all of them, and there are no more alarms for looking twice.
  for (int i = 0; i < 200; ++i) {
    LadderRecord all = record_of(words, -0.6);
    all.starts_apart = true;
    alike_drifts += objected_by(object_to_drift, all) ? 1 : 0;
  }
  CHECK(alike_drifts > 180);
  for (int i = 0; i < 2000; ++i) quiet += objected_by(object_to_drift, record_of_both(0.0, 0.0)) ? 1 : 0;
  CHECK(quiet < 20 + 27);
  // Energies that are alike at the target and differ along the ladder.
  for (int i = 0; i < 20; ++i) {
    LadderRecord along = record_of_both(0.0, 0.0);
    for (Index ladder = 1; ladder < along.num_ladders; ladder += 2)
      for (double& d : along.at(1, ladder)) d -= 1.5;
    CHECK(objected_by(object_to_starts, along));
  }
}

TEST_CASE("an interval below what the states that were met weigh is refuted") {
  LadderRecord record({2.0, 0.0}, 1, 4);
  const double at_target[] = {-3.0, -3.0, -2.5, -3.0}, hot[] = {1.0, -2.5, 0.5, 1.0};
  std::copy_n(at_target, 4, record.at(0, 0).begin());
  std::copy_n(hot, 4, record.at(1, 0).begin());
  const double least = std::log(std::exp(6.0) + std::exp(5.0) + std::exp(-1.0) + std::exp(-2.0));
  LogPartitionEstimate below = LogPartitionEstimate::of_normal(least - 0.3, 0.1, "test");
  object_to_visited(record, 2.0, below);
  CHECK_FALSE(below.agree);
  CHECK(below.high == doctest::Approx(least).epsilon(1e-12));
  LogPartitionEstimate above = LogPartitionEstimate::of_normal(least, 0.1, "test");
  object_to_visited(record, 2.0, above);
  CHECK(above.agree);
}

}  // namespace ladder_checks_test
