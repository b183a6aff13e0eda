#include <harmonium/framework/files/column_file.hpp>

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/npy_start.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t enough_bytes = std::size_t{1} << 20;  // that are gathered before they are written

/// The text before the numbers of an .npy file, version 1.0.
std::string structured_header(std::span<const NamedColumn> columns, Index rows) {
  std::string fields;
  for (const NamedColumn& c : columns) fields += fmt::format("('{}', '<f8'), ", c.name);
  return npy_start(fmt::format("[{}]", fields), fmt::format("({},)", rows));
}

std::string names_line(std::span<const NamedColumn> columns) {
  std::string line;
  for (const NamedColumn& c : columns) line += (line.empty() ? "" : ",") + c.name;
  return line + "\n";
}

void add_text(std::string& text, double value, char end) {
  if (std::isnan(value)) fmt::format_to(std::back_inserter(text), "nan{}", end);
  else fmt::format_to(std::back_inserter(text), "{}{}", value, end);
}

}  // namespace

void write_columns(const std::filesystem::path& path, std::span<const NamedColumn> columns) {
  const Index rows = columns.empty() ? 0 : columns.front().values.size();
  const bool csv = path.extension() == ".csv";
  AtomicFile file(path);
  std::string text = csv ? names_line(columns) : structured_header(columns, rows);
  for (Index r = 0; r < rows; ++r) {
    for (const NamedColumn& c : columns) {
      if (csv) add_text(text, c.values[r], &c == &columns.back() ? '\n' : ',');
      else text.append(reinterpret_cast<const char*>(&c.values[r]), sizeof(double));
    }
    if (text.size() < enough_bytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace v1
}  // namespace harmonium
