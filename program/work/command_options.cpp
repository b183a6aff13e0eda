#include <harmonium/program/work/command_options.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/config/spelled_out.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/data/file_loading.hpp>
#include <harmonium/framework/data/sources.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/csv_by_name.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/files/png_folder.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/columns_by_name.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void set_or_take_back(Value& options, const std::string& assignment) {
  constexpr std::string_view section = "data.";
  const std::size_t equals = assignment.find('=');
  const bool empty =
      equals != std::string::npos && assignment.find_first_not_of(" \t", equals + 1) == std::string::npos;
  const std::string key = empty && assignment.starts_with(section)
                              ? assignment.substr(section.size(), equals - section.size())
                              : std::string();
  const Value* data = options.find("data");
  if (key.empty() || key == "type" || key == "path" || key.find_first_of(".[\"' \t") != std::string::npos ||
      (data && data->find(key))) {
    apply_override(options, assignment);
    return;
  }
  Value table = data ? *data : make_table();
  if (!data) table.where = "--set " + assignment;
  table.set(key, Value{}).where = "--set " + assignment;
  options.set("data", std::move(table));
}

Value command_options(const std::vector<std::string>& set, const std::vector<std::string>& sections) {
  Value options = make_table();
  for (const std::string& assignment : set) set_or_take_back(options, assignment);
  for (const auto& [key, value] : std::get<Value::Table>(options.data)) {
    if (std::ranges::find(sections, key) == sections.end())
      throw ConfigError(fmt::format("{}: this command takes settings of {} only{}.",
                                    value.where.empty() ? "--set " + key : value.where, fmt::join(sections, ", "),
                                    did_you_mean(key, sections)));
    if (!value.is_table())
      throw ConfigError(
          fmt::format("{}: '{}' is a table of options. Write --set {}.NAME=VALUE.", value.where, key, key));
  }
  return options;
}

Value component_spec(const Value& options, std::string_view section, const std::string& type) {
  std::string flag(section);
  std::ranges::replace(flag, '_', '-');
  Value spec = make_table({{"type", make_value(type)}});
  spec.find("type")->where = "--" + flag + " " + type;
  const Value* given = options.find(section);
  if (!given) return spec;
  if (const Value* other = given->find("type"); other && !(*other == make_value(type)))
    throw ConfigError(
        fmt::format("{}: the command's {} is '{}' already. Name it by --{} alone.", other->where, section, type, flag));
  for (const auto& [key, value] : std::get<Value::Table>(given->data)) spec.set(key, value);
  return spec;
}

Value data_spec(const Value& config, const std::string& file, const Value& options) {
  const Value* set = options.find("data");
  for (const char* key : {"weights", "reweight"})
    if (const Value* given = set ? set->find(key) : nullptr)
      throw ConfigError(fmt::format("{}: this command weighs all rows alike. Leave data.{} out.", given->where, key));
  for (const char* key : {"validation", "validation_path", "validation_labels", "test", "test_path", "test_labels"})
    if (const Value* given = set ? set->find(key) : nullptr)
      throw ConfigError(
          fmt::format("{}: this command takes one set of rows. Leave data.{} out, and name its file by --data.",
                      given->where, key));
  for (const char* key : transform_keys)
    if (const Value* given = set ? set->find(key) : nullptr)
      throw ConfigError(fmt::format(
          "{}: this command transforms data as the model's training data were. Leave data.{} out.", given->where, key));
  if (file.empty() && !set) return {};
  std::string type;
  if (!file.empty()) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error) && !is_png_folder(file))
      throw ConfigError(fmt::format("--data {}: a folder, not a file. Name the data file in it.", file));
    type = data_type_of_file(file);
  }
  Value spec = make_table();
  // What belongs to one file, or to a part of it, does not carry over to another.
  if (const Value* own = config.find("data"); own && own->is_table()) {
    const Value* own_type = own->find("type");
    // Both are CSV: it is read as the run's own.
    if (type == "csv" && own_type && *own_type == make_value("table")) type = "table";
    const bool same_type = type.empty() || (own_type && *own_type == make_value(type));
    for (const auto& [key, value] : std::get<Value::Table>(own->data))
      if (carries_over(key, same_type)) spec.set(key, value);
  }
  if (!file.empty()) {
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
  // The range of values that were bits already, or were taken as they are, is not that of values to be made bits of.
  const Value* made_before = spec.find("binarize");
  const bool were_bits = made_before && !(*made_before == make_value(std::string("none")));
  if (set && set->find("binarize") && !were_bits) spec.erase("range");
  if (set) {
    const Value *old_type = spec.find("type"), *new_type = set->find("type");
    if (new_type && (!old_type || !(*old_type == *new_type)) && file.empty()) spec = make_table();
    for (const auto& [key, value] : std::get<Value::Table>(set->data)) {
      const Value* own = config.find("data");
      if (value.is_empty() && !(own && own->is_table() && own->find(key)))
        throw ConfigError(
            fmt::format("{}: the model's own data say nothing of it, so there is nothing to take back. An "
                        "empty text is written {}'\"\"'.",
                        value.where, value.where));
      if (value.is_empty()) spec.erase(key);
      else spec.set(key, value);
    }
    const Value* no_classes = set->find("label_column");
    if (no_classes && no_classes->is_empty() && !set->find("classes")) spec.erase("classes");
  }
  if (const Value* column = spec.find("label_column"); column && *column == make_value("")) spec.erase("classes");
  // Words of another kind of file are numbered as in training.
  const Value* own = config.find("data");
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

void check_table_name(const std::string& path, const char* flag, const char* what) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".npy" && extension != ".csv")
    throw ConfigError(fmt::format("{} {}: {} written as .csv or .npy. Give a name that ends so.", flag, path, what));
}

void check_output(const std::string& path, const std::vector<std::string>& inputs, const char* flag) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const std::string& input : inputs)
    if (!input.empty() && fs::equivalent(path, input, error))
      throw ConfigError(
          fmt::format("{} {}: that is the file which the command reads ({}). Give another name.", flag, path, input));
  const fs::path folder = folder_of_output(path, flag);
  if (fs::is_directory(path, error))
    throw FileError(fmt::format("{} {}: a folder of this name exists. Give the name of a file.", flag, path));
  try {
    check_replaceable(path);
  } catch (const FileError& other) {
    throw FileError(fmt::format("{} {}", flag, other.what()));
  }
  if (::access(folder.c_str(), W_OK) != 0)
    throw FileError(fmt::format("{} {}: no file can be made in {}: {}. Give another folder.", flag, path,
                                folder.string(), std::strerror(errno)));
  remove_left_partials(folder);
}

RandomSource random_of(const CommonRequest& request, const Value& config) {
  if (request.seed) return {*request.seed, 0};
  const Value* own = config.find("seed");
  const auto* seed = own ? std::get_if<std::int64_t>(&own->data) : nullptr;
  return {seed ? static_cast<std::uint64_t>(*seed) : 1, 0};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
