#include <harmonium/samplers/trajectory_tempering.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/tempering_ladder.hpp>
#include <harmonium/framework/model/parameter_bytes.hpp>
#include <harmonium/framework/run/kept_machines.hpp>
#include <harmonium/framework/run/run_logs.hpp>
#include <harmonium/samplers/held_ladders.hpp>
#include <harmonium/samplers/rows_by_rung.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* trajectory_name = "sampler 'trajectory_tempering'";

}  // namespace

void TrajectoryTemperingOptions::bind(OptionBinder& o) {
  o.option(
      "run", run,
      "folder of the run whose kept machines are the path to the target; none: straight from the model without its "
      "couplings");
  o.option("places", places,
           "of the machines on the path: 1 (the target), then descending to 0 or more; none: adapted");
  o.option("num_rungs", num_rungs,
           "machines of an adapted ladder, from the target to the path's first; 10 where not given", at_least(2));
  o.option("adapt_steps", adapt_steps, "transitions during which the ladder is adapted; 500 where not given",
           at_least(0));
  o.option("swap_every", swap_every, "transitions between two rounds of exchanges", at_least(1));
  o.component("sampler", sampler, "what moves the chain at each machine", "gibbs");
}

void TrajectoryTemperingOptions::validate() const {
  if (places.empty()) {
    if (num_rungs && *num_rungs < 2) throw ConfigError("'num_rungs' must be at least 2.");
    return;
  }
  if (num_rungs || adapt_steps)
    throw ConfigError("'places' is a ladder already, so 'num_rungs' and 'adapt_steps' have no meaning. Leave one out.");
  if (places.size() < 2)
    throw ConfigError("'places' holds one machine, and there is none to exchange with. Give two or more.");
  if (places[0] != 1.0)
    throw ConfigError(fmt::format("'places' starts at {}, but its first is the target itself. Start at 1.", places[0]));
  for (Index k = 1; k < places.size(); ++k)
    if (!(places[k] >= 0.0) || !(places[k] < places[k - 1]))
      throw ConfigError(
          fmt::format("'places' must descend from 1 to 0 or more, but number {} is {}.", k + 1, places[k]));
}

TrajectoryTempering::TrajectoryTempering(Options options) : options_(std::move(options)) {
  if (!options_.sampler) throw ConfigError("an inner sampler must be given.");
  if (options_.sampler->rungs() != 1) throw ConfigError("the inner sampler has temperatures of its own. Try 'gibbs'.");
  if (options_.sampler->adaptation_steps() != 0)
    throw ConfigError("the inner sampler adapts itself, and each machine would ask for something else. Try 'gibbs'.");
  if (options_.swap_every == 0) throw ConfigError("'swap_every' must be at least 1.");
  options_.validate();
  places_ = options_.places;
  if (places_.empty()) places_ = even_ladder(options_.num_rungs.value_or(Options::usual_rungs));
  progress_ = LadderProgress(places_.size());
}

Index TrajectoryTempering::adaptation_steps() const {
  return options_.places.empty() ? options_.adapt_steps.value_or(Options::usual_adapt_steps) : 0;
}

void TrajectoryTempering::check(const Target& target) const {
  const auto refuse = [](const std::string& why) {
    throw CapabilityError(fmt::format("{}: {}", trajectory_name, why));
  };
  if (!target.ladder.empty()) refuse("its ladder is one of machines, and it takes none of temperatures. Try 'gibbs'.");
  if (target.base) refuse("its path begins at a machine of the run, and takes no base distribution. Try 'gibbs'.");
  if (target.beta != 1.0)
    refuse(
        fmt::format("machines of a run are what they are at beta = 1, and {} is asked for. Try 'parallel_tempering'.",
                    target.beta));
  std::vector<const EnergyModel*> machines;
  try {
    const MachinePath path(target.model, kept_machines(options_.run, target.model));
    const MachineRungs rungs(target.model, path, places_);
    machines = rungs.with(target.model);
    for (const EnergyModel* machine : machines) options_.sampler->check(Target{.model = *machine, .held = target.held});
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", trajectory_name, error.what()));
  } catch (const CapabilityError& error) {
    refuse(error.what());
  }
}

void TrajectoryTempering::find_mark() {
  if (!options_.run.empty()) mark_ = mark_of_kept(options_.run);
}

void TrajectoryTempering::find_machines(const EnergyModel& model) {
  if (!path_) {
    path_.emplace(model, kept_machines(options_.run, model));
    if (mark_.empty()) find_mark();
  } else if (!path_->follow(model) && machines_) return;
  if (machines_) machines_->set(*path_, places_);
  else machines_.emplace(model, *path_, places_);
}

