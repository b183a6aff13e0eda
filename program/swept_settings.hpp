#pragma once

#include <filesystem>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// What a sweep set in a run, by the keys of its file: a table, whose `where` is the sweep's folder. From the row of the run's folder,
/// SWEEP/runs/NAME, in SWEEP/sweep.csv; empty where there is no such row.
Value swept_settings(const std::filesystem::path& run);

}  // namespace v1
}  // namespace harmonium
