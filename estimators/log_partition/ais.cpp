#include <harmonium/estimators/log_partition/ais.hpp>

#include <algorithm>
#include <numeric>

#include <harmonium/estimators/log_partition/annealing_goal.hpp>
#include <harmonium/estimators/log_partition/annealings.hpp>
#include <harmonium/estimators/log_partition/held_annealings.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/framework/inference/operations.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void AisOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<AnnealingSides> all[] = {
      {"both", AnnealingSides::both}, {"forward", AnnealingSides::forward}, {"backward", AnnealingSides::backward}};
  o.choice("sides", sides, all,
           "walks from a simple law to the model (forward), from draws of the model back, or both");
  bind_walks(o);
}

void AisOptions::bind_walks(OptionBinder& o) {
  o.option("num_chains", num_chains, "walks of each side", at_least(20));
  o.option("num_temperatures", num_temperatures,
           "steps of a walk; 0: as many as the variance of the weights asks for, up to 20,000 times the effort",
           within(0, 10'000'000));
  o.option("num_ladders", num_ladders, "tempering ladders that draw from a model that cannot be enumerated",
           at_least(4));
  o.option("effort", effort, "how much longer walks and ladders are than usual", effort_limit());
  static constexpr OptionBinder::Choice<ModelDrawsBy> ways[] = {
      {"automatic", ModelDrawsBy::automatic}, {"exact", ModelDrawsBy::exact}, {"ladders", ModelDrawsBy::ladders}};
  o.choice("draws", draws, ways,
           "where backward walks start: exact draws, tempering ladders, or (automatic) the first where it can be had");
  o.component("sampler", sampler, "what moves the walks at each temperature", "gibbs");
  o.component("exact", exact, "what draws from a model that can be enumerated", "exact");
}

AnnealedImportance::AnnealedImportance(Options options) : options_(std::move(options)) {
  if (!options_.sampler || !options_.exact) throw ConfigError("log_partition 'ais': its samplers must be given.");
  check_untempered(*options_.sampler, "ais");
  reversal_ = options_.sampler->reversal();
  if (!reversal_)
    throw ConfigError(
        "log_partition 'ais': no reversal of the sampler is known, which walks back take. Take 'gibbs' with a "
        "systematic "
        "scan.");
}

void AnnealedImportance::check(const EnergyModel& model) const { check_between(model, *options_.sampler); }

LogPartitionEstimate AnnealedImportance::estimate(const EnergyModel& model, double beta,
                                                  const Execution& execution) const {
  if (beta == 0.0) return infinite_temperature_log_z(model, "ais");
  const AnnealingGoal goal(model, beta, "ais");
  Annealings annealings(options_, *reversal_, goal.model, goal.end, execution);
  switch (options_.sides) {
    case AnnealingSides::forward: return annealings.forward_only();
    case AnnealingSides::backward: return annealings.backward_only();
    case AnnealingSides::both: break;
  }
  return annealings.both_sides();
}

LogPartitionEstimate AnnealedImportance::estimate_mean(const EnergyModel& model, double beta, const Chains& rows,
                                                       const HeldMask& held, const Execution& execution) const {
  if (beta == 0.0) {
    check_infinite_temperature(model, "ais");
    const std::vector<double> sums = AnnealingBase::uniform(model).log_partitions(&held, rows);
    return LogPartitionEstimate::of_exact(
        std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(sums.size()), "exact, every state alike");
  }
  const AnnealingGoal goal(model, beta, "ais");
  return HeldAnnealings(options_, *reversal_, goal.model, goal.end, rows, held, execution).mean();
}

double AnnealedImportance::operations(const EnergyModel& model) const {
  const double steps = options_.num_temperatures > 0 ? static_cast<double>(options_.num_temperatures) : 2000.0;
  return 4.0 * static_cast<double>(options_.num_chains) * steps * operations_per_product(model) *
         (options_.sampler->products_per_step() + 1.0);
}

void AnnealedImportance::memory(const EnergyModel& model, MemoryNeed& need) const {
  const auto columns = static_cast<double>(model.layout().columns(model.layout().all()));
  options_.sampler->memory(model, need);
  need.add("the walks of the annealing", 4.0 * static_cast<double>(options_.num_chains) * columns * sizeof(Real),
           "log_z's num_chains");
  need.add_passing("the ladders that draw from the model",
                   300.0 * static_cast<double>(options_.num_ladders) * columns * sizeof(Real), "log_z's num_ladders");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