SamplerReport TrajectoryTempering::advance(const Target& target, Chains& chains, Index steps,
                                           const Execution& execution, LastMeans*) {
  const Layout& layout = target.model.layout();
  const Index rungs = places_.size();
  if (chains.size() % rungs != 0 || chains.first_chain() % rungs != 0)
    throw CapabilityError(fmt::format("{}: {} rows from row {} on are no multiple of its {} machines.", trajectory_name,
                                      chains.size(), chains.first_chain(), rungs));
  if (target.held) check_held_alike(*target.held, layout, chains, rungs, trajectory_name);
  find_machines(target.model);
  progress_.follow(chains);
  const std::optional<HeldMask> held = held_of_ladders(target.held, chains.size(), rungs);
  RowsByRung rows(layout, chains, rungs, trajectory_name);
  MachineLadder ladder = rows.ladder(machines_->with(target.model), held ? &*held : nullptr);

  SamplerReport report;
  report.ladder = empty_report(std::vector<double>(rungs, 1.0));
  const std::uint64_t adapting = adaptation_steps();
  double acceptance = 0.0;
  for (Index done = 0; done < steps;) {
    const std::uint64_t step = ladder.rows(0).step(), since = step % options_.swap_every;
    LadderReport moving = empty_report(report.ladder->betas);
    if (since == 0)
      ladder.exchange(step / options_.swap_every, execution, progress_.tally,
                      progress_.age < adapting ? moving : *report.ladder);
    std::uint64_t now = std::min<std::uint64_t>(options_.swap_every - since, steps - done);
    const std::uint64_t end = progress_.round_end(adapting);
    if (progress_.age < adapting) now = std::min(now, end - progress_.age);
    const SamplerReport inner = ladder.move(now, *options_.sampler, execution.part("sampler"));
    acceptance += inner.acceptance * static_cast<double>(now);
    report.proposed += inner.proposed;
    report.min_acceptance = inner.min_acceptance;
    done += now;
    if (progress_.age >= adapting) continue;
    progress_.age += now;
    if (progress_.age == end) end_round();
  }
  rows.put_back(ladder, chains);
  if (steps > 0) report.acceptance = acceptance / static_cast<double>(steps);
  progress_.next_step = chains.step();
  return report;
}

void TrajectoryTempering::end_round() {
  if (!progress_.tally.complete()) return;  // the round goes on
  places_ = balanced_ladder(places_, progress_.tally.take_rejections());
  machines_->set(*path_, places_);
}

double TrajectoryTempering::products_per_step() const {
  // A free energy of each row at its machine and at its neighbor's, and its latent units.
  const double exchanges = 3.0 / static_cast<double>(options_.swap_every);
  return static_cast<double>(places_.size()) * (options_.sampler->products_per_step() + exchanges);
}

void TrajectoryTempering::memory(const EnergyModel& model, MemoryNeed& need) const {
  options_.sampler->memory(model, need);
  // A copy may keep a transposed one beside it.
  const double transposed = static_cast<double>(model.parameter_layout().size()) * sizeof(Real);
  need.add("the machines of a ladder", static_cast<double>(places_.size()) * (parameter_bytes(model) + transposed),
           "the sampler's num_rungs");
}

void TrajectoryTempering::state(StateArchive& archive) {
  archive.field("places", places_, places_.size());
  progress_.state(archive);
  archive.group("sampler", *options_.sampler);
  if (!options_.run.empty()) {
    if (mark_.empty()) find_mark();
    std::vector<std::uint64_t> kept = mark_;
    archive.field("machines", kept, FieldSize::up_to(mark_.size(), mark_.size()));  // earlier versions kept none
    check_mark(kept);
  }
  if (!archive.loading()) return;
  check_loaded(archive);
  machines_.reset();
}

/// The path is no part of the state: what goes on along another one is another run.
void TrajectoryTempering::check_mark(const std::vector<std::uint64_t>& kept) const {
  if (kept.empty() || kept == mark_) return;
  throw ConfigError(fmt::format(
      "{}: the machines that {} keeps are not those with which this began. Put its checkpoints and {} back as they "
      "were, or start anew.",
      trajectory_name, options_.run, checkpoint_list));
}

void TrajectoryTempering::check_loaded(const StateArchive& archive) const {
  if (places_.front() != 1.0) archive.refuse("places", fmt::format("begins at {}, and not at 1", places_.front()));
  for (Index k = 1; k < places_.size(); ++k)
    if (!(places_[k] >= 0.0) || places_[k] > places_[k - 1])
      archive.refuse("places",
                     fmt::format("is no ladder: places descend to 0 or more, and number {} is {}", k + 1, places_[k]));
  if (!options_.places.empty() && places_ != options_.places)
    archive.refuse("places", "is another ladder than 'places' of the configuration");
  if (options_.places.empty() && places_.back() != 0.0)
    archive.refuse("places", fmt::format("ends at {}, and an adapted one at 0", places_.back()));
  check_tally(archive, progress_.tally);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
