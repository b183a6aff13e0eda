#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/parallel_tempering.hpp>
#include <harmonium/samplers/trajectory_tempering.hpp>
#include <harmonium/tests/support/ladders.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/trajectories.hpp>

namespace trajectory_tempering_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const Executor executor(2);
const Execution execution{executor, {5, 6}};

TrajectoryTempering along(TrajectoryTemperingOptions options) {
  options.sampler = std::make_unique<Gibbs>();
  return TrajectoryTempering(std::move(options));
}

std::string refused_places(std::vector<double> places, std::optional<Index> num_rungs = {}) {
  return message_of<ConfigError>([&] { along({.places = std::move(places), .num_rungs = num_rungs}); });
}

}  // namespace

TEST_CASE("options of trajectory tempering that cannot be meant are refused") {
  CHECK(refused_places({1.0}) == "'places' holds one machine, and there is none to exchange with. Give two or more.");
  CHECK(refused_places({0.9, 0.5}) == "'places' starts at 0.9, but its first is the target itself. Start at 1.");
  CHECK(refused_places({1.0, 0.5, 0.5}) == "'places' must descend from 1 to 0 or more, but number 3 is 0.5.");
  CHECK(refused_places({1.0, std::nan("")}) == "'places' must descend from 1 to 0 or more, but number 2 is nan.");
  CHECK(refused_places({1.0, 0.5}, 4) ==
        "'places' is a ladder already, so 'num_rungs' and 'adapt_steps' have no meaning. Leave one out.");
  CHECK(refused_places({}, 1) == "'num_rungs' must be at least 2.");
  CHECK_THROWS_AS(TrajectoryTempering({}), ConfigError);
  auto inner = std::make_unique<ParallelTempering>(
      ParallelTemperingOptions{.betas = {1.0, 0.5}, .sampler = std::make_unique<Gibbs>()});
  CHECK(message_of<ConfigError>([&] { TrajectoryTempering({.sampler = std::move(inner)}); }) ==
        "the inner sampler has temperatures of its own. Try 'gibbs'.");
}

TEST_CASE("targets that trajectory tempering cannot serve are refused") {
  const auto model = small_rbm();
  const FactorialBase base(*model);
  const std::vector<double> ladder{1.0, 0.5};
  const TrajectoryTempering plain = along({.places = {1.0, 0.0}});
  Target with_ladder{*model}, with_base{*model}, hot{*model};
  with_ladder.ladder = ladder;
  with_base.base = &base;
  hot.beta = 0.5;
  for (const Target* target : {&with_ladder, &with_base, &hot}) CHECK_THROWS_AS(plain.check(*target), CapabilityError);
  CHECK_NOTHROW(plain.check(Target{*model}));
  CHECK(message_of<CapabilityError>([&] { plain.check(hot); }) ==
        "sampler 'trajectory_tempering': machines of a run are what they are at beta = 1, and 0.5 is asked for. Try "
        "'parallel_tempering'.");
  CHECK(message_of<CapabilityError>([&] { plain.check(Target{Forwarding(*model)}); }) ==
        "sampler 'trajectory_tempering': the model cannot be copied, and a ladder of machines needs one for each rung. "
        "Take parallel_tempering.");
  CHECK(message_of<ConfigError>([&] {
          along({.run = "nowhere"}).check(Target{*model});
        }).starts_with("sampler 'trajectory_tempering': nowhere: no checkpoints of a run are there."));
}

TEST_CASE("rows that are no ladder of machines, or hold different things, are refused") {
  const auto model = small_rbm();
  const Layout& layout = model->layout();
  TrajectoryTempering sampler = along({.places = {1.0, 0.5, 0.0}});
  Chains odd(layout, 4);
  CHECK_THROWS_AS(sampler.advance(Target{*model}, odd, 1, execution), CapabilityError);
  Chains twice = started_ladders(layout, 2, 3);
  twice.rung()[4] = 0;
  CHECK_THROWS_AS(sampler.advance(Target{*model}, twice, 1, execution), CapabilityError);
  const HeldMask held(layout.observed());
  Target target{*model};
  target.held = &held;
  Chains different = started_ladders(layout, 2, 3);
  CHECK(message_of<CapabilityError>([&] {
          sampler.advance(target, different, 1, execution);
        }).starts_with("sampler 'trajectory_tempering': rows "));
}

