#include <harmonium/framework/files/table.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/fasta.hpp>
#include <harmonium/framework/files/hdf5_table.hpp>
#include <harmonium/framework/files/idx.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/png_folder.hpp>
#include <harmonium/framework/files/stream_reader.hpp>

namespace harmonium {
inline namespace v1 {

double Table::at(Index row, Index col) const {
  return std::visit([&](const auto& v) { return static_cast<double>(v[row * cols + col]); }, values);
}

bool Table::mapped() const {
  return std::visit([](const auto& v) { return v.mapped(); }, values);
}

std::string name_of(TableFormat format) {
  switch (format) {
    case TableFormat::idx: return "idx";
    case TableFormat::npy: return "npy";
    case TableFormat::csv: return "csv";
    case TableFormat::hdf5: return "hdf5";
    case TableFormat::fasta: return "fasta";
    case TableFormat::png: break;
  }
  return "png";
}

namespace {

std::optional<TableFormat> format_of_name(std::string name) {
  static constexpr std::pair<std::string_view, TableFormat> endings[] = {
      {".npz", TableFormat::npy},     {".npy", TableFormat::npy},   {".idx", TableFormat::idx},
      {"ubyte", TableFormat::idx},    {".csv", TableFormat::csv},   {".tsv", TableFormat::csv},
      {".h5", TableFormat::hdf5},     {".hdf5", TableFormat::hdf5}, {".hdf", TableFormat::hdf5},
      {".fasta", TableFormat::fasta}, {".fa", TableFormat::fasta},  {".faa", TableFormat::fasta},
      {".fna", TableFormat::fasta},   {".afa", TableFormat::fasta}, {".fas", TableFormat::fasta},
      {".mfa", TableFormat::fasta}};
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const auto& [ending, format] : endings)
    if (name.ends_with(ending)) return format;
  if (name.find("-idx") != std::string::npos) return TableFormat::idx;
  return std::nullopt;
}

// Whether a word is one that programs write where a number is none: what is wrong with it is then told by its place.
bool is_no_finite_number(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  std::string small(word);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small == "nan" || small == "inf" || small == "infinity";
}

// Whether a text begins with a line of numbers.
bool begins_with_numbers(std::string_view text) {
  constexpr std::string_view between = ",;\t \"";
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  bool numbers = false;
  for (std::size_t at = line.find_first_not_of(between); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(between, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const bool finite = word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (!finite && !is_no_finite_number(word)) return false;
    numbers = numbers || !finite || word.find_first_of("0123456789") != std::string_view::npos;
    at = line.find_first_not_of(between, end);
  }
  return numbers;
}

}  // namespace

std::optional<TableFormat> known_table_format(const std::filesystem::path& path) {
  if (is_png_folder(path)) return TableFormat::png;
  StreamReader reader(path);
  std::string text(8, '\0');
  text.resize(reader.read_some(text.data(), text.size()));
  if (text.starts_with("\x93NUMPY")) return TableFormat::npy;
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return TableFormat::hdf5;
  // An unknown element type or no dimension is left to the name, and then to the IDX reader's own words.
  if (text.size() >= 4 && text[0] == 0 && text[1] == 0 && text[2] >= 0x08 && text[2] <= 0x0E && text[3] > 0) {
    return TableFormat::idx;
  }
  if (const auto format = format_of_name(path.filename().string())) return format;
  if (text.starts_with('>')) return TableFormat::fasta;
  constexpr std::size_t more = 1016;
  const std::size_t begun = text.size();
  text.resize(begun + more);
  text.resize(begun + reader.read_some(text.data() + begun, more));
  if (begins_with_numbers(text)) return TableFormat::csv;
  return std::nullopt;
}

std::string unknown_table_format(const std::filesystem::path& path) {
  if (path.extension() == ".toml")
    return fmt::format(
        "{0}: a configuration, not a file of data. 'harmonium explain {0}' says what it means, 'harmonium train {0}' "
        "trains its model, 'harmonium import {0} --output MODEL.h5' makes it with given parameters.",
        path.string());
  return fmt::format(
      "{}: no known kind of data file, by its first bytes or its name. Known are IDX (MNIST's container), .npy, CSV "
      "and "
      "FASTA, each plain or gzipped, and HDF5.",
      path.string());
}

TableFormat table_format(const std::filesystem::path& path) {
  const std::optional<TableFormat> format = known_table_format(path);
  if (!format) throw DataError(unknown_table_format(path));
  return *format;
}

Table read_table(const std::filesystem::path& path, const std::string& dataset, const std::string& array) {
  if (const NamedArray named = named_array(path); array.empty() && !named.array.empty())
    return read_npy(named.file, named.array);
  switch (table_format(path)) {
    case TableFormat::npy: return read_npy(path, array);
    case TableFormat::csv: return read_csv(path).table;
    case TableFormat::hdf5: return read_hdf5(path, {dataset, "", true}).table;
    case TableFormat::fasta: return read_fasta(path);
    case TableFormat::png: return read_png_folder(path).table;
    case TableFormat::idx: break;
  }
  return read_idx(path);
}

std::vector<double> read_vector(const std::filesystem::path& path, const char* what, const std::string& dataset,
                                const std::string& array) {
  const Table table = read_table(path, dataset, array);
  if (table.cols != 1) {
    throw DataError(
        fmt::format("{}: has {} columns (a vector, one {} a row, expected)", path.string(), table.cols, what));
  }
  std::vector<double> values(table.rows);
  for (Index r = 0; r < table.rows; ++r) values[r] = table.at(r, 0);
  return values;
}

}  // namespace v1
}  // namespace harmonium
