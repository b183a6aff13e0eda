#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// A column of a table: its name, which is a word of letters, digits and '_', and a number a row.
struct NamedColumn {
  std::string name;
  std::variant<std::span<const double>, std::span<const Index>> values;
  /// What whole numbers are called, from 0 on, each of them: the column is of these words. Empty: of numbers.
  std::span<const std::string> words = {};
};

/// Writes columns of one length as FILE.csv, a line of names and then a line a row ("nan" where there is no number), or as
/// FILE.npy, a structured array with a field for each name: of float64, int64, or texts ('<U'). Numbers read back as the same.
/// The file appears whole or not at all. Throws FileError.
void write_columns(const std::filesystem::path& path, std::span<const NamedColumn> columns);

}  // namespace v1
}  // namespace harmonium
