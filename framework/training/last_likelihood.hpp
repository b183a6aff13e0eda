#pragma once

#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Adds to `record`, which judge_last_model gave, the likelihoods of the model that a run ended with, after `update` updates, that were
/// not due then, of those observers that measure it at a run's end (LogLikelihoodMetric::at_end). Like that record they
/// belong to the end and not to the run's state. Names are those that the log has along the run.
void add_last_likelihood(const TrainingParts& parts, const TrainingOptions& options, const RunOutline& outline,
                         std::uint64_t update, const Execution& execution, MetricRecord& record);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
