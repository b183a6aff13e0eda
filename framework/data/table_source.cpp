#include <harmonium/framework/data/table_source.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/data/listed_levels.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

Value whole_value(Index n) { return make_value(static_cast<std::int64_t>(n)); }

Value units_of(const TableLayer& layer) {
  if (layer.kind == ColumnKind::categorical)
    return make_table({{"type", make_value("categorical")}, {"num_states", whole_value(layer.states)}});
  return make_value(layer.kind == ColumnKind::real    ? "gaussian"
                    : layer.kind == ColumnKind::count ? "poisson"
                                                      : name_of(layer.kind));
}

/// What columns of a kind are, in words: "2 levels (no, yes)".
std::string words_of(const TableColumn& column) {
  const auto& levels = column.levels;
  if (levels.empty() || levels == std::vector<std::string>{"0", "1"} || levels == std::vector<std::string>{"-1", "1"})
    return column.name;
  constexpr std::ptrdiff_t most = 6;
  const std::span<const std::string> shown(levels.begin(), std::min(levels.end(), levels.begin() + most));
  return fmt::format("{} ({}{})", column.name, listed_levels(shown),
                     shown.size() < levels.size() ? fmt::format(" and {} more", levels.size() - shown.size()) : "");
}

TableColumn of_file(const TextTable& table, const TextColumn& text, const std::vector<ColumnOptions>& kinds,
                    std::vector<std::string>& guessed) {
  const auto told = std::ranges::find(kinds, text.name, &ColumnOptions::column);
  if (told != kinds.end() && (told->kind != ColumnKind::automatic || !told->levels.empty()))
    return told_column(text, *told);
  refuse_decimal_commas(table, text);
  ColumnGuess guess = guess_column(text);
  if (!guess.trouble.empty())
    throw DataError(
        fmt::format("{}: column '{}' {}. Leave it out (data.ignore = [\"{}\"]), or say in data.kinds what "
                    "it is. 'harmonium inspect {}' shows all columns.",
                    table.name, text.name, guess.trouble, text.name, table.name));
  guessed.push_back(text.name);
  return std::move(guess.column);
}

}  // namespace

DescribesColumns::~DescribesColumns() = default;

void TableSource::Options::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<bool> meanings[] = {{"refuse", false}, {"nan", true}};
  o.option("path", path, "the CSV file to train on, one sample a row; plain or gzipped");
  o.option("validation_path", validation_path, "a file of validation samples; empty: none");
  o.option("test_path", test_path, "a file of test samples; empty: none");
  o.option("weights", weights, "a file with one weight a row of path, of any kind; empty: all alike");
  format.bind(o);
  o.list("kinds", kinds, "columns whose kind or levels are not to be found from what they hold");
  o.choice("missing", missing, meanings,
           "what a field is in which nothing stands, or one of missing_words: an error, or an entry that was not seen, "
           "which training takes as a latent unit");
  o.option("missing_words", missing_words, "what stands where nothing was seen, beside nothing at all");
  o.option("num_classes", num_classes, "how many classes there are; 0: found from the training rows", at_least(0));
  o.option("standardize", standardize,
           "of columns of numbers, subtract the mean over the training rows and divide by the standard deviation");
  split.bind(o);
}

void TableSource::Options::validate() const {
  FileDataOptions files;
  files.path = path;
  files.validation_path = validation_path;
  files.test_path = test_path;
  files.split = split;
  files.validate();
  format.validate();
  format.check_classes();
  for (const ColumnOptions& column : kinds)
    if (std::ranges::count(kinds, column.column, &ColumnOptions::column) > 1)
      throw ConfigError(fmt::format("kinds has column '{}' twice. Leave one out.", column.column));
}

TableSource::TableSource(Options options) : options_(std::move(options)) { options_.validate(); }

TextTable TableSource::read(const std::string& path, const FileClasses& classes) const {
  CsvOptions format = options_.format;
  format.missing = options_.missing;
  if (!classes.empty()) format.classes = classes;
  TextTable table = read_text_table(path, format, options_.missing_words);
  const auto hole = std::ranges::find_if(table.columns, [](const TextColumn& c) { return c.missing > 0; });
  if (!options_.missing && hole != table.columns.end())
    throw DataError(
        fmt::format("{}: nothing stands in {} of {} rows of column '{}'. Fill them in, leave out the rows, "
                    "or set data.missing = \"nan\".",
                    path, hole->missing, table.rows, hole->name));
  return table;
}

TableSource::Found TableSource::look(const TextTable& table) const {
  Found found;
  std::vector<TableColumn> columns;
  for (const TextColumn& text : table.columns) columns.push_back(of_file(table, text, options_.kinds, found.guessed));
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const TableColumn& column : columns) names.push_back(column.name);
  for (const ColumnOptions& told : options_.kinds)
    if (std::ranges::find(names, told.column) == names.end())
      throw ConfigError(fmt::format("[data] kinds names the column '{}', and none of that name is taken from {}{}.",
                                    told.column, table.name, did_you_mean(told.column, names)));
  found.schema = TableSchema(std::move(columns));
  found.header = table.header;
  found.label_name = table.label_name;
  found.classes = table.classes;
  if (!table.labels.empty()) {
    double most = 0;  // of those that were seen
    for (const double label : table.labels) most = std::fmax(most, label);
    found.num_classes = std::max<Index>({options_.num_classes, table.classes.size(), static_cast<Index>(most) + 1});
  }
  return found;
}

