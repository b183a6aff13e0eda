#include <harmonium/program/inspected_model.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

std::string shape_words(const DescribedTensor& tensor) { return fmt::format("{}", fmt::join(tensor.shape, " x ")); }

std::string layers_text(const ModelDescription& found) {
  std::size_t width = 5;
  for (const DescribedLayer& layer : found.layers) width = std::max(width, layer.name.size());
  std::string text = fmt::format("{:<{}}  {:>9}  {:<8}  units\n", "layer", width, "size", "");
  for (const DescribedLayer& layer : found.layers)
    text += fmt::format("{:<{}}  {:>9}  {:<8}  {}\n", printable(layer.name), width, layer.size,
                        layer.observed ? "observed" : "latent", layer.units);
  return text;
}

std::string tensors_text(const ModelDescription& found) {
  std::size_t name = 6, shape = 5;
  for (const DescribedTensor& tensor : found.tensors) {
    name = std::max(name, tensor.name.size());
    shape = std::max(shape, shape_words(tensor).size());
  }
  std::string text = fmt::format("{:<{}}  {:>{}}  {:>9}  {:>11}  {:>11}  {:>11}  {:>11}\n", "tensor", name, "shape",
                                 shape, "entries", "norm", "mean", "least", "greatest");
  for (const DescribedTensor& tensor : found.tensors)
    text +=
        fmt::format("{:<{}}  {:>{}}  {:>9}  {:>11.5g}  {:>11.5g}  {:>11.5g}  {:>11.5g}\n", printable(tensor.name), name,
                    shape_words(tensor), shape, tensor.free_entries, tensor.norm, tensor.mean, tensor.min, tensor.max);
  return text;
}

/// A value of several lines has a line each.
std::string provenance_lines(const std::string& name, const std::string& value) {
  std::string text, label = name;
  for (std::size_t from = 0; from < value.size() || from == 0;) {
    const std::size_t end = std::min(value.find('\n', from), value.size());
    text += fmt::format("{:<18} {}\n", label, printable(value.substr(from, end - from)));
    label.clear();
    from = end + 1;
  }
  return text;
}

}  // namespace

bool names_model(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const char* own : {"config.toml", "stack.toml", "model.h5"})
      if (fs::exists(fs::path(path) / own, error)) return true;
    return false;
  }
  if (!is_hdf5(path)) return false;
  bool ours = false;
  probe_hdf5(
      path, [](const Hdf5File& file) { return void(file.has_attribute("format")); }, 10);
  try {
    const Hdf5File file = Hdf5File::open(path);
    ours = file.has_attribute("format") && file.string_attribute("format") == "harmonium";
  } catch (const DataError&) {  // an attribute of another's, which is no text
  }
  return ours;
}

std::string model_text(const ModelDescription& found) {
  std::string text = fmt::format("{}: {}, {}, {} parameter{}\n\nenergy   {}\n", found.file,
                                 found.checkpoint ? "a checkpoint of a run" : "a model", found.precision,
                                 found.num_parameters, found.num_parameters == 1 ? "" : "s", found.formula);
  if (!found.sample_shape.empty()) text += fmt::format("a row    {}\n", fmt::join(found.sample_shape, " x "));
  if (!found.columns.empty()) {
    constexpr std::size_t most = 8;
    std::string names;
    for (std::size_t c = 0; c < std::min(most, found.columns.size()); ++c)
      names += (c == 0 ? "" : ", ") + printable(found.columns[c]);
    text += fmt::format("columns  {}{}\n", names, found.columns.size() > most ? ", ..." : "");
  }
  text += "\n" + layers_text(found) + "\n" + tensors_text(found) + "\n";
  for (const auto& [name, value] : found.provenance) text += provenance_lines(name, value);
  return text + "\nThe configuration that it was made from:\n\n" + found.config;
}

std::string model_json(const ModelDescription& found) {
  std::vector<std::string> layers, tensors, provenance, columns;
  for (const DescribedLayer& layer : found.layers)
    layers.push_back(fmt::format("{{\"name\": {}, \"size\": {}, \"role\": \"{}\", \"units\": {}}}",
                                 json_string(layer.name), layer.size, layer.observed ? "observed" : "latent",
                                 json_string(layer.units)));
  for (const DescribedTensor& t : found.tensors)
    tensors.push_back(fmt::format(
        "{{\"name\": {}, \"role\": {}, \"shape\": [{}], \"entries\": {}, \"norm\": {}, \"mean\": {}, \"min\": {}, "
        "\"max\": {}}}",
        json_string(t.name), json_string(t.role), fmt::join(t.shape, ", "), t.free_entries, json_number(t.norm),
        json_number(t.mean), json_number(t.min), json_number(t.max)));
  for (const auto& [name, value] : found.provenance)
    provenance.push_back(fmt::format("{}: {}", json_string(name), json_string(value)));
  for (const std::string& column : found.columns) columns.push_back(json_string(column));
  return fmt::format(
      "{{\"file\": {}, \"precision\": {}, \"checkpoint\": {}, \"energy\": {}, \"num_parameters\": {},\n \"layers\": "
      "[{}],\n \"tensors\": [{}],\n \"sample_shape\": [{}], \"columns\": [{}],\n \"provenance\": {{{}}},\n "
      "\"configuration\": {}}}\n",
      json_string(found.file), json_string(found.precision), found.checkpoint, json_string(found.formula),
      found.num_parameters, fmt::join(layers, ",\n  "), fmt::join(tensors, ",\n  "),
      fmt::join(found.sample_shape, ", "), fmt::join(columns, ", "), fmt::join(provenance, ", "),
      json_string(found.config));
}

}  // namespace v1
}  // namespace harmonium
