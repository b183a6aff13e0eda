#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/rows_of_commands.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/run/unseen_columns.hpp>
#include <harmonium/program/work/alike_words.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/inspected_columns.hpp>
#include <harmonium/program/work/inspected_couplings.hpp>
#include <harmonium/program/work/of_type.hpp>
#include <harmonium/program/work/proposal.hpp>
#include <harmonium/program/work/relatives_words.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The options of a table in CSV; nothing where some setting is none of theirs.
bool read_table_options(const Value& source, TableSource::Options& options) {
  Value own = source;
  own.set("type", make_value("table"));
  try {
    read_options(own, "data 'table'", options);
  } catch (const ConfigError&) {
    if (is_of_type(source, "table")) throw;
    return false;
  }
  return true;
}

/// Whether all columns are numbers of one kind, so that a machine with one visible layer takes them: bits, spins, or gray levels
/// of what is hardly a table of different things.
bool is_uniform(const TextTable& table, const std::vector<InspectedColumn>& columns) {
  constexpr Index many = 16;
  const auto same = [&](const char* kind, std::vector<std::string> levels) {
    return std::ranges::all_of(columns, [&](const InspectedColumn& column) {
      return column.kind == kind && column.levels.size() == 2 && column.levels[0].first == levels[0] &&
             column.levels[1].first == levels[1];
    });
  };
  if (std::ranges::any_of(table.columns, [](const TextColumn& c) { return !c.are_numbers || c.missing > 0; }))
    return false;
  if (same("binary", {"0", "1"}) || same("spin", {"-1", "1"})) return true;
  const bool levels = std::ranges::all_of(
      columns, [](const InspectedColumn& column) { return *column.min >= 0 && *column.max <= 255; });
  return levels && columns.size() >= many &&
         std::ranges::all_of(table.columns, [](const TextColumn& column) { return column.few_words; });
}

/// What is said where all columns hold small whole numbers from 0 on, which are taken for categories, or for grays of which bits are
/// made: whether they are steps of something nobody but the user knows.
std::optional<std::string> note_of_levels(const std::vector<InspectedColumn>& columns, const char* taken) {
  constexpr double most = 9;
  double high = 0;
  for (const InspectedColumn& column : columns) {
    if (!column.min || column.kind == "real" || *column.min < 0 || *column.max > most ||
        *column.min != std::floor(*column.min) || *column.max != std::floor(*column.max))
      return {};
    high = std::max(high, *column.max);
  }
  if (high < 2) return {};
  return fmt::format(
      "all columns hold whole numbers from 0 to {:g}, and are taken for {}. If these are steps of a quantity, such as "
      "grades, data.type = \"csv\" and a model \"rbm\" with visible_units = {{ type = \"levels\", num_states = {:g}, "
      "low = "
      "0 }} keep their order and distances.",
      high, taken, high + 1);
}

/// A spreadsheet.
Inspection inspect_table(Value source, TableSource::Options options, const TextTable& table,
                         std::vector<InspectedColumn> columns) {
  Inspection found{.name = options.path, .type = "table", .num_rows = table.rows, .named = table.header};
  found.shape = {table.columns.size()};
  if (columns.size() > 1 && columns.back().name == "energy" && columns.back().kind == "real") {
    columns.back().trouble = "is called as 'sample --energies' calls what it adds";
    columns.back().units = "";
  }
  found.warnings = column_warnings(columns, " data.ignore leaves out what it names.");
  for (std::string& words : stand_in_warnings(table)) found.warnings.push_back(std::move(words));
  for (std::string& words : alike_word_warnings(table)) found.warnings.push_back(std::move(words));
  if (auto note = note_of_levels(columns, "categories without an order")) found.warnings.push_back(std::move(*note));
  std::vector<std::string> left_out = options.format.ignore, kept;
  bool missing = std::ranges::any_of(table.labels, [](double label) { return std::isnan(label); });
  for (const InspectedColumn& column : columns) {
    if (!column.trouble.empty()) {
      left_out.push_back(column.name);
    } else {
      kept.push_back(column.name);
      missing = missing || column.missing > 0;
    }
  }
  if (kept.empty())
    throw DataError(fmt::format("{}: no column is one of units: {}", options.path, found.warnings.front()));
  source.set("type", make_value("table"));
  if (!options.format.columns.empty()) source.set("columns", list_of_words(kept));
  else if (left_out != options.format.ignore) source.set("ignore", list_of_words(left_out));
  if (missing) source.set("missing", make_value("nan"));
  options.missing = true;
  options.format.ignore = {};
  options.format.columns = kept;
  const TableSource data(options);
  Index width = 0;
  for (const InspectedColumn& column : columns)
    if (column.trouble.empty()) width += column.units.starts_with("categorical") ? column.levels.size() : 1;
  found.proposed = table_proposal(std::move(source), data.observed_layers(), table.rows, width, lacks_numbers(columns));
  found.summary = "columns of several kinds";
  if (!options.format.label_column.empty())
    found.classes = inspected_classes(table.labels, table.classes, table.label_name);
  found.columns = std::move(columns);
  return found;
}

