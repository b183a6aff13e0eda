#include <harmonium/estimators/log_partition/online.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/annealing_goal.hpp>
#include <harmonium/estimators/log_partition/annealing_path.hpp>
#include <harmonium/estimators/log_partition/ladder_log_partition.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/ladder_checks.hpp>
#include <harmonium/framework/inference/model_draws.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/inference/tempering_ladder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_walks = 20;  // of num_steps / 2, for nothing
// Each ladder, in the transitions that count. Fewer than of ladders that start anew: these rows have gone on since the run began.
constexpr std::uint64_t enough_round_trips = 4;
constexpr Index most_steps = 300;  // of a ladder
/// Neighbors that exchange less often than this are too far apart.
constexpr double least_rate = 0.2;

/// How many draws of a row count, which are correlated: 100 of the usual number of steps, and of more as many as lie no farther apart.
Index times_of(Index steps) {
  constexpr Index usual_times = 100, steps_apart = 20;
  return std::min(steps, std::max(usual_times, steps / steps_apart));
}

/// Temperatures between which as much is rejected, their number twice the sum of all rejections, where the fewest round trips
/// are lost.
std::vector<double> with_equal_rates(const std::vector<double>& betas, const LadderReport& report) {
  std::vector<double> rejected;
  double sum = 0.0;
  for (Index k = 0; k + 1 < betas.size(); ++k) {
    rejected.push_back(std::clamp(1.0 - report.rate(k), 0.01, 1.0));
    sum += rejected.back();
  }
  // Where next to nothing is exchanged, the sum does not say how far apart neighbors are: half as many again, at least.
  const double steps = std::max(2.0 * sum, 1.5 * static_cast<double>(betas.size() - 1));
  return at_equal_parts(betas, rejected, std::min(most_steps, static_cast<Index>(std::ceil(steps))));
}

}  // namespace

void OnlineLogPartitionOptions::bind(OptionBinder& o) {
  o.option("num_ladders", num_ladders, "tempering ladders, which the error is told from", at_least(4));
  o.option("num_steps", num_steps, "transitions of every row that count, each time that log Z is asked for",
           at_least(30));
  o.component("sampler", sampler, "what moves the rows at each temperature", "gibbs");
}

OnlineLogPartition::OnlineLogPartition(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("log_partition 'online': its sampler must be given.");
  check_untempered(*options_.sampler, "online");
}

void OnlineLogPartition::check(const EnergyModel& model) const { check_between(model, *options_.sampler); }

void OnlineLogPartition::begin(Resting& resting, const AnnealingBase& base, const Target& target, double end,
                               const Execution& execution) const {
  const Layout& layout = target.model.layout();
  const AnnealingPath path = find_path(base, target, end, {}, *options_.sampler, Chains(layout, pilot_chains),
                                       pilot_chains, {execution.executor, execution.random.child("path")});
  std::vector<double> betas = path.ladder();
  std::ranges::reverse(betas);
  Chains rows(layout, options_.num_ladders * betas.size());
  assign_rungs(rows, betas.size());
  base.draw(nullptr, execution.random.child("start"), rows);
  resting.put(rows, std::move(betas));
}

bool OnlineLogPartition::settle(Resting& resting, const Target& target, const Execution& execution) const {
  const Index steps = std::max<Index>(options_.num_steps / 2, 10);
  std::uint64_t round_trips = 0;
  for (Index walk = 0; walk < most_walks; ++walk) {
    Ladders ladders(target, resting.betas, resting.chains(target.model.layout()));
    ladders.set_last_ends(resting.last_ends);
    const LadderReport report = ladders.walk(
        steps, *options_.sampler, execution, [](Index, const std::vector<double>&) {}, [](Index) {});
    resting.put(ladders);
    if (report.any_proposed() && report.min_rate() < least_rate && ladders.rungs() <= most_steps) {
      resting.move_to(with_equal_rates(resting.betas, report), target.model.layout());
      round_trips = 0;
      continue;
    }
    round_trips += report.round_trips;
    if (round_trips >= options_.num_ladders) return true;
  }
  return false;
}