TEST_CASE("an adapted ladder of machines rejects equally often between neighbors, and says how often it exchanges") {
  const auto model = small_rbm();
  const ScratchFolder folder;
  write_trajectory(folder.path(), *model, made_trajectory(*model, 3, 5));
  TrajectoryTempering sampler = along({.run = folder.path().string(), .num_rungs = 5, .adapt_steps = 2000});
  Chains chains = started_ladders(model->layout(), 20, 5);
  const SamplerReport adapting = sampler.advance(Target{*model}, chains, 2000, execution);
  CHECK_FALSE(adapting.ladder->any_proposed());
  const std::vector<double> places(sampler.places().begin(), sampler.places().end());
  CHECK(std::ranges::is_sorted(places, std::greater()));
  const SamplerReport report = sampler.advance(Target{*model}, chains, 4000, execution);
  CHECK(std::ranges::equal(sampler.places(), places));
  double least = 1.0, most = 0.0;
  for (Index k = 0; k < 4; ++k) {
    least = std::min(least, report.ladder->rate(k));
    most = std::max(most, report.ladder->rate(k));
  }
  // 40,000 exchanges a pair; the places are known as well as the last round, of 1000 steps, could tell.
  CHECK(most - least < 0.03);
  CHECK(report.ladder->round_trips > 100);
  CHECK(report.ladder->summary().starts_with("5 machines, exchanges accepted 0."));
}

TEST_CASE("the last machine of the ladder is the target as it has become") {
  const auto model = small_rbm();
  TrajectoryTempering one = along({.places = {1.0, 0.5}}), other = along({.places = {1.0, 0.5}});
  Chains chains = started_ladders(model->layout(), 10, 2), again = started_ladders(model->layout(), 10, 2);
  one.advance(Target{*model}, chains, 3, execution);
  model->update_parameters([](std::span<Real> theta) {
    for (Real& t : theta) t = -t;
  });
  chains = again;
  one.advance(Target{*model}, chains, 3, execution);
  other.advance(Target{*model}, again, 3, execution);
  for (const LayerId l : model->layout().ids()) CHECK(std::ranges::equal(chains.read(l).all(), again.read(l).all()));
}

TEST_CASE("the state of a ladder of machines is of those that the run kept, and goes with no others") {
  const auto model = small_rbm();
  const ScratchFolder folder, other;
  write_trajectory(folder.path(), *model, made_trajectory(*model, 3, 5));
  write_trajectory(other.path(), *model, made_trajectory(*model, 3, 6));
  const auto sampler = [](const std::filesystem::path& run) {
    return along({.run = run.string(), .places = {1.0, 0.5, 0.0}});
  };
  TrajectoryTempering began = sampler(folder.path());
  StateArchive before, after;
  began.state(before);
  Chains chains = started_ladders(model->layout(), 2, 3);
  began.advance(Target{*model}, chains, 2, execution);
  began.state(after);
  for (const StateArchive* saved : {&before, &after}) {
    StateArchive same(saved->fields(), {}), others(saved->fields(), {});
    CHECK_NOTHROW(sampler(folder.path()).state(same));
    CHECK(message_of<ConfigError>([&] { sampler(other.path()).state(others); })
              .ends_with("keeps are not those with which this began. Put its checkpoints and checkpoints.jsonl back as "
                         "they were, or start "
                         "anew."));
  }
  // States of earlier versions say nothing of machines.
  StateArchive::Fields earlier = after.fields();
  earlier.erase("machines");
  StateArchive silent(std::move(earlier), {});
  CHECK_NOTHROW(sampler(other.path()).state(silent));
  // Without a run there are none.
  StateArchive straight;
  along({.places = {1.0, 0.0}}).state(straight);
  CHECK_FALSE(straight.fields().contains("machines"));
}

TEST_CASE("a ladder of machines says how much memory these take") {
  const auto model = small_rbm();
  MemoryNeed need;
  along({.places = {1.0, 0.5, 0.0}}).memory(*model, need);
  const auto parameters = static_cast<double>(model->parameter_layout().size());
  CHECK(need.bytes() == 3.0 * 16.0 * parameters);  // θ and one transposed; in single precision θ in double too
}

}  // namespace trajectory_tempering_test
