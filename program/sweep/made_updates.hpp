#pragma once

#include <filesystem>
#include <optional>

namespace harmonium {
inline namespace v1 {

/// The updates that a run has logged, from the end of its metrics.jsonl alone, which may be long; none where it has logged none.
/// The run may be writing there.
std::optional<double> made_updates(const std::filesystem::path& run);

}  // namespace v1
}  // namespace harmonium
