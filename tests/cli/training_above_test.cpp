// What is advised on machines of a stack that lower its likelihood.
#include <cmath>
#include <cstdint>
#include <functional>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <doctest/doctest.h>

#include <harmonium/program/stack/stack_outcome.hpp>
#include <harmonium/program/stack/training_above.hpp>

#include "stacks.hpp"

namespace training_above_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// The second machine, whose log likelihood goes as `of(epoch)`, with a scatter of 0.01.
MachineAbove machine(int epochs, const std::function<double(int)>& of, std::size_t number = 2) {
  boost::random::mt19937 words(1);
  boost::random::normal_distribution<double> normal(0.0, 0.01);
  LoggedCurve curve;
  curve.name = "log_likelihood";
  curve.kind = figure_kind(curve.name);
  for (int e = 1; e <= epochs; ++e) curve.points.push_back({double(e), of(e) + normal(words)});
  return {number, curve};
}

constexpr const char* first_alone = " Else take the first machine alone.";

}  // namespace

TEST_CASE("a machine that still rises is to be trained longer, and one that falls or wobbles in smaller steps") {
  const auto rises = [](int e) { return 1.0 - std::exp(-e / 30.0); };
  const std::string longer = advice_on_machines({machine(40, rises)});
  CAPTURE(longer);
  CHECK(like(longer,
             "The log likelihood of machine 2 was still rising at the end, by * % of its range over the last half of "
             "the epochs: train it longer (training.num_epochs)." +
                 std::string(first_alone)));
  CHECK(longer.find("smaller steps") == std::string::npos);
  const std::string smaller = "train it with smaller steps (optimizer.learning_rate) or more chains.";
  const auto check_smaller = [&](const std::function<double(int)>& of, const std::string& why) {
    const std::string advice = advice_on_machines({machine(40, of)});
    CAPTURE(advice);
    CHECK(like(advice, "The log likelihood of machine 2 " + why + ": " + smaller + first_alone));
    CHECK(advice.find("longer") == std::string::npos);
  };
  // The peak is at epoch 10.
  check_smaller([](int e) { return std::sqrt(e) * std::exp(-e / 20.0); }, "was best after epoch *, and fell since");
  // Up and down by half of its range.
  check_smaller([](int e) { return e % 2 == 0 ? 0.5 : -0.5; }, "wobbled more than it rose");
  // At rest neither helps.
  const std::string rests = advice_on_machines({machine(60, [](int e) { return 1.0 - std::exp(-e / 3.0); })});
  CHECK(rests == "The log likelihood of machine 2 had come to rest: more chains, or more hidden units, may help it." +
                     std::string(first_alone));
  // Each has its own.
  CHECK(like(advice_on_machines({machine(40, rises), machine(
                                                         60, [](int) { return 0.0; }, 3)}),
             "The log likelihood of machine 2 was still rising * The log likelihood of machine 3 *"));
  // Seven points tell nothing, nor does a machine that measured nothing.
  CHECK(advice_on_machines({machine(7, rises), {2, {}}}).empty());
}

TEST_CASE("the advice of curves takes the place of the general one, where machines lower the likelihood") {
  Evaluation e;
  e.machines_above = MachinesAbove{MachinesAbove::Effect::lower, "Words.", "", "Train."};
  const auto words = [&](const std::string& on_training) {
    return outcome_lines({{}, {{"training", e}}}, "", on_training)[0].words;
  };
  CHECK(words("") == "training rows: Words. Train.");
  CHECK(words("Longer.") == "training rows: Words. Longer.");
  CHECK(e.machines_above->with_remedy() == "Words. Train.");
  e.machines_above = MachinesAbove{MachinesAbove::Effect::raise, "Words."};
  CHECK(words("Longer.") == "training rows: Words.");
}

TEST_CASE("a stack whose second machine was trained too short says so at its end") {
  const CliFolder folder;
  // Exact gradients of features that are drawn anew in each epoch: the second machine rises by more than they scatter for a thousand epochs.
  folder.write("short.toml",
               "base = \"small.toml\"\nstart = \"initializer\"\n"
               "[[machines]]\nestimator = { type = \"exact\" }\n\"training.num_epochs\" = 1500\n"
               "\"optimizer.learning_rate\" = 1.0\n"
               "[[machines]]\nestimator = { type = \"exact\" }\n\"model.num_hidden\" = 12\n"
               "\"training.num_epochs\" = 200\n\"optimizer.learning_rate\" = 0.5\n");
  const Outcome outcome = run(folder, {"stack", "short.toml"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(like(outcome.err,
             "*note: training rows: The machines above the first lower the log likelihood by * nats a row. The "
             "*log likelihood of machine 2 was still rising at the end, by * % of its range over the last half of the "
             "epochs: train it longer (training.num_epochs). Else take the first machine alone.\n*"));
  CHECK(outcome.err.find("smaller steps") == std::string::npos);
}

}  // namespace training_above_test
