#pragma once

#include <harmonium/program/sweep/sweep_folder.hpp>
#include <harmonium/program/sweep/sweep_runs.hpp>

namespace harmonium {
inline namespace v1 {

/// Throws ConfigError where the folder has none of the runs, and finished ones of other settings, whose table one of these runs would replace.
/// Names scalar settings that all of those have alike and these runs have otherwise, as far as the configurations as written tell.
void check_gathered(const SweepRuns& runs, const SweepFolder& folder);

}  // namespace v1
}  // namespace harmonium
