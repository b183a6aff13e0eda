#include <doctest/doctest.h>

#include <harmonium/framework/training/trainer.hpp>

namespace kept_checkpoints_test {

using namespace harmonium;

namespace {

std::vector<std::uint64_t> kept_of(const TrainingOptions& options, Index per_epoch, std::uint64_t last) {
  std::vector<std::uint64_t> kept;
  for (std::uint64_t update = 1; update <= last; ++update)
    if (options.keeps_checkpoint(update, per_epoch)) kept.push_back(update);
  return kept;
}

}  // namespace

TEST_CASE("log-spaced checkpoints lie a quarter apart, whatever the length of the run") {
  TrainingOptions options{.checkpoint_every = 2, .checkpoint_keep = KeptCheckpoints::log_spaced};
  CHECK(kept_of(options, 3, 6 * 40) ==
        std::vector<std::uint64_t>{6, 12, 18, 24, 30, 42, 54, 72, 90, 114, 144, 180, 228});
  const auto long_run = kept_of({.checkpoint_every = 1, .checkpoint_keep = KeptCheckpoints::log_spaced}, 1, 1'000'000);
  std::size_t decades = 0;  // ten a decade where numbers are so large that they need no rounding
  for (const std::uint64_t update : long_run) decades += update > 1000 && update <= 1'000'000 ? 1 : 0;
  CHECK(decades >= 29);
  CHECK(decades <= 32);
}

TEST_CASE("checkpoints that nobody scheduled never stay") {
  CHECK(kept_of({.checkpoint_every = 2}, 3, 13) == std::vector<std::uint64_t>{6, 12});
  CHECK(kept_of({.checkpoint_every = 2, .checkpoint_keep = KeptCheckpoints::last}, 3, 13).empty());
  CHECK(kept_of({.checkpoint_minutes = 1.0}, 3, 13).empty());
}

}  // namespace kept_checkpoints_test
