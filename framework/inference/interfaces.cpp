#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/always_exact.hpp>
#include <harmonium/framework/inference/burned_in.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// Out of line, so that each interface has one home for its type information.
Sampler::~Sampler() = default;
PhaseEstimator::~PhaseEstimator() = default;
GradientEstimator::~GradientEstimator() = default;
LogPartition::~LogPartition() = default;
AlwaysExact::~AlwaysExact() = default;
BurnsIn::~BurnsIn() = default;

void PhaseEstimator::begin(const EnergyModel&, Phase phase, const DataOutline& data) {
  if (phase == Phase::positive && data.missing)
    throw CapabilityError(
        "the positive phase needs complete rows, and entries of the data are missing. Try the phase 'chains' or "
        "'mean_field', which take them as latent units.");
}

void GradientEstimator::begin(const EnergyModel&, const DataOutline& data) {
  if (data.missing)
    throw CapabilityError(
        "the estimator needs complete rows, and entries of the data are missing. Try 'pcd', whose positive phase takes "
        "them as latent units.");
}

ParameterLayout gradient_layout(const EnergyModel& model, const GradientEstimator& estimator) {
  ParameterLayout joint = model.parameter_layout();
  const ParameterLayout own = estimator.own_parameters(model);
  for (const ParameterBlock& block : own.blocks()) {
    if (joint.find(block.name) < joint.blocks().size())
      throw ConfigError(fmt::format("the estimator's own parameter '{}' is called as one of the model.", block.name));
    joint.add(block);
  }
  return joint;
}

LogPartitionEstimate LogPartition::follow(const EnergyModel& model, double beta, const Execution& execution) {
  return estimate(model, beta, execution);
}

LogPartitionEstimate LogPartition::estimate_mean(const EnergyModel&, double, const Chains&, const HeldMask&,
                                                 const Execution&) const {
  throw CapabilityError("this way to log Z has none of rows of which units are held. Take 'ais'.");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
