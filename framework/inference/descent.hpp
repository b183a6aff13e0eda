#pragma once

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Throws CapabilityError where the model offers no block conditionals, or has units that are not discrete.
void check_descent(const EnergyModel& model);

/// Zero-temperature descent, or iterated conditional modes (Besag 1986): every unit in turn takes its state of lowest
/// energy given all others, keeping what it has where several are equally low, until nothing changes. Each row ends in a
/// local minimum of the energy under changes of one unit, at or below where it began. What is held is left alone.
void descend(const EnergyModel& model, Chains& chains, const Executor& executor, const HeldMask* held = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
