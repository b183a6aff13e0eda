#pragma once

#include <harmonium/framework/training/trainer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Judges the model that a run ended with, after `update` updates, by the figure that `parts.best` follows, where that was not due
/// then: the observer that measures it is asked once more, as at the next epoch when it is due. Returns what that measured, with
/// `best.epoch` and `best.value` as they are now, as a record; empty where there was nothing to ask.
/// It belongs to the end and not to the run's state, which a longer run goes on from: call it after the last checkpoint.
MetricRecord judge_last_model(const TrainingParts& parts, const TrainingOptions& options, const RunOutline& outline,
                              std::uint64_t update, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