LogPartitionEstimate OnlineLogPartition::measure(Resting& resting, const Target& target,
                                                 const Execution& execution) const {
  const Index steps = options_.num_steps;
  Ladders ladders(target, resting.betas, resting.chains(target.model.layout()));
  ladders.set_last_ends(resting.last_ends);
  LadderRecord record(ladders.betas(), ladders.num_ladders(), times_of(steps));
  Index recorded = 0;
  const LadderReport report = ladders.walk(
      steps, *options_.sampler, execution,
      [&](Index t, const std::vector<double>& differences) {
        if (t * record.num_times / steps > recorded) record.add(ladders.chains(), recorded++, differences);
      },
      [](Index) {});
  resting.put(ladders);
  LogPartitionEstimate result = LadderLogPartition::judged(
      {"online", "all draws of a ladder reweighted", multistate_of, false}, record, execution);
  const std::uint64_t trips = report.round_trips, least = ladders.least_round_trips();
  result.method = fmt::format("ladders that go on, {} of {} temperatures, {} round trip{}", options_.num_ladders,
                              ladders.rungs(), trips, trips == 1 ? "" : "s");
  if (least < enough_round_trips)
    result.object(
        fmt::format("too few round trips: {} by one ladder, and {} by each are needed", least, enough_round_trips),
        Doubt::stuck);
  object_to_ladders(record, result);
  return result;
}

LogPartitionEstimate OnlineLogPartition::next(Resting& resting, const EnergyModel& model, double beta,
                                              const Execution& execution) const {
  if (beta == 0.0) return infinite_temperature_log_z(model, "online");
  const AnnealingGoal goal(model, beta, "online");
  const AnnealingBase base = AnnealingBase::uniform(goal.model);
  const Target target{.model = goal.model, .base = base.model()};
  const bool same_end =
      !resting.betas.empty() && resting.betas.front() == static_cast<double>(static_cast<Real>(goal.end));
  if (!same_end) begin(resting, base, target, goal.end, execution);
  const Execution walking = execution.part("ladders");
  const bool settled = settle(resting, target, walking);
  LogPartitionEstimate result = measure(resting, target, walking);
  if (!settled) result.object("rows did not forget where they were before they were counted", Doubt::stuck);
  result.shift(base.law().log_partition(1.0));
  return result;
}

LogPartitionEstimate OnlineLogPartition::estimate(const EnergyModel& model, double beta,
                                                  const Execution& execution) const {
  constexpr int calls = 10;
  Resting own;
  LogPartitionEstimate result = next(own, model, beta, execution);
  if (result.agree) return result;
  // Of several, the first that is agreed on is one whose rows happened to travel: they miss what holds rows back. It says when
  // rows have settled, and the call after it what is found.
  for (int call = 1; call < calls && !result.agree; ++call) result = next(own, model, beta, execution);
  return result.agree ? next(own, model, beta, execution) : result;
}

void OnlineLogPartition::state(StateArchive& archive) {
  resting_.state(archive);
  archive.group("sampler", *options_.sampler);
  if (archive.loading() && resting_.rung.size() != resting_.betas.size() * options_.num_ladders)
    archive.refuse("rung",
                   fmt::format("is not of {} ladders of {} temperatures", options_.num_ladders, resting_.betas.size()));
}

double OnlineLogPartition::operations(const EnergyModel& model) const {
  constexpr double usual_rungs = 30.0, usual_settling = 2.0;  // times num_steps
  return usual_rungs * (1.0 + usual_settling) * static_cast<double>(options_.num_ladders * options_.num_steps) *
         operations_per_product(model) * (options_.sampler->products_per_step() + 1.0);
}

void OnlineLogPartition::memory(const EnergyModel& model, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  options_.sampler->memory(model, need);
  need.add("the ladders", 600.0 * static_cast<double>(options_.num_ladders) * columns * sizeof(Real),
           "log_z's num_ladders");
  const double values = static_cast<double>(options_.num_ladders * most_steps * times_of(options_.num_steps));
  need.add("what ladders were recorded", record_bytes(values, options_.num_ladders), "log_z's num_steps");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
