#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// Thrown where standard output is a pipe whose reader has gone: there is nobody to tell.
struct NobodyReads {};
/// Writes results to standard output. Throws NobodyReads and FileError.
void write_out(const std::string& text);

/// Lines of at most `width` columns, each indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);
/// Why figures are absent, by their names: those of one reason together.
std::string reasons_text(const std::vector<std::pair<std::string, std::string>>& reasons);

/// A number with so many decimals. What rounds to 0 has no sign.
std::string fixed_text(double value, int decimals);

/// A number with 17 significant digits, so that it reads back as the same; null where it is absent or none.
std::string json_number(const std::optional<double>& value);
std::string json_string(const std::string& s);

}  // namespace v1
}  // namespace harmonium
