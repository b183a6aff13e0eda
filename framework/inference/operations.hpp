#pragma once

#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Multiplications and additions of the products of one vector with all tensors that join units: what costs are counted in
/// (GradientEstimator::products, Sampler::products_per_step).
double operations_per_product(const EnergyModel& model);

/// Multiplications and additions that an epoch's matrix products take, for what is budgeted against them.
double operations_per_epoch(const EnergyModel& model, const GradientEstimator& estimator, Index batch_size,
                            Index batches_per_epoch);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
