#include <harmonium/program/work/init_rows.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/proposal.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool holds_edges(const std::string& file) {
  try {
    read_edge_list(file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool holds_words(const DataError& error) {
  return std::string_view(error.what()).find(" no number") != std::string_view::npos;
}

/// The key of [data] that an assignment is to; empty where it is to something else.
std::string data_key(const std::string& assignment) {
  constexpr std::string_view prefix = "data.";
  if (!assignment.starts_with(prefix)) return "";
  return assignment.substr(prefix.size(), assignment.find_first_of("=.[", prefix.size()) - prefix.size());
}

/// Whether [data] of this type has an option of that name, or a list of tables.
bool has_data_option(const Registries& registries, const char* type, const std::string& key) {
  const auto known = option_names(registries, "data", type);
  return known && std::ranges::any_of(
                      *known, [&](const std::string& name) { return name.substr(0, name.find_first_of(".[")) == key; });
}

/// All rows of the [data] table `source`, after what --set makes of them.
Dataset all_rows_of(const Registries& registries, const Value& source) {
  Value effective, whole = absolute_data_paths(source, "");
  for (const char* part : {"validation", "validation_path", "validation_labels", "test", "test_path", "test_labels"})
    whole.erase(part);
  return registries.make<DataSource>(whole, effective)->load({1, 0}).train;
}

[[noreturn]] void refuse_file_of_edges(const std::string& file) {
  throw ConfigError(
      fmt::format("{0}: a file of edges, and not of rows. 'harmonium import {0} --output MODEL.h5' makes a model of "
                  "it (with --negate where its energy is +w s s, as of a maximum cut).",
                  file));
}

}  // namespace

std::vector<std::string> settings_of_data(const InitRequest& request) {
  std::vector<std::string> settings;
  for (const std::string& assignment : request.set)
    if (assignment.starts_with("data.") || assignment.starts_with("data=")) settings.push_back(assignment);
  return settings;
}

std::string not_of_tables(const InitRequest& request, const Registries& registries) {
  for (const std::string& assignment : settings_of_data(request))
    if (std::string key = data_key(assignment); !has_data_option(registries, "table", key)) return key;
  return "";
}

namespace {

/// Whether a file of which some entries are missing, which nobody has told of, holds words beside them.
bool holds_words_and_holes(const Value& source, const Registries& registries) {
  if (source.find("missing")) return false;
  Value holed = source;
  holed.set("missing", make_value("nan_columns"));
  try {
    all_rows_of(registries, holed);
  } catch (const DataError& error) {
    return holds_words(error);
  }
  return false;
}

/// The rows of a file with a column of classes, taking what is empty as not seen, which nobody has told of; nothing of another file, and where
/// that is not what is wrong.
std::optional<Dataset> rows_with_classes_and_holes(const Value& source, const Registries& registries) {
  const Value* column = source.find("label_column");
  if (!column || *column == make_value("") || source.find("missing")) return {};
  Value holed = source;
  holed.set("missing", make_value("nan"));
  try {
    return all_rows_of(registries, holed);
  } catch (const DataError&) {
    return {};
  }
}

}  // namespace

CsvLook look_at_csv(const InitRequest& request, const Value& asked, const Registries& registries) {
  for (const std::string& assignment : settings_of_data(request))
    if (!has_data_option(registries, "csv", data_key(assignment))) return {.of_kinds = true};
  CsvLook look;
  try {
    look.rows = all_rows_of(registries, *asked.find("data"));
  } catch (const DataError& error) {
    if (holds_edges(request.data)) refuse_file_of_edges(request.data);
    if (holds_words(error) || holds_words_and_holes(*asked.find("data"), registries)) return {.of_kinds = true};
    look.rows = rows_with_classes_and_holes(*asked.find("data"), registries);
    if (!look.rows) throw;
    look.has_holes = true;
  }
  try {
    look.of_kinds = look_at(*look.rows, asked, Scales::may_be_mixed).mixed;
  } catch (const ConfigError&) {
    // Rows of one kind, about which something is to be asked.
  }
  return look;
}

Dataset rows_of_one_kind(const InitRequest& request, const Registries& registries, const Value& source) {
  const bool is_csv = *source.find("type") == make_value("csv");
  try {
    return all_rows_of(registries, source);
  } catch (const DataError& error) {
    if (is_csv && holds_edges(request.data)) refuse_file_of_edges(request.data);
    if (is_csv && holds_words(error))
      throw DataError(fmt::format("{0} Such a table has no data.{1}: leave --set data.{1} out.", error.what(),
                                  not_of_tables(request, registries)));
    throw;
  }
}

std::string leave_energies_out(Value& own, Value& begun, const std::string& file) {
  Value& data = *own.find("data");
  if (data.find("ignore") || data.find("columns")) return "";
  const std::vector<std::string> names =
      read_csv_header(file, options_among<CsvOptions>(data, {"separator", "header", "label_column"}));
  const Value* label = data.find("label_column");
  if (names.size() < 2 || names.back() != "energy" || (label && *label == make_value("energy"))) return "";
  const Value ignored = list_of_words({"energy"});
  data.set("ignore", ignored);
  begun.set("ignore", ignored);
  return fmt::format(
      "{}: its last column is called 'energy', as 'sample --energies' calls what it adds, and is left out: ignore = "
      "[\"energy\"]. --set 'data.ignore=[]' takes it.",
      file);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
