#include <harmonium/estimators/gradients/doubled.hpp>

#include <utility>

#include <harmonium/estimators/phases/posterior_mean.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The batch, with a posterior of its own: that of the model's own conditionals is another.
DataBatch with_posterior(const DataBatch& data, Posterior& posterior) {
  return {data.rows, data.weights, posterior, data.observed, data.marginals, data.indices};
}

}  // namespace

void DoubledGradientOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<Doubled> sides[] = {{"observed", Doubled::observed},
                                                            {"latent", Doubled::latent}};
  o.choice("units", units, sides, "the units that count twice for those of the other side");
  o.component("negative", negative, "expectation over chains of these conditionals", "chains");
  CenteringOptions::bind(o, centering, offset_rate);
}

DoubledGradient::DoubledGradient(Options options)
    : units_(options.units),
      phases_("doubled", std::make_unique<PosteriorMean>(), std::move(options.negative),
              {options.centering, options.offset_rate}) {}

void DoubledGradient::check(const EnergyModel& model) const { phases_.check(DoubledConditionals(model, units_)); }

void DoubledGradient::begin(const EnergyModel& model, const DataOutline& data) {
  doubled_ = std::make_shared<DoubledConditionals>(model, units_);
  phases_.see_double(doubled_->see_double());
  phases_.begin(*doubled_, data);
}

GradientEstimator::Report DoubledGradient::estimate(const EnergyModel& model, const DataBatch& data,
                                                    std::span<Real> gradient, const Execution& execution) {
  if (!doubled_) begin(model, {.rows = data.rows.size(), .missing = data.observed != nullptr});
  doubled_->follow(model);
  Posterior posterior;
  const DataBatch own = with_posterior(data, posterior);
  Report report = phases_.estimate(*doubled_, own, *doubled_, own, gradient, execution);
  report.slope = false;
  return report;
}

void DoubledGradient::join(ShardEstimator& first) {
  auto& other = dynamic_cast<DoubledGradient&>(first);
  phases_.join(other.phases_);
  doubled_ = other.doubled_;
  first_ = false;
}

GradientEstimator::Report DoubledGradient::estimate_shard(const EnergyModel& model, const DataBatch& rows,
                                                          const WholeBatch& whole, std::span<Real> gradient,
                                                          std::span<Real> sums, const Execution& execution) {
  if (first_) doubled_->follow(model);
  Posterior posterior;
  const DataBatch own = with_posterior(rows, posterior);
  Report report = phases_.estimate_shard(*doubled_, own, *doubled_, own, whole, gradient, sums, execution);
  report.slope = false;
  return report;
}

void DoubledGradient::memory(const EnergyModel& model, Index rows, MemoryNeed& need) const {
  const double theta = static_cast<double>(model.parameter_layout().size()) * sizeof(Real);
  need.add("the model, and one with twice its couplings", 4.0 * theta, "the size of the model");
  phases_.memory(model, rows, need);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
