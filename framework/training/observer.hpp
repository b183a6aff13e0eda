#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// All that one update lets others see: by const reference, valid during the call only.
struct Iteration {
  std::uint64_t update = 0;  ///< counted from 1
  const EnergyModel& model;
  std::span<const Real> gradient;  ///< as applied: regularized and clipped
  const GradientEstimator::Report& estimate;
  double rate = 0.0;
  double gradient_norm = 0.0;  ///< of the estimate with its regularizers, before clipping
};

/// The data of a run, for what is measured on it.
struct RunData {
  const Dataset* train = nullptr;
  const Dataset* validation = nullptr;
  const Dataset* test = nullptr;
};

/// What a run is, for an observer to settle its own schedule by.
struct RunOutline {
  const EnergyModel& model;
  RunData data;
  double operations_per_epoch = 0.0;  ///< multiplications and additions of the training itself
  Figures figures = {};               ///< what the estimator's reports will tell
};

/// The end of an epoch.
struct EpochEnd {
  std::uint64_t epoch = 0;  ///< counted from 1
  std::uint64_t update = 0;
  const EnergyModel& model;
  RunData data;
  const Execution& execution;
};

/// Name → number, in the order they were added.
using MetricRecord = std::vector<std::pair<std::string, double>>;

enum class Verdict : std::uint8_t { go_on, stop };

/// Progress, metrics, early stopping and diagnostics are observers. An observer never changes the run but through its
/// verdict, so that removing one changes no number.
class Observer {
 public:
  static constexpr const char* kind = "observer";
  virtual ~Observer();
  /// Called when the run is assembled; throws CapabilityError where it cannot serve the run, and HolesRefused (sums_over_holes.hpp)
  /// where only rows with holes are in its way: it is then left out.
  virtual void begin(const RunOutline&) {}
  /// Adds what it will hold while it measures.
  virtual void memory(const RunOutline&, MemoryNeed&) const {}
  virtual Verdict iterated(const Iteration&) { return Verdict::go_on; }
  /// Adds what it measured to the record of the epoch.
  virtual Verdict epoch_ended(const EpochEnd&, MetricRecord&) { return Verdict::go_on; }
  virtual void state(StateArchive&) {}
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
