#include <harmonium/framework/run/training_state.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void exchange_state(const TrainingParts& parts, StateArchive& archive) {
  archive.group("estimator", parts.estimator);
  archive.group("optimizer", parts.optimizer);
  for (const auto& [name, observer] : parts.observers) archive.group("observer_" + name, *observer);
  if (parts.stop_early) archive.group("stop_early", *parts.stop_early);
  if (parts.best) archive.group("keep_best", *parts.best);
}

StateSizes state_sizes_of(const EnergyModel& model, const GradientEstimator& estimator, Index rows) {
  StateSizes sizes = state_sizes(model, rows);
  sizes.moved = gradient_layout(model, estimator).size();
  return sizes;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
