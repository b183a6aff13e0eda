#include <harmonium/estimators/gradients/contrastive.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

Contrastive::Contrastive(Options options)
    : phases_("contrastive", std::move(options.positive), std::move(options.negative),
              {options.centering, options.offset_rate}) {}

GradientEstimator::Report Contrastive::estimate(const EnergyModel& model, const DataBatch& data,
                                                std::span<Real> gradient, const Execution& execution) {
  return phases_.estimate(model, data, model, data, gradient, execution);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
