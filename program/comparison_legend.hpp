#pragma once

#include <string>
#include <vector>

#include <harmonium/program/compared_runs.hpp>
#include <harmonium/program/differing_settings.hpp>

namespace harmonium {
inline namespace v1 {

/// What stands for each run beside its curves: the same of runs that differ in the seed alone, its setting and how many they are; of
/// others the name and the settings in which it differs.
std::vector<std::string> legend_by_setting(const std::vector<ComparedRun>& runs,
                                           const std::vector<DifferingSetting>& settings);

}  // namespace v1
}  // namespace harmonium
