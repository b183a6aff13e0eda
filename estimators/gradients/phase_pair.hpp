#pragma once

#include <memory>
#include <optional>

#include <harmonium/estimators/centering.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A positive and a negative phase, centered or not: what every estimator of the likelihood's gradient is made of. Internal to
/// this folder.
class PhasePair {
 public:
  /// Throws ConfigError, in the name of `estimator`, where a phase is missing.
  PhasePair(const char* estimator, std::unique_ptr<PhaseEstimator> positive, std::unique_ptr<PhaseEstimator> negative,
            const CenteringOptions& centering);

  void check(const EnergyModel& model) const;
  void begin(const EnergyModel& model, const DataOutline& data);
  Value resolved(const Value& effective, const EnergyModel& model) const;
  /// gradient = positive phase of `model` and `data` minus negative phase of `other` and `beside`.
  GradientEstimator::Report estimate(const EnergyModel& model, const DataBatch& data, const EnergyModel& other,
                                     const DataBatch& beside, std::span<Real> gradient, const Execution& execution);
  double products(const EnergyModel& model, Index rows) const;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const;
  Figures figures(const EnergyModel& model) const;
  /// Into the estimator's own group.
  void state(StateArchive& archive);

 private:
  std::unique_ptr<PhaseEstimator> positive_, negative_;
  std::optional<Centering> centering_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
