#pragma once

#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// One low state of many: where two rows differ, the units that do fall into clusters which no coupling joins, and of each
/// cluster the better of the two versions can be chosen by itself. (Exchanged between replicas such clusters are the moves of
/// Houdayer 2001.) A row takes from all others what lowers it, until none has anything to offer. What it comes to depends on where it
/// began: eight rows do so, the lowest and others evenly spread by energy, and the lowest of what they made takes from the rest of that.
/// Of units with two states whose energy does not change when all of them change, as of spins without fields, rows are there
/// mirrored too: so the clusters in which rows agree count, which are small where they differ in most units.
/// Much is gained on sparse graphs; where everything is coupled there is one cluster, and nothing is.
/// Clusters are read off the tensors of role `coupling`, and weighed by the fields of their units; a change is kept only where the energy
/// itself says it is lower.
/// Of rows that are equal one is looked at, and of more than 1000 that differ as many, evenly spread by energy. Nothing is held: units that
/// are the same in all rows may change too. The same for any number of threads. Throws CapabilityError where there are no rows, or no
/// block conditionals.
Chains recombine(const EnergyModel& model, const Chains& chains, const Executor& executor);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
