#include <harmonium/program/work/drawn_rows.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/row_with_holes.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/hdf5_table.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/one_hot_columns.hpp>
#include <harmonium/framework/files/probability_columns.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/run/row_range.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/run/unseen_columns.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/square_before_classes.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// Numbers; one who names a table of words, or several arrays, is told so.
Table read_numbers_of(const std::string& path) {
  need_npz_array(path, "", path + ": ",
                 fmt::format("Name it as in {}:array={{}}.", fs::path(path).filename().string()));
  try {
    return read_table(path);
  } catch (const DataError& error) {
    if (!std::string_view(error.what()).ends_with(" is no number")) throw;
    throw DataError(fmt::format(
        "{}. Pictures are of numbers; a table with words is shown by 'harmonium inspect {}', and its rows as a "
        "model takes them by 'harmonium draw RUN --what data'.",
        error.what(), path));
  }
}

/// With the classes that the columns behind the values of a shape tell.
DrawnRows with_classes(Table table, const std::optional<std::vector<Index>>& asked) {
  DrawnRows rows{std::move(table)};
  const auto shape = asked ? asked : square_before_classes(rows.table);
  if (!shape) return rows;
  if (!asked) rows.guessed = *shape;
  rows.classes = one_hot_columns(rows.table, num_values(*shape));
  if (!rows.classes.empty()) return rows;
  rows.classes = likeliest_columns(rows.table, num_values(*shape));
  rows.probable = !rows.classes.empty();
  return rows;
}

/// Rows of a CSV file with columns that are called as those of classes are (label=3), without these where the shape that is asked for is
/// that of the others.
Table without_label_columns(const std::string& path, const std::vector<Index>& shape, Table table) {
  CsvOptions options;
  for (const std::string& name : read_csv(path).names)
    if (name.starts_with(fmt::format("{}=", label_layer))) options.ignore.push_back(name);
  if (options.ignore.size() != table.cols - num_values(shape)) return table;
  return read_csv(path, options).table;
}

/// Those of a file as it is, whose columns behind a shape are classes, or are left out by their names.
DrawnRows rows_of_file(const std::string& path, const std::optional<std::vector<Index>>& shape) {
  if (is_hdf5(path)) return with_classes(read_hdf5(path, {"samples", "", true}).table, shape);
  DrawnRows rows = with_classes(read_numbers_of(path), shape);
  const bool more = shape && num_values(*shape) < rows.table.cols;
  if (more && rows.classes.empty() && known_table_format(path) == TableFormat::csv)
    rows.table = without_label_columns(path, *shape, std::move(rows.table));
  return rows;
}

/// All rows of a data set, with NaN for what was not seen.
Table table_of(const Dataset& data) {
  std::vector<double> values(data.rows() * data.cols());
  for (Index r = 0; r < data.rows(); ++r)
    read_row_with_holes(data, r, std::span(values).subspan(r * data.cols(), data.cols()));
  std::vector<Index> shape{data.rows()};
  shape.insert(shape.end(), data.sample_shape().begin(), data.sample_shape().end());
  return {data.rows(), data.cols(), std::move(values), std::move(shape)};
}

}  // namespace

bool says_it_is_model(const std::string& path) {
  probe_hdf5(path);
  const Hdf5File file = Hdf5File::open(path);
  return std::ranges::any_of(std::vector<std::string>{"format", "format_version", "config"},
                             [&](const std::string& name) { return file.has_attribute(name); });
}

std::string name_of_rows(const std::string& input, const Registries& registries) {
  if (names_made_rows(input, registries)) return input;
  if (const std::string file = file_named_in(input); !file.empty()) return fs::path(file).filename().string();
  data_argument(input, make_table(), registries, "");  // which tells a name that is near
  throw ConfigError(fmt::format("{}: no such file or folder", input));
}

DrawnRows rows_to_draw(const DrawRequest& request, const Registries& registries) {
  const Value options = command_options(request.set, {"data"});
  const DataArgument given = data_argument(request.input, options, registries, "");
  const auto shape = parse_sample_shape(request.shape);
  if (!given.options.find("data")) return rows_of_file(given.file, shape);
  Value source = source_of(request.input, options, registries), effective;
  if (const std::string missing = missing_of_columns(source, registries); !missing.empty() && !source.find("missing"))
    source.set("missing", make_value(missing));
  const std::optional<RowRange> some = RowRange::take(source);
  const RandomSource random = random_of(request, make_table());
  const Dataset all = registries.make<DataSource>(absolute_data_paths(source, ""), effective)->load(random).train;
  return with_classes(table_of(some ? some->of(all) : all), shape);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
