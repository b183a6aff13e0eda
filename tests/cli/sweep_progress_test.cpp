#include <doctest/doctest.h>

#include <harmonium/program/sweep/made_updates.hpp>
#include <harmonium/program/sweep/sweep_progress.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace sweep_progress_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("runs of a sweep count by their weights, and what is done stays done") {
  SweepProgress progress;
  CHECK(progress.share() == 0.0);
  for (const double weight : {1.0, 2.0, 5.0}) progress.add(weight);
  progress.seen(0, 1.0);
  CHECK(progress.share() == 0.125);
  progress.seen(2, 0.4);
  CHECK(progress.share() == doctest::Approx(0.375).epsilon(1e-15));
  progress.seen(2, 0.1);  // a run that goes on from an earlier checkpoint
  CHECK(progress.share() == doctest::Approx(0.375).epsilon(1e-15));
  progress.seen(1, 7.0);
  progress.seen(2, 1.0);
  CHECK(progress.share() == 1.0);
}

TEST_CASE("the guess of a run's time has the calls of an update and its operations") {
  const double none = guessed_seconds(0.0, 1e9);
  CHECK(guessed_seconds(0.0, 0.0) == none);
  // Of small machines the calls are what takes time, of large ones the operations.
  const auto an_update = [&](double operations) { return (guessed_seconds(1e6, operations) - none) / 1e6; };
  CHECK(an_update(2e3) == doctest::Approx(an_update(1e3)).epsilon(0.01));
  CHECK(an_update(2e9) == doctest::Approx(2.0 * an_update(1e9)).epsilon(0.01));
  CHECK(guessed_seconds(2e6, 1e3) - none == doctest::Approx(2.0 * (guessed_seconds(1e6, 1e3) - none)).epsilon(1e-12));
}

TEST_CASE("a sweep takes the longest of its runs, or all of them one beside the other, at the measured speed") {
  // Of the largest guess, 4 s with its process, the updates take 8 s less that: all take twice their guesses.
  const double measured = 8.0 - seconds_of_process;
  CHECK(seconds_side_by_side({4.0}, measured, 1) == doctest::Approx(8.0));
  CHECK(seconds_side_by_side({1.0, 4.0, 2.0, 3.0}, measured, 1) == doctest::Approx(20.0));
  CHECK(seconds_side_by_side({1.0, 4.0, 2.0, 3.0}, measured, 2) == doctest::Approx(10.0));
  CHECK(seconds_side_by_side({1.0, 4.0, 2.0, 3.0}, measured, 4) == doctest::Approx(8.0));
  // Ends are as long in small runs as in large ones.
  CHECK(seconds_of_ends(4, 3.0, 1) == 12.0);
  CHECK(seconds_of_ends(4, 3.0, 3) == 6.0);
  CHECK(seconds_of_ends(4, 3.0, 4) == 3.0);
}

TEST_CASE("the updates of a run are those of the last whole line of its log") {
  const ScratchFolder folder;
  CHECK(!made_updates(folder.path()));
  folder.write("metrics.jsonl", "");
  CHECK(!made_updates(folder.path()));
  folder.write("metrics.jsonl", "{\"epoch\":1,\"upd");
  CHECK(!made_updates(folder.path()));
  const std::string first = "{\"epoch\":1,\"update\":50,\"loss\":-2}\n";
  folder.write("metrics.jsonl", first);
  CHECK(made_updates(folder.path()) == 50.0);
  folder.write("metrics.jsonl", first + "{\"epoch\":2,\"update\":1");
  CHECK(made_updates(folder.path()) == 50.0);
  std::string longer;
  for (int i = 0; i < 2000; ++i) longer += first;
  folder.write("metrics.jsonl", longer + "{\"epoch\":2,\"update\":100,\"loss\":-1}\n");
  CHECK(made_updates(folder.path()) == 100.0);
}

}  // namespace sweep_progress_test
