#include <harmonium/framework/files/table.hpp>

#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/idx.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {

double Table::at(Index row, Index col) const {
  return std::visit([&](const auto& v) { return static_cast<double>(v[row * cols + col]); }, values);
}

std::string name_of(TableFormat format) { return format == TableFormat::idx ? "idx" : "npy"; }

std::optional<TableFormat> known_table_format(const std::filesystem::path& path) {
  StreamReader reader(path);
  unsigned char magic[6] = {};
  const std::size_t got = reader.read_some(magic, sizeof magic);
  if (got == 6 && std::memcmp(magic, "\x93NUMPY", 6) == 0) return TableFormat::npy;
  // An unknown element type or no dimension is left to the name, and then to the IDX reader's own words.
  if (got >= 4 && magic[0] == 0 && magic[1] == 0 && magic[2] >= 0x08 && magic[2] <= 0x0E && magic[3] > 0) {
    return TableFormat::idx;
  }
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (name.ends_with(".npy")) return TableFormat::npy;
  if (name.ends_with(".idx") || name.ends_with("ubyte") || name.find("-idx") != name.npos) return TableFormat::idx;
  return std::nullopt;
}

std::string unknown_table_format(const std::filesystem::path& path) {
  return fmt::format(
      "{}: no known kind of data file, by its first bytes or its name. Known are IDX (MNIST's container) and .npy, "
      "each "
      "plain or gzipped.",
      path.string());
}

TableFormat table_format(const std::filesystem::path& path) {
  const std::optional<TableFormat> format = known_table_format(path);
  if (!format) throw DataError(unknown_table_format(path));
  return *format;
}

Table read_table(const std::filesystem::path& path) {
  return table_format(path) == TableFormat::npy ? read_npy(path) : read_idx(path);
}

}  // namespace v1
}  // namespace harmonium
