#include <harmonium/estimators/log_partition/online.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/annealing_goal.hpp>
#include <harmonium/estimators/log_partition/annealing_path.hpp>
#include <harmonium/estimators/log_partition/ladder_log_partition.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/model_draws.hpp>
#include <harmonium/framework/inference/rungs.hpp>
#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index num_pilots = 64;
constexpr Index remembered_calls = 10;
constexpr Index first_steps = 4;   // times as many, after new temperatures
constexpr Index most_times = 100;  // of each row, whose draws are correlated
/// Neighbors that exchange less often than this are too far apart.
constexpr double least_rate = 0.2;

LadderReport settle(Ladders& ladders, Index steps, Sampler& sampler, const Execution& execution) {
  return ladders.walk(
      steps, sampler, execution, [](Index, const std::vector<double>&) {}, [](Index) {});
}

Index nearest(const std::vector<double>& betas, double beta) {
  const auto closer = [beta](double a, double b) { return std::abs(a - beta) < std::abs(b - beta); };
  return static_cast<Index>(std::ranges::min_element(betas, closer) - betas.begin());
}

}  // namespace

void OnlineLogPartitionOptions::bind(OptionBinder& o) {
  o.option("num_ladders", num_ladders, "tempering ladders, which the error is told from", at_least(4));
  o.option("num_steps", num_steps, "transitions of every row each time that log Z is asked for", at_least(30));
  o.component("sampler", sampler, "what moves the rows at each temperature", "gibbs");
}

OnlineLogPartition::OnlineLogPartition(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("log_partition 'online': its sampler must be given.");
  if (options_.sampler->rungs() != 1)
    throw ConfigError("log_partition 'online': the sampler has temperatures of its own. Take 'gibbs'.");
}

void OnlineLogPartition::check(const EnergyModel& model) const {
  const AnnealingBase base = AnnealingBase::uniform(model);
  options_.sampler->check({.model = model, .base = base.model(), .beta = 0.5});
}

void OnlineLogPartition::plan(Resting& resting, const AnnealingBase& base, const Target& target, double end,
                              const Execution& execution) const {
  const Layout& layout = target.model.layout();
  const Execution own = execution.part(fmt::format("plan{}", resting.step));
  const AnnealingPath path = find_path(base, target, end, {}, *options_.sampler, Chains(layout, num_pilots), num_pilots,
                                       {own.executor, own.random.child("path")});
  std::vector<double> betas = path.ladder();
  std::ranges::reverse(betas);
  const Index rungs = betas.size();
  Chains rows(layout, options_.num_ladders * rungs);
  assign_rungs(rows, rungs);
  if (resting.betas.empty()) {
    base.draw(nullptr, own.random.child("start"), rows);
  } else {
    const Chains old = resting.chains(layout);
    const Index were = resting.betas.size();
    for (Index r = 0; r < old.size(); ++r)
      for (Index k = 0; k < rungs; ++k)
        if (nearest(resting.betas, betas[k]) == old.rung()[r])
          rows.copy_rows(layout.all(), {old, r, r + 1}, r / were * rungs + k);
  }
  rows.set_step(resting.step);
  resting.round_trips.clear();
  resting.put(Ladders(target, std::move(betas), std::move(rows)));
}

LogPartitionEstimate OnlineLogPartition::measure(Ladders& ladders, Resting& resting, const Execution& execution) const {
  const Index steps = options_.num_steps - options_.num_steps / 3;
  LadderRecord record(ladders.betas(), ladders.num_ladders(), std::min(most_times, steps));
  Index recorded = 0;
  const LadderReport report = ladders.walk(
      steps, *options_.sampler, execution,
      [&](Index t, const std::vector<double>& differences) {
        if (t * record.num_times / steps > recorded) record.add(ladders.chains(), recorded++, differences);
      },
      [](Index) {});
  resting.round_trips.back() += report.round_trips;
  const std::uint64_t trips = std::accumulate(resting.round_trips.begin(), resting.round_trips.end(), std::uint64_t{0}),
                      enough = LadderPlan::enough_round_trips * options_.num_ladders;
  LogPartitionEstimate result = LadderLogPartition::judged(
      {"online", "all draws of a ladder reweighted", multistate_of, false}, record, execution);
  result.method = fmt::format("ladders that go on, {} of {} temperatures, {} round trips in {} calls",
                              options_.num_ladders, ladders.rungs(), trips, resting.round_trips.size());
  if (trips < enough) {
    result.agree = false;
    result.why = fmt::format("{} are too few round trips, {} are needed. Raise num_steps", trips, enough) +
                 (result.why.empty() ? "" : "; ") + result.why;
  }
  return result;
}

LogPartitionEstimate OnlineLogPartition::next(Resting& resting, const EnergyModel& model, double beta,
                                              const Execution& execution) const {
  if (beta == 0.0) {
    check_infinite_temperature(model, "online");
    return LogPartitionEstimate::of_exact(AnnealingBase::uniform(model).law().log_partition(1.0),
                                          "exact, every state alike");
  }
  const AnnealingGoal goal(model, beta, "online");
  const AnnealingBase base = AnnealingBase::uniform(goal.model);
  const Target target{.model = goal.model, .base = base.model()};
  const Execution walking = execution.part("ladders");
  for (bool fresh = resting.betas.empty();; fresh = true) {
    if (fresh) plan(resting, base, target, goal.end, execution);
    Ladders ladders(target, resting.betas, resting.chains(model.layout()));
    ladders.set_last_ends(resting.last_ends);
    const Index settling = (fresh ? first_steps : 1) * (options_.num_steps / 3);
    const LadderReport settled = settle(ladders, settling, *options_.sampler, walking);
    if (!fresh && settled.any_proposed() && settled.min_rate() < least_rate) {
      resting.put(ladders);
      continue;
    }
    resting.round_trips.push_back(settled.round_trips);
    if (resting.round_trips.size() > remembered_calls) resting.round_trips.erase(resting.round_trips.begin());
    LogPartitionEstimate result = measure(ladders, resting, walking);
    resting.put(ladders);
    const double offset = base.law().log_partition(1.0);
    for (double* v : {&result.log_z, &result.low, &result.high}) *v += offset;
    return result;
  }
}

LogPartitionEstimate OnlineLogPartition::estimate(const EnergyModel& model, double beta,
                                                  const Execution& execution) const {
  Resting own;
  LogPartitionEstimate result;
  for (Index call = 0; call < remembered_calls; ++call) {
    result = next(own, model, beta, execution);
    if (result.agree) break;
  }
  return result;
}

void OnlineLogPartition::state(StateArchive& archive) {
  resting_.state(archive);
  if (archive.loading() && resting_.rung.size() != resting_.betas.size() * options_.num_ladders)
    archive.refuse("rung",
                   fmt::format("is not of {} ladders of {} temperatures", options_.num_ladders, resting_.betas.size()));
}

double OnlineLogPartition::operations(const EnergyModel& model) const {
  constexpr double usual_rungs = 20.0;
  return usual_rungs * static_cast<double>(options_.num_ladders * options_.num_steps) * operations_per_product(model) *
         (options_.sampler->products_per_step() + 1.0);
}

void OnlineLogPartition::memory(const EnergyModel& model, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  options_.sampler->memory(model, need);
  need.add("the ladders", 600.0 * static_cast<double>(options_.num_ladders) * columns * sizeof(Real),
           "log_z's num_ladders");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