std::string units_of(const Findings& found) {
  switch (found.values) {
    case Values::bits: return "binary";
    case Values::spins: return "spin";
    case Values::states: return fmt::format("categorical, {} states", found.states);
    case Values::gray: return "binary, of bits that data.binarize makes";
    case Values::real: break;
  }
  return "gaussian";
}

/// Rows of numbers of one kind.
Inspection inspect_rows(const Value& source, const Registries& registries) {
  Value asked = source, effective;
  const std::string missing = missing_of_columns(source, registries);
  const bool tells = source.find("missing") || missing.empty();
  if (!tells) asked.set("missing", make_value(missing));
  const Dataset data = registries.make<DataSource>(absolute_data_paths(asked, ""), effective)->load({1, 0}).train;
  const Findings what = first_look(data);
  const Value* path = source.find("path");
  Inspection found{.name = path ? std::get<std::string>(path->data) : data.name(),
                   .type = std::get<std::string>(source.find("type")->data),
                   .num_rows = data.rows()};
  found.shape.assign(data.sample_shape().begin(), data.sample_shape().end());
  if (found.shape.empty()) found.shape = {data.cols()};
  CsvNames names;
  if (is_of_type(source, "csv")) {
    CsvSource::Options csv;
    read_options(absolute_data_paths(asked, ""), "data 'csv'", csv);
    names = read_csv_names(csv.path, csv.format);
  }
  found.named = !names.columns.empty();
  found.columns = inspected_columns(data, names.columns, units_of(what));
  found.summary = what.summary();
  found.warnings = is_of_type(source, "fasta") ? site_warnings(found.columns, data.sample_shape().back())
                                               : column_warnings(found.columns);
  for (std::string& words : relatives_words(effective, data)) found.warnings.push_back(std::move(words));
  if (is_of_type(source, "csv") && what.values == Values::gray)
    if (auto note = note_of_levels(found.columns, "grays, of which bits are made"))
      found.warnings.push_back(std::move(*note));
  if (data.num_classes() > 0) {
    std::vector<double> classes(data.rows());
    for (Index r = 0; r < data.rows(); ++r)
      classes[r] = data.label(r) < data.num_classes() ? static_cast<double>(data.label(r)) : NAN;
    found.classes = inspected_classes(classes, data.class_words(), names.label.empty() ? "label" : names.label);
  }
  if (std::string note = note_of_scales(data); !note.empty() && !is_of_type(source, "csv"))
    found.warnings.push_back(std::move(note));
  if (std::string question = question_of_numbers(data); !question.empty() && !is_of_type(source, "csv"))
    found.warnings.push_back(question + " The configuration below takes them for amounts.");
  if (std::string question = question_of_classes(data); !question.empty()) {
    const bool last = question.starts_with("the last");
    found.warnings.push_back(
        question + (is_of_type(source, "csv")
                        ? fmt::format(" If so, look at '{}:label_column={}'.", found.name, last ? "last" : "1")
                        : std::string(" If so, put them into a file of their own, and set data.labels.")));
  }
  if (data.rows() < 2) found.warnings.emplace_back("a single row, of which nothing can be learned.");
  Value own = source;
  if (lacks_some(data) && !tells) own.set("missing", make_value("nan"));
  found.proposed = proposal(data, what, own, make_table({{"data", own}}));
  return found;
}

/// A file of numbers or words, or what a source makes.
Inspection inspect_source(const Value& source, const Registries& registries) {
  TableSource::Options options;
  if ((is_of_type(source, "csv") || is_of_type(source, "table")) && read_table_options(source, options)) {
    options.format.missing = true;
    const TextTable table = read_text_table(options.path, options.format, options.missing_words);
    std::vector<InspectedColumn> columns = inspected_columns(table, options.kinds);
    if (is_of_type(source, "table") || source.find("kinds") || !is_uniform(table, columns))
      return inspect_table(source, std::move(options), table, std::move(columns));
  }
  return inspect_rows(source, registries);
}

}  // namespace

Inspection inspect(const InspectRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, make_table());
  const Value source = source_of(request.data, command_options(request.set, {"data"}), registries);
  refuse_rows_of_commands(source);
  const Value* path = source.find("path");
  const bool text = path && (is_of_type(source, "csv") || is_of_type(source, "table"));
  if (text) refuse_counted_edges(std::get<std::string>(path->data));
  Inspection found = inspect_source(source, registries);
  if (text || (path && is_of_type(source, "npy")))
    if (std::optional<std::string> note = note_of_couplings(std::get<std::string>(path->data), found))
      found.warnings.push_back(std::move(*note));
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
