#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// Out of line, so that each interface has one home for its type information.
Sampler::~Sampler() = default;
PhaseEstimator::~PhaseEstimator() = default;
GradientEstimator::~GradientEstimator() = default;
LogPartition::~LogPartition() = default;

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
