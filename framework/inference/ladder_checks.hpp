#pragma once

#include <string>

#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/log_partition.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a record of ladders says against log Z that was found of them; nothing is added where nothing speaks against it.
///
/// Drift: over ladders, the mean of D at the target in the second half of the times less that in the first is not 0 (Student's
/// t at 1 %). Ladders that follow their laws do not change with time; those that have made round trips and not yet found the
/// shares of what lies low do. Of ladders that began apart both are asked, at half a percent each: the mean of all, and how the
/// two kinds differ.
void object_to_drift(const LadderRecord& record, LogPartitionEstimate& result);

/// Starts: of a record whose ladders began apart, those that began low have another mean of D at the target than the others, or
/// another ∫ ⟨D⟩ dβ along the ladder (Student's t at half a percent each).
void object_to_starts(const LadderRecord& record, LogPartitionEstimate& result);

/// Both: what ladders say that have not followed their laws.
void object_to_ladders(const LadderRecord& record, LogPartitionEstimate& result);
/// Whether that objects. Chance does in 2 of 100 cases; of two records, one after the other, at both in some 4 of 10,000.
bool at_odds(const LadderRecord& record);

/// Of discrete units, where D is the energy: each energy that was met belongs to a state at least, so that
///   log Z ≥ log Σ over distinct energies of exp(−β E).
/// An interval below that is refuted, and its upper end is raised to it. `log_z` of the result is at β = `end`.
void object_to_visited(const LadderRecord& record, double end, LogPartitionEstimate& result);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
