#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium::testing {

/// The numbers of a table that holds them as T.
template <class T>
std::vector<T> held(const Table& table) {
  const auto& values = std::get<NumberArray<T>>(table.values);
  return {values.begin(), values.end()};
}

/// The words of each line of a file of comma-separated values, without its first line.
inline std::vector<std::vector<std::string>> words_below_header(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  LineReader lines(path);
  lines.next();
  while (const auto line = lines.next()) {
    std::vector<std::string>& words = rows.emplace_back(1);
    for (const char c : *line) {
      if (c == ',') words.emplace_back();
      else words.back() += c;
    }
  }
  return rows;
}

}  // namespace harmonium::testing
