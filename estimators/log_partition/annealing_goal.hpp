#pragma once

#include <memory>

#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a walk along temperatures leads to: a model at `end`, or a copy of it that is the model at the beta asked for, so that
/// every base can be walked from.
struct AnnealingGoal {
  /// Throws CapabilityError, naming `who`, where there is no path to that beta.
  AnnealingGoal(const EnergyModel& of, double beta, const char* who);

  std::unique_ptr<EnergyModel> scaled;
  const EnergyModel& model;
  double end;
};

/// Whether the law at beta = 0 is one: every state alike. Throws CapabilityError, naming `who`, where units are continuous.
void check_infinite_temperature(const EnergyModel& model, const char* who);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
