#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/csv_names.hpp>

namespace harmonium {
inline namespace v1 {

/// The names in a file's first line, of all its columns; none where it has no header. Columns that the options name need
/// not be there. Throws as read_csv does.
std::vector<std::string> read_csv_header(const std::filesystem::path& path, const CsvOptions& options = {});

/// How many columns read_csv takes of a file, that of the classes among them. Throws as it does.
Index count_csv_columns(const std::filesystem::path& path, const CsvOptions& options = {});

/// How a further file, whose header is `names`, is read so that its columns are those of a first one, `first`: by their
/// names, in the order of the first. The options as they are where one of the two has no names. Throws ConfigError, which
/// ends with `remedy` (a sentence), where a column is not there, or two have one name and stand otherwise than in the first.
CsvOptions by_names(CsvOptions options, const std::string& file, const std::vector<std::string>& names,
                    const CsvNames& first, const std::string& remedy);

}  // namespace v1
}  // namespace harmonium
