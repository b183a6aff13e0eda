#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/files/csv.hpp>

namespace harmonium {
inline namespace v1 {

/// What the header of a table calls its columns; none where it has no header.
struct CsvNames {
  std::vector<std::string> columns;  ///< without that of the labels
  std::string label;                 ///< empty: there is no column of labels
};

/// Reads the first line of a file. Throws as read_csv does.
CsvNames read_csv_names(const std::filesystem::path& path, const CsvOptions& options = {});

}  // namespace v1
}  // namespace harmonium
