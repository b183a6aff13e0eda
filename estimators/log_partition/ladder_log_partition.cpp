#include <harmonium/estimators/log_partition/ladder_log_partition.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/annealing_goal.hpp>
#include <harmonium/estimators/log_partition/annealing_path.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/framework/inference/ladder_checks.hpp>
#include <harmonium/framework/inference/model_draws.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double usual_steps = 1000.0;

/// log Z by a rule, and the interval of the jackknife.
LogPartitionEstimate with_interval(const LadderLogPartition::Rule& rule, const LadderRecord& record,
                                   const Execution& execution) {
  std::vector<double> rest(record.num_ladders);
  execution.executor.for_each_piece(rest.size(), 1, [&](Index l, Index) { rest[l] = rule.ratio(record.without(l)); });
  const auto n = static_cast<double>(rest.size());
  LogPartitionEstimate result;
  result.method = rule.words;
  result.log_z = rule.ratio(record);
  result.error = (n - 1.0) * std::sqrt(mean_of_groups(rest).variance_of_mean);
  double half = half_interval(n) * result.error;
  // A rule of fourth order errs by a sixteenth of what it does with steps twice as long.
  if (rule.discretized) half += std::abs(result.log_z - rule.ratio(record.every_other_rung())) / 15.0;
  half += 1e-12 * (1.0 + std::abs(result.log_z));
  result.low = result.log_z - half;
  result.high = result.log_z + half;
  // Where one kind of start is right and the other is not, the mean of both is half of what they differ by off, and the jackknife
  // says less: the interval reaches to what each kind says.
  for (Index kind = 0; record.starts_apart && kind < 2; ++kind) {
    const double alone = rule.ratio(record.every_other_ladder(kind));
    result.low = std::min(result.low, alone);
    result.high = std::max(result.high, alone);
  }
  return result;
}

}  // namespace

void LadderLogPartitionOptions::bind(OptionBinder& o) {
  o.option("num_ladders", num_ladders, "tempering ladders, which the error is told from", at_least(4));
  o.option("effort", effort, "how much longer ladders walk than usual", effort_limit());
  o.component("sampler", sampler, "what moves the rows at each temperature", "gibbs");
}

LadderLogPartition::LadderLogPartition(Rule rule, Options options) : rule_(rule), options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError(fmt::format("log_partition '{}': its sampler must be given.", rule_.name));
  check_untempered(*options_.sampler, rule_.name);
}

void LadderLogPartition::check(const EnergyModel& model) const { check_between(model, *options_.sampler); }

LogPartitionEstimate LadderLogPartition::judged(const Rule& rule, const LadderRecord& record,
                                                const Execution& execution) {
  LogPartitionEstimate result;
  try {
    result = with_interval(rule, record, execution);
  } catch (const NumericalError&) {
    // A training goes on without them. Bennett's ratios fail only where an energy is no number.
    result = with_interval({rule.name, "acceptance ratios of neighbors", bennett_of, false}, record, execution);
    result.object(
        "the equations of multistate reweighting were not solved, and acceptance ratios of neighbors stand in for "
        "them",
        Doubt::too_few);
  }
  if (const double overlap = least_overlap(record); overlap < enough_samples)
    result.object(fmt::format("neighbors of the ladder hardly overlap: {:.2g} draws of the worst pair count", overlap),
                  Doubt::too_few);
  return result;
}

LogPartitionEstimate LadderLogPartition::estimate(const EnergyModel& model, double beta,
                                                  const Execution& execution) const {
  if (beta == 0.0) return infinite_temperature_log_z(model, rule_.name);
  const AnnealingGoal goal(model, beta, rule_.name);
  const AnnealingBase base = AnnealingBase::uniform(goal.model);
  const Target target{.model = goal.model, .base = base.model()};
  Execution pilot = execution.part("path");
  pilot.display = nullptr;
  const AnnealingPath path = find_path(base, target, goal.end, {}, *options_.sampler,
                                       Chains(model.layout(), pilot_chains), pilot_chains, pilot);
  LadderPlan plan;
  plan.betas = path.ladder();
  // An even number of steps, so that every other rung is a ladder too.
  if (plan.betas.size() % 2 == 0) plan.betas = path.ladder(plan.betas.size());
  plan.num_ladders = options_.num_ladders;
  plan.start = LadderStart::apart;
  plan.num_steps = static_cast<Index>(std::ceil(options_.effort * usual_steps));
  plan.longer = options_.effort;
  Chains start(model.layout(), plan.num_ladders * plan.betas.size());
  base.draw(nullptr, execution.random.child("start"), start);
  PartOfWork shown(execution.display, 0.0, 1.0, "ladders of temperatures");
  Execution walking = execution.part("ladders");
  walking.display = &shown;
  const ModelDraws draws =
      draw_by_ladders(target, plan, plan.num_ladders, *options_.sampler, std::move(start), walking);
  LogPartitionEstimate result = judged(rule_, draws.record, execution);
  object_to_ladders(draws.record, result);
  result.shift(base.law().log_partition(1.0));
  if (!base.model()) object_to_visited(draws.record, goal.end, result);
  result.method = fmt::format("{}, {}", result.method, draws.how);
  if (!draws.certified) result.object("too few round trips: " + draws.shortage(), Doubt::stuck);
  return result;
}

double LadderLogPartition::operations(const EnergyModel& model) const {
  constexpr double usual_rungs = 30.0, unused = 1.5;  // half the steps before ladders are moved apart
  return unused * usual_rungs * static_cast<double>(options_.num_ladders) * options_.effort * usual_steps *
         operations_per_product(model) * (options_.sampler->products_per_step() + 1.0);
}

void LadderLogPartition::memory(const EnergyModel& model, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  options_.sampler->memory(model, need);
  need.add("the ladders", 300.0 * static_cast<double>(options_.num_ladders) * columns * sizeof(Real),
           "log_z's num_ladders");
  // Of a walk that rows do not get round in until it is as long as it may be.
  const double values =
      LadderPlan::most_times_longer * most_recorded(300.0 * static_cast<double>(options_.num_ladders), options_.effort);
  need.add("what ladders were recorded", record_bytes(values, options_.num_ladders), "log_z's effort");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
