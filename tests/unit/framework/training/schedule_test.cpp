#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/training/schedule.hpp>

namespace schedule_test {

using namespace harmonium;

namespace {

/// Update 10 u of 100, ten an epoch.
Progress at(std::uint64_t tenth) { return {10 * tenth, 100, 10}; }
constexpr double eps = 4e-16;

}  // namespace

TEST_CASE("progress is a part of the run and a number of epochs") {
  CHECK(Progress{25, 100, 10}.fraction() == 0.25);
  CHECK(Progress{25, 100, 10}.epoch() == 2.5);
  CHECK(Progress{}.fraction() == 0.0);
}

TEST_CASE("a constant schedule is 1") { CHECK(ConstantSchedule({}).factor(at(7)) == 1.0); }

TEST_CASE("a linear schedule falls straight from 1 to its end, after a hold") {
  const LinearSchedule whole({.final = 0.0, .hold = 0.0}), held({.final = 0.25, .hold = 0.5});
  CHECK(whole.factor(at(0)) == 1.0);
  CHECK(whole.factor(at(5)) == 0.5);
  CHECK(whole.factor(at(10)) == 0.0);
  CHECK(held.factor(at(0)) == 1.0);
  CHECK(held.factor(at(5)) == 1.0);
  CHECK(std::abs(held.factor({75, 100, 10}) - 0.625) <= eps);
  CHECK(held.factor(at(10)) == 0.25);
  CHECK(held.factor(at(12)) == 0.25);  // beyond its end
}

TEST_CASE("a cosine schedule falls from 1 to its end along half a cosine, after a hold") {
  const CosineSchedule whole({.final = 0.0, .hold = 0.0}), held({.final = 0.5, .hold = 0.5});
  CHECK(whole.factor(at(0)) == 1.0);
  CHECK(std::abs(whole.factor({25, 100, 10}) - 0.5 * (1.0 + std::sqrt(0.5))) <= eps);
  CHECK(std::abs(whole.factor(at(5)) - 0.5) <= eps);
  CHECK(std::abs(whole.factor(at(10))) <= eps);
  CHECK(held.factor(at(5)) == 1.0);
  CHECK(std::abs(held.factor({75, 100, 10}) - 0.75) <= eps);
  CHECK(std::abs(held.factor(at(10)) - 0.5) <= eps);
}

TEST_CASE("an exponential schedule falls by the same ratio at each update") {
  const ExponentialSchedule schedule({.final = 0.0625});
  CHECK(schedule.factor(at(0)) == 1.0);
  CHECK(std::abs(schedule.factor({25, 100, 10}) - 0.5) <= eps);
  CHECK(std::abs(schedule.factor(at(5)) - 0.25) <= eps);
  CHECK(std::abs(schedule.factor(at(10)) - 0.0625) <= eps);
}

TEST_CASE("a power schedule is 1 / (1 + t / time)^power, t in epochs") {
  CHECK(PowerSchedule({.time = 2.0, .power = 1.0}).factor(at(2)) == 0.5);
  CHECK(PowerSchedule({.time = 2.0, .power = 1.0}).factor(at(0)) == 1.0);
  CHECK(std::abs(PowerSchedule({.time = 2.0, .power = 2.0}).factor(at(6)) - 0.0625) <= eps);
  CHECK(std::abs(PowerSchedule({.time = 1.0, .power = 0.5}).factor(at(3)) - 0.5) <= eps);
}

TEST_CASE("a step schedule falls at whole epochs") {
  const StepSchedule schedule({.factor = 0.5, .every = 3.0});
  CHECK(schedule.factor(at(0)) == 1.0);
  CHECK(schedule.factor({29, 100, 10}) == 1.0);
  CHECK(schedule.factor({30, 100, 10}) == 0.5);
  CHECK(schedule.factor({59, 100, 10}) == 0.5);
  CHECK(schedule.factor({60, 100, 10}) == 0.25);
}

}  // namespace schedule_test
