#include <harmonium/estimators/gradients/phase_pair.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

PhasePair::PhasePair(const char* estimator, std::unique_ptr<PhaseEstimator> positive,
                     std::unique_ptr<PhaseEstimator> negative, const CenteringOptions& centering)
    : positive_(std::move(positive)), negative_(std::move(negative)) {
  if (!positive_ || !negative_) throw ConfigError(fmt::format("estimator '{}': both phases must be given.", estimator));
  if (centering.centering) centering_.emplace(centering.offset_rate);
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
  GradientEstimator::Report report;
  report.slope = !centering_;
  report.positive = positive_->accumulate(model, data, Phase::positive, 1.0, gradient, execution.part("positive"));
  if (centering_) centering_->update_offsets(model, data, gradient);
  report.negative = negative_->accumulate(other, beside, Phase::negative, -1.0, gradient, execution.part("negative"));
  if (centering_) centering_->center(model, gradient, execution.executor);
  return report;
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
  archive.group("positive", *positive_);
  archive.group("negative", *negative_);
  if (centering_) archive.group("centering", *centering_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
