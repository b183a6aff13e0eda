// What is advised where log Z is not agreed on: options, amounts and times, by what failed.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/program/work/forecast_once.hpp>
#include <harmonium/program/work/log_z_advice.hpp>
#include <harmonium/tests/support/recorder.hpp>

namespace log_z_advice_test {

using namespace harmonium;

namespace {

LogPartitionEstimate doubted(Doubt doubt) {
  LogPartitionEstimate found;
  found.object("something failed", doubt);
  return found;
}

const LengthOfWay usual{.effort = 1.0};

/// What is told of work whose pace is one share a second, asked at each of these seconds.
std::vector<std::string> told_of(double share_a_second, const std::vector<double>& seconds) {
  testing::Recorder seen;
  double now = 0.0;
  ForecastOnce work(&seen, "this", [&] { return now; });
  for (const double at : seconds) {
    now = at;
    work.progress(share_a_second * at, "");
  }
  return seen.warnings;
}

}  // namespace

TEST_CASE("times have two digits and the unit that a person would take") {
  CHECK(about_so_long(0.003) == "0.1 seconds");
  CHECK(about_so_long(1.0) == "1 second");
  CHECK(about_so_long(2.34) == "2.3 seconds");
  CHECK(about_so_long(90.0) == "90 seconds");
  CHECK(about_so_long(192.0) == "3.2 minutes");
  CHECK(about_so_long(5900.0) == "98 minutes");
  CHECK(about_so_long(7560.0) == "2.1 hours");
  CHECK(about_so_long(720'000.0) == "200 hours");
}

TEST_CASE("how long work takes is told once, when its pace is known, where that is long") {
  const std::vector<std::string> told{"this takes some 3.2 minutes more at its pace so far."};
  CHECK(told_of(0.005, {0.0, 4.0, 8.0, 9.0, 60.0}) == told);  // 0.96 are left after 8 seconds
  CHECK(told_of(0.005, {0.0, 4.0}).empty());
  CHECK(told_of(0.04, {0.0, 6.0, 12.0, 24.0}).empty());  // 19 seconds are left after 6
  CHECK_NOTHROW(ForecastOnce(nullptr, "this", [] { return 0.0; }).progress(0.5, ""));
}

TEST_CASE("advice names an option, its amount and its time, in the order of what helps") {
  const TimeTaken taken{90.0, 1};
  CHECK(advice_on(doubted(Doubt::stuck), "log Z", usual, taken) ==
        "To settle log Z: --effort 2 takes some 3 minutes; --seed 2 takes as long as this did, 90 seconds, and settles "
        "it where the start was unlucky.");
  CHECK(advice_on(doubted(Doubt::contradicted), "log Z", usual, taken) ==
        "To settle log Z: --seed 2 takes as long as this did, 90 seconds, and settles it where the start was unlucky; "
        "else --effort 2 takes some 3 minutes.");
  CHECK(advice_on(doubted(Doubt::too_few), "log Z", usual, taken) ==
        "To settle log Z: --effort 2 takes some 3 minutes, this took 90 seconds.");
  CHECK(advice_on(doubted(Doubt::other), "log Z", usual, taken).empty());
  CHECK(advice_on(LogPartitionEstimate(), "log Z", usual, taken).empty());
}

TEST_CASE("advice goes on from what was asked for, and names no option that there is not") {
  const TimeTaken taken{60.0, 41};
  const auto stuck = doubted(Doubt::stuck);
  const std::string seed =
      "--seed 42 takes as long as this did, 60 seconds, and settles it where the start was unlucky.";
  CHECK(advice_on(stuck, "log Z", {.effort = 4.0}, taken) ==
        "To settle log Z: --effort 8 takes some 2 minutes; " + seed);
  CHECK(advice_on(stuck, "log Z", {.effort = 0.01}, taken) ==
        "To settle log Z: --effort 0.02 takes some 2 minutes; " + seed);
  CHECK(advice_on(stuck, "log Z", {.num_steps = 300.0}, taken) ==
        "To settle log Z: --set log_z.num_steps=600 takes some 2 minutes; " + seed);
  CHECK(advice_on(stuck, "log Z", {.effort = 1e6}, taken) == "To settle log Z: " + seed);
  CHECK(advice_on(stuck, "what rows come to", {}, taken) == "To settle what rows come to: " + seed);
  CHECK(advice_on(doubted(Doubt::too_few), "log Z", {}, taken).empty());
}

TEST_CASE("of several conditions that fail the gravest decides") {
  LogPartitionEstimate found;
  CHECK(found.doubt == Doubt::other);
  found.object("", Doubt::stuck);  // nothing failed
  CHECK(found.agree);
  CHECK(found.doubt == Doubt::other);
  found.object("the bases do not agree", Doubt::contradicted);
  found.object("too few round trips", Doubt::stuck);
  found.object("one side alone");
  CHECK(found.doubt == Doubt::stuck);
  CHECK(found.why == "the bases do not agree; too few round trips; one side alone");
}

}  // namespace log_z_advice_test
