#include <harmonium/estimators/gradients/fast_weights.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/xtensor.hpp>

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
      phases_("fast_weights", std::move(options.positive), std::move(options.negative),
              {options.centering, options.offset_rate}) {}

void FastWeights::begin(const EnergyModel& model, const DataOutline& data) {
  phases_.begin(model, data);
  shifted_ = model.copy();
  if (!shifted_)
    throw CapabilityError(
        "estimator 'fast_weights': the model cannot be copied, and its negative phase needs one with other parameters. "
        "Try 'pcd'.");
}

void FastWeights::shift(const EnergyModel& model) {
  fast_.resize(model.parameters().size(), Real{0});
  try {
    shifted_->update_parameters([&](std::span<Real> theta) {
      std::ranges::copy(model.parameters(), theta.begin());
      for (const ParameterBlock& b : model.parameter_layout().blocks()) {
        if (b.role != ParameterRole::bias && !is_coupling(b)) continue;
        in_place(theta.subspan(b.offset, b.size())) += as_xtensor(std::span(fast_).subspan(b.offset, b.size()));
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
  Posterior of_shifted;
  const DataBatch beside{data.rows, data.weights, of_shifted, data.observed, data.marginals, data.indices};
  Report report = phases_.estimate(model, data, *shifted_, beside, gradient, execution);
  report.slope = false;  // the negative phase is of other parameters
  follow(gradient);
  return report;
}

void FastWeights::follow(std::span<const Real> gradient) {
  in_place(std::span(fast_)) =
      static_cast<Real>(decay_) * as_xtensor(std::span(fast_)) - static_cast<Real>(rate_) * as_xtensor(gradient);
}

void FastWeights::join(ShardEstimator& first) {
  auto& other = dynamic_cast<FastWeights&>(first);
  phases_.join(other.phases_);
  shifted_ = other.shifted_;
  first_ = false;
}

GradientEstimator::Report FastWeights::estimate_shard(const EnergyModel& model, const DataBatch& rows,
                                                      const WholeBatch& whole, std::span<Real> gradient,
                                                      std::span<Real> sums, const Execution& execution) {
  if (first_) shift(model);
  Posterior of_shifted;
  const DataBatch beside{rows.rows, rows.weights, of_shifted, rows.observed, rows.marginals, rows.indices};
  Report report = phases_.estimate_shard(model, rows, *shifted_, beside, whole, gradient, sums, execution);
  report.slope = false;
  return report;
}

void FastWeights::finish(const EnergyModel& model, const WholeBatch& whole, std::span<Real> gradient,
                         std::span<const Real> sums, const Executor& executor) {
  phases_.finish(model, whole, gradient, sums, executor);
  follow(gradient);
}

void FastWeights::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const double theta = static_cast<double>(model.parameter_layout().size()) * sizeof(Real);
  need.add_state("the fast weights", theta, "the size of the model");
  need.add("the model with fast weights", 2.0 * theta, "the size of the model");
  phases_.memory(model, rows, need);
}

void FastWeights::state(StateArchive& archive) {
  phases_.phases_state(archive);
  common_state(archive);
}

void FastWeights::common_state(StateArchive& archive) {
  phases_.common_state(archive);
  archive.late_field("fast", fast_, archive.sizes().parameters);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
