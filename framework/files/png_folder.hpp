#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Pictures of one size: rows of gray levels, a byte a point, in the order of their names.
struct PngFolder {
  Table table;                 ///< shape: pictures, height, width
  std::vector<double> labels;  ///< the subfolder of each picture, by its place in `classes`; empty: there are none
  std::vector<std::string> classes;  ///< names of the subfolders, in order
  std::string sha256;                ///< of the checksums and names of all pictures
};

/// Whether this is a folder in which PNG pictures (.png) lie, or which has nothing but subfolders, in one of which they do.
bool is_png_folder(const std::filesystem::path& path);

/// Reads the pictures in a folder, or those in its subfolders, each of which is a class. Colors become the gray of their
/// luminance, 16 bits become 8, and what is transparent lies on black. Throws FileError where one cannot be read; DataError,
/// with its name, where one is no PNG file, damaged, or of another size than the first, where there are none, or where they
/// lie in the folder and in subfolders.
PngFolder read_png_folder(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
