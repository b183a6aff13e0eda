#include <harmonium/program/work/former_export.hpp>

#include <exception>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/exported_model.hpp>
#include <harmonium/program/work/exported_transform.hpp>
#include <harmonium/program/work/site_letters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; empty of what is none, or cannot be read.
std::string first_line(const fs::path& path) try {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  return std::string(LineReader(path).next().value_or(""));
} catch (const Error&) {
  return "";
}

bool begins_as_table(const std::string& line) { return line.starts_with("unit,"); }

bool is_exported(const std::string& name, const std::string& line) {
  if (name == transform_file) return line == "column,mean" || line == "column,mean,scale";
  if (name == letters_file) return line == letters_head;
  return name == whitening_file ? line.starts_with("column,") : begins_as_table(line);
}

}  // namespace

std::set<std::string> names_of_tables(const EnergyModel& model) {
  std::set<std::string> names;
  for (const ParameterBlock& block : model.parameter_layout().blocks()) {
    names.insert(block.name + ".csv");
    if (block.role == ParameterRole::coupling) names.insert(mask_of(block) + ".csv");
  }
  return names;
}

std::set<std::string> former_files(const fs::path& folder, const Registries& registries) {
  if (first_line(folder / exported_layers_file) != exported_layers_head) return {};
  std::set<std::string> names{transform_file, whitening_file, letters_file};
  try {
    const Value config = read_toml(folder / exported_model_file);
    Value effective;
    if (const Value* described = config.find("model"))
      names.merge(names_of_tables(*registries.make<EnergyModel>(*described, effective)));
  } catch (const std::exception&) {
    // Of an older version, of a plugin that is not there, or somebody's own.
  }
  return names;
}

std::vector<std::string> remove_former(const fs::path& folder, const std::set<std::string>& names,
                                       const std::set<std::string>& written) {
  for (const std::string& name : names) {
    if (written.contains(name) || !is_exported(name, first_line(folder / name))) continue;
    std::error_code error;
    fs::remove(folder / name, error);
    if (error)
      throw FileError(fmt::format("{}: it is of an earlier export, and cannot be removed: {}. Export to a new folder.",
                                  (folder / name).string(), error.message()));
  }
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".csv" && !written.contains(name) && begins_as_table(first_line(entry.path())))
      left.push_back(name);
  }
  return left;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
