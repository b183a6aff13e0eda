#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <harmonium/framework/config/value.hpp>

namespace harmonium {
inline namespace v1 {

/// The table that a TOML document holds, with keys in the order in which they were written; every node's place is
/// "source_name:line:column". Throws ConfigError where the text is not TOML, holds a date or a time, or is longer or deeper
/// than toml_limits.hpp has it.
Value parse_toml(std::string_view text, std::string_view source_name);

/// The table that a TOML file holds. Throws ConfigError, also where the file cannot be read or is no regular
/// file.
Value read_toml(const std::filesystem::path& path);

/// The table as a TOML document: plain keys first, then a section for each table. Reading it again gives an equal
/// value: doubles are written with the fewest digits that name them and always look like one. Empty values in a table
/// are left out; bytes that are not UTF-8 become U+FFFD, for TOML has no place for them. Throws std::invalid_argument
/// where `table` is no table or a list holds an empty value.
/// `remarks`, where given, is asked for each entry and each header what comments are to stand above it.
using Remarks = std::function<std::string(const std::string& path)>;  ///< "model", "observers[0].every"
std::string write_toml(const Value& table, const Remarks& remarks = {});

/// A text as comment lines, each of its lines wrapped at 120 columns; nothing for an empty one.
std::string toml_comment(std::string_view text);

/// One value as it stands behind the `=`, on one line.
std::string write_toml_value(const Value& value);

}  // namespace v1
}  // namespace harmonium
