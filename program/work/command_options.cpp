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
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>

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
