#include <harmonium/estimators/phases/automatic_phase.hpp>

#include <harmonium/estimators/phases/posterior_mean.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void AutomaticPhaseOptions::bind(OptionBinder& o) {
  o.option("sampled", sampled, "the latent units by draws, not by their means, where they are independent");
  o.component("coupled", coupled, "the phase where they are not, or where entries are missing", "mean_field");
}

AutomaticPhase::AutomaticPhase(Options options)
    : sampled_(options.sampled),
      factorized_(std::make_unique<PosteriorMean>(PosteriorMeanOptions{.sampled = options.sampled})),
      coupled_(std::move(options.coupled)) {
  if (!coupled_) throw ConfigError("phase 'automatic': a phase for coupled latent units must be given.");
}

PhaseEstimator& AutomaticPhase::chosen(const EnergyModel& model, bool missing) const {
  return posterior_factorizes(model) && !missing ? *factorized_ : *coupled_;
}

void AutomaticPhase::check_chosen(const EnergyModel& model, bool missing) const {
  const PhaseEstimator& phase = chosen(model, missing);
  if (sampled_ && &phase == coupled_.get())
    throw CapabilityError(
        "phase 'automatic': independent draws of the latent units are asked for, and the units that were not seen are "
        "coupled given those that were. Name the positive phase: try 'chains', with rao_blackwell = false.");
  phase.check(model, Phase::positive);
}

void AutomaticPhase::check(const EnergyModel& model, Phase phase) const {
  if (phase == Phase::negative)
    throw CapabilityError("phase 'automatic': it is a positive phase. Try 'chains' or 'exact'.");
  check_chosen(model, false);
}

void AutomaticPhase::begin(const EnergyModel& model, Phase phase, const DataOutline& data) {
  missing_ = data.missing;
  check_chosen(model, missing_);
  begun_ = &chosen(model, missing_);
  if (shard_) cut(*begun_).take(model, phase, *shard_);
  begun_->begin(model, phase, data);
}

/// `phase` as what works on a shard. Throws CapabilityError where it does not.
ShardPhase& AutomaticPhase::cut(PhaseEstimator& phase) {
  auto* found = dynamic_cast<ShardPhase*>(&phase);
  if (!found)
    throw CapabilityError(
        "phase 'automatic': the phase for coupled units does not work on a part of the rows. Set training.shards = 1, "
        "or "
        "take another phase.");
  return *found;
}

void AutomaticPhase::take(const EnergyModel&, Phase, const Shard& shard) {
  shard_ = shard;  // the phase is chosen when the data is known
}

void AutomaticPhase::begin_batch(const WholeBatch& whole) {
  for (PhaseEstimator* phase : {factorized_.get(), coupled_.get()})
    if (auto* found = dynamic_cast<ShardPhase*>(phase)) found->begin_batch(whole);
}

Value AutomaticPhase::resolved(const Value& effective, const EnergyModel& model, Phase phase) const {
  if (&chosen(model, missing_) == factorized_.get())
    return make_table({{"type", make_value("posterior_mean")}, {"sampled", make_value(sampled_)}});
  const Value* coupled = effective.find("coupled");
  return coupled ? coupled_->resolved(*coupled, model, phase) : effective;
}

PhaseReport AutomaticPhase::accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                                       std::span<Real> gradient, const Execution& execution) {
  return chosen(model, missing_ || data.observed != nullptr).accumulate(model, data, phase, scale, gradient, execution);
}

double AutomaticPhase::products(const EnergyModel& model, Phase phase, Index rows) const {
  return chosen(model, missing_).products(model, phase, rows);
}

void AutomaticPhase::memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const {
  chosen(model, missing_).memory(model, phase, rows, need);
}

void AutomaticPhase::state(StateArchive& archive) {
  // No group of its own, and nothing of the phase that was not chosen: a run goes on from its resolved configuration, which
  // knows the chosen one alone.
  if (begun_) begun_->state(archive);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