const TableSource::Found& TableSource::found() const {
  std::call_once(once_, [&] {
    check_data_file("path", options_.path);
    TextTable table = read(options_.path, {});
    found_ = look(table);
    const std::lock_guard lock(of_seen_);
    seen_ = std::move(table);
  });
  return *found_;
}

TextTable TableSource::training_table() const {
  found();
  {
    const std::lock_guard lock(of_seen_);
    if (seen_) return *std::exchange(seen_, std::nullopt);
  }
  return read(options_.path, {});
}

DataSplits TableSource::load(const RandomSource& random) const {
  const TableSchema& schema = found().schema;
  FileDataOptions files;
  files.path = options_.path;
  files.validation_path = options_.validation_path;
  files.test_path = options_.test_path;
  files.weights = options_.weights;
  files.num_classes = options_.num_classes;
  files.split = options_.split;
  files.values.missing = options_.missing ? Missing::nan_columns : Missing::refuse;
  const std::vector<bool> real = schema.real();
  files.transform.standardize = options_.standardize && std::ranges::count(real, true) > 0;
  const auto read_rows = [&](const std::string& path, const FileClasses& classes) {
    TextTable table = path == options_.path && classes.empty() ? training_table() : this->read(path, classes);
    FileContent content{schema.encode(table), {}, std::move(table.classes)};
    if (!options_.format.label_column.empty()) content.labels = std::move(table.labels);
    return content;
  };
  const auto fit = [&](const Dataset& rows) {
    return Transform::fit(Transform::Kind::standardize, rows, 0)->of_columns(real);
  };
  return load_files(read_rows, files, random, {.fit = fit});
}

Value TableSource::resolved(const Value& effective, const DataSplits& loaded) const {
  Value value = with_range_and_classes(effective, loaded);
  value.erase("range");
  Value kinds;
  kinds.data = Value::List{};
  std::vector<std::string> names;
  for (const TableColumn& column : found().schema.columns()) {
    names.push_back(column.name);
    std::get<Value::List>(kinds.data)
        .push_back(make_table({{"column", make_value(column.name)},
                               {"kind", make_value(name_of(column.kind))},
                               {"levels", list_of_words(column.levels)}}));
  }
  value.set("ignore", list_of_words({}));
  value.set("columns", list_of_words(names));
  value.set("kinds", std::move(kinds));
  return value;
}

Value TableSource::observed_layers() const {
  Value layers;
  auto& list = layers.data.emplace<Value::List>();
  for (const TableLayer& layer : found().schema.layers()) {
    Value table =
        make_table({{"name", make_value(layer.name)}, {"size", whole_value(layer.size)}, {"units", units_of(layer)}});
    if (layer.kind == ColumnKind::real) table.set("learn_precision", make_value(true));
    list.push_back(std::move(table));
  }
  if (found().num_classes > 0)
    list.push_back(make_table({{"name", make_value("label")},
                               {"size", whole_value(1)},
                               {"units", make_table({{"type", make_value("categorical")},
                                                     {"num_states", whole_value(found().num_classes)}})}}));
  return layers;
}

CsvNames TableSource::column_names() const {
  if (!found().header) return {};
  return {found().schema.number_names(), found().label_name};
}

std::string TableSource::guesses() const {
  const auto& guessed = found().guessed;
  std::string text;
  for (const ColumnKind one : {ColumnKind::binary, ColumnKind::spin, ColumnKind::categorical, ColumnKind::real}) {
    std::vector<std::string> columns;
    for (const TableColumn& column : found().schema.columns())
      if (column.kind == one && std::ranges::find(guessed, column.name) != guessed.end())
        columns.push_back(words_of(column));
    if (!columns.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(one), fmt::join(columns, ", "));
  }
  return text.empty() ? "" : fmt::format("columns are taken for {}. Where that is wrong, data.kinds tells.", text);
}

TableSchema schema_of(const Value& data) {
  TableSource::Options options;
  read_options(data, "data 'table'", options);
  std::vector<TableColumn> columns;
  for (const ColumnOptions& told : options.kinds) {
    if (told.kind == ColumnKind::automatic || (!is_number(told.kind) && told.levels.empty()))
      throw ConfigError(fmt::format("[data] kinds: what column '{}' is has been left open.", told.column));
    columns.push_back({told.column, told.kind, told.levels});
  }
  return TableSchema(std::move(columns));
}

Value without_transform(const Value& data) {
  Value source = data;
  for (const char* key : transform_keys) source.erase(key);
  if (const Value* type = data.find("type"); type && *type == make_value("table"))
    source.set("standardize", make_value(false));
  return source;
}

}  // namespace v1
}  // namespace harmonium
