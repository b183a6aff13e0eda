#include <harmonium/framework/files/model_header.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/config/written_at.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// A file that is no HDF5 file: told is what it is, where its name or its beginning says so.
[[noreturn]] void refuse_as_model(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".toml")
    throw ConfigError(
        fmt::format("{0}: a configuration, not a model: 'harmonium train {0}' makes a model of it. Name the folder of "
                    "that run. One "
                    "without training, such as a lattice, is made by 'harmonium import {0}'.",
                    path.string()));
  if (ending == ".jsonl" || ending == ".json")
    throw ConfigError(
        fmt::format("{}: figures, not a model. Name a model file, or the folder of the run.", path.string()));
  const std::optional<TableFormat> format = known_table_format(path);
  if (format && *format != TableFormat::hdf5)
    throw ConfigError(
        fmt::format("{}: a file of data, not a model, which is an HDF5 file. Name a model file, or the folder of a "
                    "run. Of a list of edges 'harmonium import' makes a model; rows of data are named by --data.",
                    path.string()));
  throw DataError(fmt::format(
      "{}: not an HDF5 file, or a damaged one, and models are HDF5. Of a list of edges 'harmonium import' makes a "
      "model; rows of data are named by --data.",
      path.string()));
}

}  // namespace

std::string precision_of(const Value& config, const std::string& fallback) {
  const Value* precision = config.find("precision");
  if (!precision) return fallback;
  const auto* word = std::get_if<std::string>(&precision->data);
  if (!word || (*word != "float32" && *word != "float64"))
    throw ConfigError(written_at(*precision) + "option 'precision' must be \"float32\" or \"float64\".");
  return *word;
}

ModelHeader read_model_header(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) throw ConfigError(fmt::format("{}: no such file", path.string()));
  if (std::filesystem::is_directory(path))
    throw ConfigError(fmt::format("{}: a folder, not a model file. A run keeps its model in model.h5.", path.string()));
  if (std::filesystem::is_regular_file(path) && !is_hdf5(path)) refuse_as_model(path);
  probe_hdf5(path);
  const Hdf5File file = Hdf5File::open(path);
  const auto need = [&](const char* name) {
    if (!file.has_attribute(name))
      throw DataError(
          fmt::format("{}: no root attribute '{}' (a model file has 'format', 'format_version' and 'config')",
                      path.string(), name));
  };
  need("format");
  if (const std::string format = file.string_attribute("format"); format != "harmonium")
    throw DataError(fmt::format("{}: its format is '{}', not 'harmonium'", path.string(), format));
  need("format_version");
  if (const std::int64_t version = file.integer_attribute("format_version");
      version < 1 || version > latest_format_version)
    throw DataError(fmt::format("{}: format version {}, and this program reads versions 1 to {}. A later one reads it.",
                                path.string(), version, latest_format_version));
  need("config");
  ModelHeader header;
  try {
    header.config = parse_toml(file.string_attribute("config"), path.string() + ": config");
    if (!header.config.find("model"))
      throw ConfigError(fmt::format("{}: config: it has no [model] table", path.string()));
    header.precision = precision_of(header.config, "float32");
  } catch (const ConfigError& error) {
    throw DataError(error.what());  // The user did not write it: the file is what is wrong.
  }
  if (file.has_attribute(sample_shape_attribute)) {
    const std::string text = file.string_attribute(sample_shape_attribute);
    const std::optional<std::vector<Index>> shape = parse_sample_shape(text);
    if (!shape)
      throw DataError(fmt::format("{}: its root attribute '{}' is '{}' (a shape such as 28x28 expected)", path.string(),
                                  sample_shape_attribute, text));
    header.sample_shape = *shape;
  }
  if (file.has_attribute(column_names_attribute))
    header.column_names = lines_of(file.string_attribute(column_names_attribute));
  if (file.has_attribute(label_name_attribute)) header.label_name = file.string_attribute(label_name_attribute);
  if (file.has_attribute(updates_attribute)) {
    const std::int64_t updates = file.integer_attribute(updates_attribute);
    if (updates < 0)
      throw DataError(fmt::format("{}: its root attribute '{}' is {} (a number of updates expected)", path.string(),
                                  updates_attribute, updates));
    header.updates = static_cast<std::uint64_t>(updates);
  }
  return header;
}

}  // namespace v1
}  // namespace harmonium
