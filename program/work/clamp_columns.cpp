#include <harmonium/program/work/clamp_columns.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/data/listed_levels.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/row_range.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/data_spec.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool among_names(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The training data's columns, as their file has them.
struct KnownColumns {
  std::vector<std::string> names;
  std::optional<TableSchema> schema;  ///< of a table

  explicit KnownColumns(const ModelHeader& header) : names(header.column_names) {
    if (!is_table(header)) return;
    schema = schema_of(*header.config.find("data"));
    names.clear();
    for (const TableColumn& column : schema->columns()) names.push_back(column.name);
  }
  Index width(Index otherwise) const { return schema ? schema->number_names().size() : otherwise; }
  /// The columns of numbers of those that are `kept`, as they are read alone, by their places among all.
  std::vector<Index> places_of(const std::vector<std::string>& kept) const {
    std::vector<Index> places;
    if (!schema) {
      for (const std::string& name : kept)
        places.push_back(static_cast<Index>(std::ranges::find(names, name) - names.begin()));
      return places;
    }
    std::vector<TableColumn> own;
    for (const TableColumn& column : schema->columns())
      if (among_names(kept, column.name)) own.push_back(column);
    const TableSchema alone(own);
    places.resize(alone.number_names().size());
    for (Index c = 0; c < own.size(); ++c) {
      const Index from = own[c].place, to = alone.columns()[c].place;
      for (Index k = 0; k < own[c].width(); ++k) places[to + k] = from + k;
    }
    return places;
  }
};

/// The [data] table that reads those columns alone.
Value spec_of_columns(const ClampSetting& setting, const std::string& file, const Value& options,
                      const std::vector<std::string>& kept, const std::vector<std::string>& names) {
  Value spec = data_spec(setting.header.config, file, options);
  spec.erase("ignore");
  spec.set("columns", list_of_words(kept));
  if (Value* kinds = spec.find("kinds"))
    std::erase_if(std::get<Value::List>(kinds->data), [&](const Value& kind) {
      return !among_names(kept, std::get<std::string>(kind.find("column")->data));
    });
  const Value* told = options.find("data");
  if (!told || !told->find("label_column")) {
    const std::string& label = setting.header.label_name;
    const bool has = spec.find("label_column") && !label.empty() && among_names(names, label);
    if (has) spec.set("label_column", make_value(label));
    if (!has) drop_classes(spec, told);
  }
  if (!told || !told->find("missing"))
    spec.set("missing", make_value(*spec.find("type") == make_value("table") ? "nan" : "nan_columns"));
  return spec;
}

/// The same rows with those columns at their places among `width`.
Dataset widened_rows(const Dataset& rows, const std::vector<Index>& places, Index width) {
  std::vector<double> values(rows.cols()), all(rows.rows() * width, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::uint8_t> seen(rows.cols());
  std::vector<double> classes;
  for (Index r = 0; r < rows.rows(); ++r) {
    rows.fetch<double>(r, 0, {values.data(), 1, values.size(), values.size()});
    rows.seen({&r, 1}, {seen.data(), 1, seen.size(), seen.size()});
    for (Index c = 0; c < places.size(); ++c)
      if (seen[c] != 0) all[r * width + places[c]] = values[c];
    if (rows.num_classes() > 0)
      classes.push_back(rows.label(r) < rows.num_classes() ? static_cast<double>(rows.label(r))
                                                           : std::numeric_limits<double>::quiet_NaN());
  }
  Table table{rows.rows(), width, std::move(all), {rows.rows(), width}};
  Dataset wide(std::move(table), rows.name(), {.missing = Missing::nan_columns}, {}, rows.files());
  if (classes.empty()) return wide;
  return wide.with_labels(classes, rows.name(), rows.num_classes(), {}, rows.class_words());
}

void tell_of_drawn_columns(const std::string& file, const std::vector<std::string>& names, const KnownColumns& known,
                           const ClampSetting& setting) {
  std::vector<std::string> drawn, others;
  for (const std::string& name : known.names)
    if (!among_names(names, name)) drawn.push_back(name);
  for (const std::string& name : names)
    if (!among_names(known.names, name) && name != setting.header.label_name) others.push_back(name);
  const std::string left_out =
      others.empty() ? "" : fmt::format(" Its {}, none of the model's, left out.", listed_levels(others));
  setting.display->warn(fmt::format("{}: has no {}, which the training data have: {} in all rows.{}", file,
                                    listed_levels(drawn), setting.fate, left_out));
}

}  // namespace

std::optional<Dataset> rows_of_some_columns(const ClampSetting& setting, const std::string& file,
                                            const Value& options) {
  const Value *told = options.find("data"), *own = setting.header.config.find("data");
  if ((told && told->find("columns")) || !own || !own->is_table()) return {};
  const KnownColumns known(setting.header);
  if (known.names.empty()) return {};
  const Value first = data_spec(setting.header.config, file, options);
  const Value* type = first.find("type");
  if (!type || !(*type == make_value("csv") || *type == make_value("table"))) return {};
  const std::vector<std::string> names =
      read_csv_header(file, options_among<CsvOptions>(first, {"separator", "header", "label_column", "ignore"}));
  std::vector<std::string> kept;
  for (const std::string& name : known.names)
    if (std::ranges::count(names, name) == 1) kept.push_back(name);
  if (kept.empty() || kept.size() == known.names.size()) return {};
  Value effective;
  Value spec = without_transform(spec_of_columns(setting, file, options, kept, names));
  const std::optional<RowRange> some = RowRange::take(spec);
  const Dataset all = setting.registries.make<DataSource>(spec, effective)->load(setting.random).train;
  const Dataset rows = some ? some->of(all) : all;
  const std::vector<Index> places = known.places_of(kept);
  if (rows.cols() != places.size()) return {};
  if (setting.display) tell_of_drawn_columns(file, names, known, setting);
  return partial_rows(setting.model, widened_rows(rows, places, known.width(known.names.size())), setting.layout);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
