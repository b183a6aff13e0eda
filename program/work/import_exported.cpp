#include <harmonium/program/work/import_exported.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/line_reader.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/exported_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[noreturn]] void refuse_exported(const std::string& input, const std::string& why) {
  throw DataError(
      fmt::format("import {}: {}. Without the {} that export writes, one layer of spins or of binary units can be read "
                  "back. Name the folder that export wrote.",
                  input, why, exported_model_file));
}

void check_exported_units(const std::string& input, const ExportedLayer& layer) {
  if (layer.units != "spin" && layer.units != "binary")
    refuse_exported(
        input, fmt::format("the units of its layer '{}' are {} ({})", layer.name, layer.units, exported_layers_file));
}

}  // namespace

void take_exported(ImportRequest& request) {
  namespace fs = std::filesystem;
  const fs::path folder = request.edges;
  std::vector<std::string> couplings, biases;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    LineReader lines(entry.path());
    const std::string head(lines.next().value_or(""));
    if (head == "unit,other,value") couplings.push_back(entry.path().string());
    else if (head == "unit,value") biases.push_back(entry.path().string());
    else if (head.starts_with("unit,"))
      refuse_exported(request.edges, entry.path().filename().string() + " holds couplings between layers");
  }
  const std::vector<ExportedLayer> layers = read_exported_layers(folder);
  if (layers.size() > 1) refuse_exported(request.edges, fmt::format("it has {} layers", layers.size()));
  for (const ExportedLayer& layer : layers) check_exported_units(request.edges, layer);
  if (couplings.size() != 1 || biases.size() > 1)
    throw DataError(fmt::format(
        "import {}: this folder has {} files of couplings ('unit,other,value') and {} of biases ('unit,value'), where "
        "export writes one of each of a layer of spins or of binary units. Name a file of edges, or a CONFIG.toml.",
        request.edges, couplings.size(), biases.size()));
  if (!biases.empty() && !request.fields.empty())
    throw ConfigError(
        fmt::format("--fields: {} has fields already, in {}. Leave it out.", request.edges, biases.front()));
  request.edges = couplings.front();
  if (!biases.empty()) request.fields = biases.front();
}

std::string units_of_edges(const ImportRequest& request, EdgeList& graph) {
  if (!graph.exported_layer) return "spin";
  const std::vector<ExportedLayer> layers = read_exported_layers(std::filesystem::path(request.edges).parent_path());
  const auto layer = std::ranges::find_if(layers, [&](const ExportedLayer& l) {
    return l.name == *graph.exported_layer || (graph.edges.empty() && layers.size() == 1);
  });
  if (layer == layers.end()) return "";
  check_exported_units(request.edges, *layer);
  if (!graph.may_have(layer->size))
    throw DataError(
        fmt::format("{}: it has units up to {}[{}], and {} beside it says that there are {}. Export the model again.",
                    request.edges, layer->name, graph.num_nodes - 1, exported_layers_file, layer->size));
  graph.num_nodes = layer->size;
  graph.counted = true;
  return layer->units;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
