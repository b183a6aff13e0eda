#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The name of the map of pairs, which gnuplot draws.
inline constexpr const char* contacts_picture = "contacts";

/// Draws the scores of all pairs of units of the model in a file, those of `export --contacts` (pair_scores.hpp), of units without
/// several states with their sign, those nearer than `request.pairs` takes left white, into the .svg or .png file `output`; returns what it shows. Throws CapabilityError where there are no scores, and
/// FileError without gnuplot.
std::string draw_contact_map(const DrawRequest& request, const std::string& model, const std::filesystem::path& output,
                             const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
