#include <doctest/doctest.h>

#include <harmonium/harmonium.hpp>
#include <harmonium/tests/support/example_models.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace timed_checkpoint_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

struct Killed {};

/// Is killed as an update ends, and tells which one was the first that it saw.
struct Mortal final : TrainingHost {
  explicit Mortal(std::uint64_t end) : last(end) {}
  Verdict between_updates(const TrainingPosition& position, bool) override {
    if (first == 0) first = position.update;
    if (position.update >= last) throw Killed{};
    return Verdict::go_on;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}
  std::uint64_t last, first = 0;
};

std::vector<Real> trained(const std::filesystem::path& checkpoint, double minutes, TrainingHost* host = nullptr) {
  const Executor threads(1);
  auto model = random_rbm(9, 4, 2);
  const auto estimator = make<GradientEstimator>("type = 'pcd'\nnum_chains = 7");
  const auto optimizer = make<Optimizer>("type = 'adam'");
  TrainingExtras extras{.host = host, .checkpoint = checkpoint};
  train(*model, Dataset(bars_and_stripes(3), "bars"), *estimator, *optimizer,
        {.num_updates = 7, .batch_size = 5, .checkpoint_every = 1000, .checkpoint_minutes = minutes},
        {threads, {.seed = 4}}, std::move(extras));
  return {model->parameters().begin(), model->parameters().end()};
}

}  // namespace

TEST_CASE("a run in one call that is killed goes on from the checkpoint that the time asked for") {
  const ScratchFolder scratch;
  const std::vector<Real> whole = trained({}, 0.0);
  for (const double minutes : {1e-12, 1e6}) {
    CAPTURE(minutes);
    const auto file = scratch / (minutes < 1.0 ? "often.h5" : "never.h5");
    Mortal killed(4), rest(100);
    CHECK_THROWS_AS(trained(file, minutes, &killed), Killed);
    CHECK(trained(file, minutes, &rest) == whole);
    CHECK(rest.first == (minutes < 1.0 ? 4 : 1));  // after the third update, or from the beginning
  }
}

}  // namespace timed_checkpoint_test
