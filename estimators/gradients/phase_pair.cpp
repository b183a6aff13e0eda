#include <harmonium/estimators/gradients/phase_pair.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/burned_in.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

PhasePair::PhasePair(const char* estimator, std::unique_ptr<PhaseEstimator> positive,
                     std::unique_ptr<PhaseEstimator> negative, const CenteringOptions& centering)
    : positive_(std::move(positive)), negative_(std::move(negative)) {
  if (!positive_ || !negative_) throw ConfigError(fmt::format("estimator '{}': both phases must be given.", estimator));
  if (centering.centering) centering_ = std::make_shared<Centering>(centering.offset_rate);
}

void PhasePair::check(const EnergyModel& model) const {
  positive_->check(model, Phase::positive);
  negative_->check(model, Phase::negative);
  if (centering_) Centering::check(model);
}

void PhasePair::begin(const EnergyModel& model, const DataOutline& data) {
  positive_->begin(model, Phase::positive, data);
  negative_->begin(model, Phase::negative, data);
}

bool PhasePair::burn_in(Index steps) {
  auto* chains = dynamic_cast<BurnsIn*>(negative_.get());
  return chains && chains->burn_in(steps);
}

Value PhasePair::resolved(const Value& effective, const EnergyModel& model) const {
  Value settled = effective;
  if (const Value* own = effective.find("positive"))
    settled.set("positive", positive_->resolved(*own, model, Phase::positive));
  if (const Value* own = effective.find("negative"))
    settled.set("negative", negative_->resolved(*own, model, Phase::negative));
  return settled;
}

GradientEstimator::Report PhasePair::estimate(const EnergyModel& model, const DataBatch& data, const EnergyModel& other,
                                              const DataBatch& beside, std::span<Real> gradient,
                                              const Execution& execution) {
  execution.executor.for_each_piece(gradient.size(), Index{1} << 16, [&](Index begin, Index end) {
    std::ranges::fill(gradient.subspan(begin, end - begin), Real{0});
  });
  sums_.assign(num_sums(model), Real{0});
  GradientEstimator::Report report = add_phases(model, data, other, beside, gradient, sums_, execution);
  finish(model, {data.rows.size(), data.total_weight(), data.marginals}, gradient, sums_, execution.executor);
  return report;
}

GradientEstimator::Report PhasePair::add_phases(const EnergyModel& model, const DataBatch& data,
                                                const EnergyModel& other, const DataBatch& beside,
                                                std::span<Real> gradient, std::span<Real> sums,
                                                const Execution& execution) {
  GradientEstimator::Report report;
  report.slope = !centering_;
  report.positive = positive_->accumulate(model, data, Phase::positive, 1.0, gradient, execution.part("positive"));
  if (centering_) Centering::take_sums(model, gradient, sums);
  report.negative = negative_->accumulate(other, beside, Phase::negative, -1.0, gradient, execution.part("negative"));
  return report;
}

void PhasePair::take(const EnergyModel& model, const Shard& shard) {
  for (const auto& [phase, which] : {std::pair{positive_.get(), Phase::positive}, {negative_.get(), Phase::negative}}) {
    auto* cut = dynamic_cast<ShardPhase*>(phase);
    if (!cut)
      throw CapabilityError(
          fmt::format("the {} phase does not work on a part of the rows and chains. Set training.shards = 1, or take "
                      "another phase.",
                      which == Phase::positive ? "positive" : "negative"));
    cut->take(model, which, shard);
  }
}

GradientEstimator::Report PhasePair::estimate_shard(const EnergyModel& model, const DataBatch& data,
                                                    const EnergyModel& other, const DataBatch& beside,
                                                    const WholeBatch& whole, std::span<Real> gradient,
                                                    std::span<Real> sums, const Execution& execution) {
  for (PhaseEstimator* phase : {positive_.get(), negative_.get()}) dynamic_cast<ShardPhase&>(*phase).begin_batch(whole);
  return add_phases(model, data, other, beside, gradient, sums, execution);
}

void PhasePair::finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient,
                       std::span<const Real> sums, const Executor& executor) {
  if (!centering_) return;
  centering_->update_offsets(model, whole, sums);
  centering_->center(model, gradient, executor);
}

double PhasePair::products(const EnergyModel& model, Index rows) const {
  return positive_->products(model, Phase::positive, rows) + negative_->products(model, Phase::negative, rows);
}

void PhasePair::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  positive_->memory(model, Phase::positive, rows, need);
  negative_->memory(model, Phase::negative, rows, need);
}

Figures PhasePair::figures(const EnergyModel& model) const {
  return {.bound = positive_->figures(model).bound, .meetings = negative_->figures(model).meetings};
}

void PhasePair::state(StateArchive& archive) {
  phases_state(archive);
  common_state(archive);
}

void PhasePair::phases_state(StateArchive& archive) {
  archive.group("positive", *positive_);
  archive.group("negative", *negative_);
}

void PhasePair::common_state(StateArchive& archive) {
  if (centering_) archive.group("centering", *centering_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
