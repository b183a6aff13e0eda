#pragma once

#include <memory>

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/sampler.hpp>

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
/// log Z there: the log of the number of states.
LogPartitionEstimate infinite_temperature_log_z(const EnergyModel& model, const char* who);

/// Whether a sampler moves rows between the law that every state is alike in and a model. Throws CapabilityError.
void check_between(const EnergyModel& model, const Sampler& sampler);
/// Throws ConfigError, naming `who`, where a sampler that is to move rows at given temperatures, or machines, has temperatures of
/// its own or adapts itself.
void check_untempered(const Sampler& sampler, const char* who);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
