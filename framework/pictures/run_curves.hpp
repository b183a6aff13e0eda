#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace harmonium {
inline namespace v1 {

/// Draws the curves of a run's metrics.jsonl as an SVG file, or a PNG file by its name, and returns what they show; nothing is written, and nothing
/// returned, where the log has no figures. Throws as read_metrics_log and draw_svg_or_png do.
std::optional<std::string> draw_run_curves(const std::filesystem::path& gnuplot, const std::filesystem::path& log,
                                           const std::filesystem::path& output);

}  // namespace v1
}  // namespace harmonium
