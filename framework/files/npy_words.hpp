#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// The texts of a vector of them that numpy.save wrote, such as one of dtype '<U5' or, of bytes that are UTF-8, '|S5'; in UTF-8.
/// Nothing where the array is of numbers. `array`: that of an archive (find_npz_array). Throws as read_npy does; DataError where it
/// is no vector, or a character is none.
std::optional<std::vector<std::string>> read_npy_words(const std::filesystem::path& path,
                                                       const std::string& array = "");

/// The one text of an array without axes, or of one element, as numpy.savez keeps a string. Throws likewise; DataError where it holds
/// anything else.
std::string read_npy_text(const std::filesystem::path& path, const std::string& array = "");

}  // namespace v1
}  // namespace harmonium
