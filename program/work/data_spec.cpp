#include <harmonium/program/work/data_spec.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/png_folder.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Throws ConfigError for settings of [data] that belong to training.
void check_settings(const Value& set) {
  for (const char* key : {"weights", "reweight"})
    if (const Value* given = set.find(key))
      throw ConfigError(fmt::format("{}: this command weighs all rows alike. Leave data.{} out.", given->where, key));
  for (const char* key : {"validation", "validation_path", "validation_labels", "test", "test_path", "test_labels"})
    if (const Value* given = set.find(key))
      throw ConfigError(
          fmt::format("{}: this command takes one set of rows. Leave data.{} out, and name its file by --data.",
                      given->where, key));
  for (const char* key : transform_keys)
    if (const Value* given = set.find(key))
      throw ConfigError(fmt::format(
          "{}: this command transforms data as the model's training data were. Leave data.{} out.", given->where, key));
}

/// The reader that a file calls for.
std::string type_of_file(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error) && !is_png_folder(file))
    throw ConfigError(fmt::format("--data {}: a folder, not a file. Name the data file in it.", file));
  return data_type_of_file(file);
}

/// What of the model's own data holds of a file of that reader, which is empty for their own; a CSV file is read as theirs was, and
/// `type` is then theirs. What belongs to one file, or to a part of it, does not carry over to another.
Value carried_over(const Value* own, std::string& type) {
  Value spec = make_table();
  if (!own) return spec;
  const Value* own_type = own->find("type");
  if (type == "csv" && own_type && *own_type == make_value("table")) type = "table";
  const bool same_type = type.empty() || (own_type && *own_type == make_value(type));
  for (const auto& [key, value] : std::get<Value::Table>(own->data))
    if (carries_over(key, same_type)) spec.set(key, value);
  return spec;
}

void name_file(Value& spec, const std::string& file, const std::string& type) {
  if (!spec.find("path")) spec = make_table();
  spec.set("type", make_value(type));
  Value path = make_value(file);
  path.where = "--data";
  spec.set("path", std::move(path));
  // Whether there is a header is that one file's own: samples have one.
  if (const Value* line = spec.find("header"); line && *line == make_value("no")) spec.erase("header");
  // So is the array that is meant: a file of one has no name of it.
  if (type == "npy" && npz_arrays(file).size() < 2) spec.erase("array");
}

/// Puts the settings `set` of [data] on top of what carried over from `own`, or of what `file` calls for.
void put_settings(Value& spec, const Value& set, const Value* own, const std::string& file) {
  // The range of values that were bits already, or were taken as they are, is not that of values to be made bits of.
  const Value* made_before = spec.find("binarize");
  const bool were_bits = made_before && !(*made_before == make_value(std::string("none")));
  if (set.find("binarize") && !were_bits) spec.erase("range");
  const Value *old_type = spec.find("type"), *new_type = set.find("type");
  if (new_type && (!old_type || !(*old_type == *new_type)) && file.empty()) spec = make_table();
  for (const auto& [key, value] : std::get<Value::Table>(set.data)) {
    if (value.is_empty() && !(own && own->find(key)))
      throw ConfigError(
          fmt::format("{}: the model's own data say nothing of it, so there is nothing to take back. An "
                      "empty text is written {}'\"\"'.",
                      value.where, value.where));
    if (value.is_empty()) spec.erase(key);
    else spec.set(key, value);
  }
  const Value* no_classes = set.find("label_column");
  if (no_classes && no_classes->is_empty() && !set.find("classes")) spec.erase("classes");
}

}  // namespace

Value data_spec(const Value& config, const std::string& file, const Value& options) {
  const Value* set = options.find("data");
  if (set) check_settings(*set);
  if (file.empty() && !set) return {};
  std::string type = file.empty() ? "" : type_of_file(file);
  const Value* own = subtable(config, "data");
  Value spec = carried_over(own, type);
  if (!file.empty()) name_file(spec, file, type);
  if (set) put_settings(spec, *set, own, file);
  if (const Value* column = spec.find("label_column"); column && *column == make_value("")) spec.erase("classes");
  // Words of another kind of file are numbered as in training.
  if (spec.find("labels") && !spec.find("classes") && own && !words_in(own->find("classes")).empty())
    spec.set("classes", *own->find("classes"));
  return absolute_data_paths(spec, "");
}

namespace {

/// Leaves out the last column where it holds energies. Whether it does.
bool leave_out_energies(Value& spec, const std::vector<std::string>& names, const ModelHeader& header) {
  const std::vector<std::string> columns = words_in(spec.find("columns"));
  std::vector<std::string> ignored = words_in(spec.find("ignore"));
  const auto has = [](const std::vector<std::string>& list) { return std::ranges::find(list, "energy") != list.end(); };
  if (names.size() < 2 || names.back() != "energy" || has(header.column_names) || has(columns) || has(ignored))
    return false;
  if (columns.empty()) {
    ignored.emplace_back("energy");
    spec.set("ignore", list_of_words(ignored));
  }
  return true;
}

}  // namespace

Value data_spec(const ModelHeader& header, const Layout& layout, const std::string& file, const Value& options,
                Display* display, std::vector<std::string>* columns) {
  Value spec = data_spec(header.config, file, options);
  const Value* type = spec.find("type");
  if (file.empty() || !type || !(*type == make_value("csv") || *type == make_value("table"))) return spec;
  const bool by_name = *type == make_value("csv");  // a table does so by itself
  const auto format = options_among<CsvOptions>(spec, {"separator", "header", "label_column", "ignore"});
  const std::vector<std::string> names = read_csv_header(std::get<std::string>(spec.find("path")->data), format);
  if (columns) *columns = names;
  if (leave_out_energies(spec, names, header) && display)
    display->warn(fmt::format("{}: its last column, 'energy', is none of the data's and is left out.", file));
  const Value* told = options.find("data");
  if (!by_name) {
    check_table_columns(spec, file, names, told);
    return spec;
  }
  if (names.empty()) drop_absent_class(spec, file, format, layout, told, display);
  else find_columns_by_name(spec, file, names, header, layout, told, display);
  return spec;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
