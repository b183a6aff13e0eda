#pragma once

#include <filesystem>
#include <span>
#include <string>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// A column of a table: its name and a number a row. The names are words of letters, digits and '_'.
struct NamedColumn {
  std::string name;
  std::span<const double> values;
};

/// Writes columns of one length as FILE.csv, a line of names and then a line a row ("nan" where there is no number), or as
/// FILE.npy, a structured array with a field of float64 for each name. Numbers read back as the same. The file appears whole
/// or not at all. Throws FileError.
void write_columns(const std::filesystem::path& path, std::span<const NamedColumn> columns);

}  // namespace v1
}  // namespace harmonium
