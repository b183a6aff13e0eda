#pragma once

#include <filesystem>
#include <string>

namespace harmonium {
inline namespace v1 {

/// The pictures that a run may have, in the order in which they are shown.
inline constexpr const char* picture_files[] = {"curves.svg",          "data.png",    "filters.png",
                                                "reconstructions.png", "samples.png", "chains.png"};

/// What a PNG or SVG file of ours says that it shows; empty where it says nothing. Throws FileError where it cannot be
/// read.
std::string caption_in(const std::filesystem::path& picture);

/// Writes index.html into a folder: a page without scripts or anything from elsewhere that shows those of `picture_files`
/// which are there, each with its caption. Nothing is written where there are none.
void write_picture_index(const std::filesystem::path& folder);
/// Throws ConfigError where the folder has an index.html that is not of this kind, which is not to be replaced.
void check_picture_index(const std::filesystem::path& folder);

}  // namespace v1
}  // namespace harmonium
