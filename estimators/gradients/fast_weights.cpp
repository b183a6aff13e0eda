#include <harmonium/estimators/gradients/fast_weights.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void FastWeightsOptions::bind_rates(OptionBinder& o, double& rate, double& decay) {
  o.option("fast_learning_rate", rate, "step of the fast weights at each update; usually the optimizer's first rate",
           more_than(0));
  o.option("fast_decay", decay, "part of the fast weights that is kept at each update", within(0, 1));
}

void FastWeightsOptions::bind(OptionBinder& o) {
  bind_rates(o, fast_learning_rate, fast_decay);
  o.component("positive", positive, "expectation over the data's posterior", "automatic");
  o.component("negative", negative, "expectation over the model with its fast weights", "chains");
  CenteringOptions::bind(o, centering, offset_rate);
}

FastWeights::FastWeights(Options options)
    : rate_(options.fast_learning_rate),
      decay_(options.fast_decay),
      positive_(std::move(options.positive)),
      negative_(std::move(options.negative)) {
  if (!positive_ || !negative_) throw ConfigError("estimator 'fast_weights': both phases must be given.");
  if (options.centering) centering_.emplace(options.offset_rate);
}

void FastWeights::check(const EnergyModel& model) const {
  positive_->check(model, Phase::positive);
  negative_->check(model, Phase::negative);
  if (centering_) Centering::check(model);
}

void FastWeights::begin(const EnergyModel& model, const DataOutline& data) {
  positive_->begin(model, Phase::positive, data);
  negative_->begin(model, Phase::negative, data);
  shifted_ = model.copy();
  if (!shifted_)
    throw CapabilityError(
        "estimator 'fast_weights': the model cannot be copied, and its negative phase needs one with other parameters. "
        "Try 'pcd'.");
}

Value FastWeights::resolved(const Value& effective, const EnergyModel& model) const {
  Value settled = effective;
  if (const Value* own = effective.find("positive"))
    settled.set("positive", positive_->resolved(*own, model, Phase::positive));
  if (const Value* own = effective.find("negative"))
    settled.set("negative", negative_->resolved(*own, model, Phase::negative));
  return settled;
}

void FastWeights::shift(const EnergyModel& model) {
  fast_.resize(model.parameters().size(), Real{0});
  try {
    shifted_->update_parameters([&](std::span<Real> theta) {
      std::ranges::copy(model.parameters(), theta.begin());
      for (const ParameterBlock& b : model.parameter_layout().blocks()) {
        if (b.role != ParameterRole::bias && b.role != ParameterRole::coupling) continue;
        for (Index i = b.offset; i < b.offset + b.size(); ++i) theta[i] += fast_[i];
      }
    });
  } catch (const NumericalError& error) {
    throw NumericalError(
        fmt::format("estimator 'fast_weights': with its fast weights, {}. Lower fast_learning_rate.", error.what()));
  }
}

GradientEstimator::Report FastWeights::estimate(const EnergyModel& model, const DataBatch& data,
                                                std::span<Real> gradient, const Execution& execution) {
  if (!shifted_) begin(model, {.rows = data.rows.size(), .missing = data.observed != nullptr});
  shift(model);
  std::ranges::fill(gradient, Real{0});
  Report report;
  report.positive = positive_->accumulate(model, data, Phase::positive, 1.0, gradient, execution.part("positive"));
  if (centering_) centering_->update_offsets(model, data, gradient);
  Posterior of_shifted;
  const DataBatch beside{data.rows, data.weights, of_shifted, data.observed, data.marginals, data.indices};
  report.negative =
      negative_->accumulate(*shifted_, beside, Phase::negative, -1.0, gradient, execution.part("negative"));
  if (centering_) centering_->centre(model, gradient, execution.executor);
  for (Index i = 0; i < fast_.size(); ++i)
    fast_[i] = static_cast<Real>(decay_) * fast_[i] - static_cast<Real>(rate_) * gradient[i];
  return report;
}

double FastWeights::products(const EnergyModel& model, Index rows) const {
  return positive_->products(model, Phase::positive, rows) + negative_->products(model, Phase::negative, rows);
}

void FastWeights::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const double theta = static_cast<double>(model.parameter_layout().size()) * sizeof(Real);
  need.add_state("the fast weights", theta, "the size of the model");
  need.add("the model with fast weights", 2.0 * theta, "the size of the model");
  positive_->memory(model, Phase::positive, rows, need);
  negative_->memory(model, Phase::negative, rows, need);
}

void FastWeights::state(StateArchive& archive) {
  archive.group("positive", *positive_);
  archive.group("negative", *negative_);
  archive.sized("fast", fast_);
  if (centering_) archive.group("centering", *centering_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
