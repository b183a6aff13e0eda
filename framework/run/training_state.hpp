#pragma once

#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// All that the parts of a run remember between updates, in both directions; loaded from an archive of `state_sizes_of`.
void exchange_state(const TrainingParts& parts, StateArchive& archive);
/// What it is measured by, for a run on so many rows.
StateSizes state_sizes_of(const EnergyModel& model, const GradientEstimator& estimator, Index rows);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
