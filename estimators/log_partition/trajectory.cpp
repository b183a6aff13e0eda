#include <harmonium/estimators/log_partition/trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/annealing_goal.hpp>
#include <harmonium/estimators/log_partition/machine_ladder_choice.hpp>
#include <harmonium/estimators/log_partition/walked_machines.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/framework/inference/factorial_base.hpp>
#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/model_draws.hpp>
#include <harmonium/framework/inference/operations.hpp>
#include <harmonium/framework/inference/scaled_copy.hpp>
#include <harmonium/framework/run/kept_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* trajectory_way = "trajectory";
constexpr double choosing_steps = 200.0, used_steps = 1000.0;
constexpr double usual_machines = 20.0;

[[noreturn]] void refuse_trajectory(const std::string& why) {
  throw CapabilityError(fmt::format("log_partition '{}': {}", trajectory_way, why));
}

/// The machines of the run, at the inverse temperature of the goal.
std::vector<KeptMachine> machines_of(const std::string& run, const EnergyModel& model, double beta) {
  std::vector<KeptMachine> kept;
  try {
    kept = kept_machines(run, model);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("log_partition '{}': {}", trajectory_way, error.what()));
  }
  if (beta == 1.0 || kept.empty()) return kept;
  const std::unique_ptr<EnergyModel> machine = model.copy();
  for (KeptMachine& one : kept) {
    machine->update_parameters([&](std::span<Real> out) { std::ranges::copy(one.theta, out.begin()); });
    const std::unique_ptr<EnergyModel> scaled = scaled_copy(*machine, beta);
    if (!scaled)
      refuse_trajectory("machines whose energy is not linear in their parameters have no path to this beta.");
    std::ranges::copy(scaled->parameters(), one.theta.begin());
  }
  return kept;
}

/// The first machine of the path; throws where it is more than independent units.
std::unique_ptr<EnergyModel> first_machine(const EnergyModel& model, const MachinePath& path) {
  std::unique_ptr<EnergyModel> first = model.copy();
  if (!first) refuse_trajectory("the model cannot be copied, and each machine of a ladder is a copy. Take 'ais'.");
  const std::vector<Real> theta = path.parameters(0.0);
  first->update_parameters([&](std::span<Real> out) { std::ranges::copy(theta, out.begin()); });
  const Layout& layout = first->layout();
  constexpr Index num = 4;
  Chains rows(layout, num);
  for (const LayerId l : layout.ids())
    layout[l].unit->sample_uniform(DrawBlock::of(RandomSource{17, 0}, 0, 0, l), rows.write(l));
  std::vector<double> own(num), independent(num);
  first->energy(rows.real(), own);
  FactorialBase(*first).energy(rows.real(), independent);
  const double rounding =
      64.0 * std::numeric_limits<Real>::epsilon() * std::sqrt(static_cast<double>(layout.columns(layout.all())));
  for (Index r = 0; r < num; ++r)
    if (!(std::abs(own[r] - independent[r]) <= rounding * (1.0 + std::abs(own[r]))))
      refuse_trajectory(
          "without its couplings the model is more than independent units, so that no log Z is known to "
          "begin with. Take 'ais'.");
  return first;
}

}  // namespace

void TrajectoryLogPartitionOptions::bind(OptionBinder& o) {
  o.option("run", run,
           "folder of the run whose kept machines are the path to the model; none: straight from the model without its "
           "couplings");
  o.option("acceptance", acceptance, "of exchanges between neighbors, by which machines of the ladder are chosen",
           within(0.01, 0.95));
  o.option("num_ladders", num_ladders, "ladders of machines, which the error is told from", at_least(4));
  o.option("effort", effort, "how much longer ladders walk than usual", effort_limit());
  o.component("sampler", sampler, "what moves the rows at each machine", "gibbs");
}

TrajectoryLogPartition::TrajectoryLogPartition(Options options) : options_(std::move(options)) {
  if (!options_.sampler)
    throw ConfigError(fmt::format("log_partition '{}': its sampler must be given.", trajectory_way));
  check_untempered(*options_.sampler, trajectory_way);
}

