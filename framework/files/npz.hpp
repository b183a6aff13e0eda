#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/files/zip_archive.hpp>

namespace harmonium {
inline namespace v1 {

/// The names of the arrays in an archive that numpy.savez wrote (.npz); none of a file that is no archive. Throws as
/// read_zip_directory does.
std::vector<std::string> npz_arrays(const std::filesystem::path& path);
/// What an array of an archive is called, and its dimensions; none where it has no axes.
struct NpzShape {
  std::string name;
  std::vector<std::uint64_t> shape;
};
/// Of those arrays that are of numbers. Throws likewise.
std::vector<NpzShape> npz_shapes(const std::filesystem::path& path);
/// Throws ConfigError where a file holds several arrays and `array` names none; `what` stands before what is wrong, and `remedy`
/// behind it, the last {} in it being the name of one.
void need_npz_array(const std::filesystem::path& path, const std::string& array, const std::string& what,
                    std::string_view remedy);
/// A file and, of one named as FILE.npz:array=NAME, an array in it.
struct NamedArray {
  std::filesystem::path file;
  std::string array = {};  ///< empty: none was named
};
/// Cuts the name of an array off a path; a file of the whole name comes first, and of what is no file all is its name.
NamedArray named_array(const std::filesystem::path& path);
/// The array of that name, or, without one, the only one. Throws ConfigError where there is none of that name, DataError where none
/// or several could be meant.
ZipMember find_npz_array(const std::filesystem::path& path, const std::string& array);

}  // namespace v1
}  // namespace harmonium