void TrajectoryLogPartition::check(const EnergyModel& model) const {
  const MachinePath path(model, machines_of(options_.run, model, 1.0));
  const std::unique_ptr<EnergyModel> first = first_machine(model, path);
  options_.sampler->check(Target{.model = *first});
}

LogPartitionEstimate TrajectoryLogPartition::estimate(const EnergyModel& model, double beta,
                                                      const Execution& execution) const {
  if (beta == 0.0) return infinite_temperature_log_z(model, trajectory_way);
  const AnnealingGoal goal(model, beta, trajectory_way);
  if (goal.end != 1.0) refuse_trajectory("this model has no copy at another beta than 1.");
  const MachinePath path(goal.model, machines_of(options_.run, model, beta));
  const std::unique_ptr<EnergyModel> first = first_machine(goal.model, path);
  const FactorialBase base(*first);
  Sampler& sampler = *options_.sampler;

  const auto steps = [&](double usual) { return static_cast<Index>(std::ceil(options_.effort * usual)); };
  Chains start(model.layout(), options_.num_ladders);
  for (const LayerId l : model.layout().ids())
    model.layout()[l].unit->sample_uniform(DrawBlock::of(execution.random.child("start"), 0, 0, l), start.write(l));
  PartOfWork choosing(execution.display, 0.0, 0.3, "choosing machines");
  Execution first_part = execution.part("choice");
  first_part.display = &choosing;
  MachineLadderChoice choice(goal.model, path, options_.acceptance, steps(choosing_steps), sampler, std::move(start),
                             first_part);

  PartOfWork walking(execution.display, 0.3, 1.0, "ladders of machines");
  Execution second_part = execution.part("ladders");
  second_part.display = &walking;
  const MachineRungs machines(goal.model, path, choice.places());
  MachineLadder ladder(machines.with(goal.model), nullptr, choice.take_rows());
  const WalkedMachines walked = walk_machines(ladder, steps(0.5 * used_steps), options_.effort, sampler, second_part);

  LogPartitionEstimate result = judged(walked.record, execution.executor);
  result.shift(base.log_partition(1.0));
  const std::string how =
      fmt::format("{} ladders of {} machines ({}), {} round trip{}", options_.num_ladders, walked.machines,
                  names_of(path, choice.places()), walked.round_trips, walked.round_trips == 1 ? "" : "s");
  result.method = "acceptance ratios along the trajectory, " + how;
  if (walked.least_round_trips < LadderPlan::enough_round_trips)
    result.object(fmt::format("too few round trips: {}, of which one ladder made {}, and {} of each are needed", how,
                              walked.least_round_trips, LadderPlan::enough_round_trips),
                  Doubt::stuck);
  return result;
}

double TrajectoryLogPartition::operations(const EnergyModel& model) const {
  const double walked = 0.5 * choosing_steps * usual_machines + 2.0 * used_steps;
  return walked * usual_machines * static_cast<double>(options_.num_ladders) * options_.effort *
         operations_per_product(model) * (options_.sampler->products_per_step() + 3.0);
}

void TrajectoryLogPartition::memory(const EnergyModel& model, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  const auto theta = static_cast<double>(model.parameter_layout().size());
  options_.sampler->memory(model, need);
  need.add("the machines of a ladder", 4.0 * usual_machines * theta * sizeof(Real), "log_z's acceptance");
  need.add("the ladders", (usual_machines + 20.0) * static_cast<double>(options_.num_ladders) * columns * sizeof(Real),
           "log_z's num_ladders");
  // Two values of each pair of machines, of a walk that rows do not get round in until it is as long as it may be.
  const double values = 2.0 * LadderPlan::most_times_longer *
                        most_recorded(usual_machines * static_cast<double>(options_.num_ladders), options_.effort);
  need.add("what ladders were recorded", record_bytes(values, options_.num_ladders), "log_z's effort");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
