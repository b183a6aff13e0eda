#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/run/stored_masks.hpp>
#include <harmonium/framework/training/edge_list_initializer.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

void check_model_output(const ImportRequest& request) {
  if (std::filesystem::path(request.output).extension() != ".h5")
    throw ConfigError(fmt::format("--output {}: models are written as .h5. Give a name that ends so.", request.output));
  check_output(request.output, {request.edges});
}

/// Files of parameters are what people try.
void check_edges_input(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const char* other : {".h5", ".hdf5", ".csv", ".npy", ".npz", ".json"})
    if (extension == other)
      throw ConfigError(
          fmt::format("import {}: this is neither a file of edges (a line 'n m', then lines 'i j w') nor a "
                      "CONFIG.toml. A file of edges can be written from couplings of spins; parameters of any other "
                      "model are read from an HDF5 file with the attributes and datasets of docs/file_format.md, "
                      "which every command takes for a model.",
                      path));
}

void import_edges(const ImportRequest& request, const Registries& registries) {
  const EdgeList graph = read_edge_list(request.edges);
  const Index nodes = graph.num_nodes;
  {
    MemoryNeed need;  // parameters, and the file while it is put together
    need.add("the couplings", 2.0 * static_cast<double>(nodes) * static_cast<double>(nodes) * sizeof(Real),
             "the number of nodes");
    need.check("import");
  }
  Value config = make_table({{"precision", make_value(request.precision)},
                             {"model", make_table({{"type", make_value("fully_visible")},
                                                   {"num_visible", make_value(static_cast<std::int64_t>(nodes))},
                                                   {"visible_units", make_table({{"type", make_value("spin")}})}})},
                             {"initializer", make_table({{"type", make_value("edge_list")},
                                                         {"path", make_value(request.edges)},
                                                         {"sign", make_value(request.negate ? -1.0 : 1.0)}})}});
  Value effective;
  const auto model = registries.make<EnergyModel>(*config.find("model"), effective);
  config.set("model", std::move(effective));
  // The edges are all the couplings that there are.
  const Index couplings = set_couplings(*model, graph, request.negate ? -1.0 : 1.0, request.edges);
  model->set_mask(couplings, adjacency(graph));
  save_model(request.output, *model, config, registries);
}

/// What a configuration describes, with its initializer's parameters.
void import_described(const ImportRequest& request, const Registries& builtin) {
  const Value& config = request.config;
  const Registries registries = with_plugins(builtin, request, config);
  check_sections(config, registries);
  Value model_effective, initializer_effective;
  const Value spec =
      absolute_mask_paths(section(config, "model", "", "say what to make, with a 'type'"), request.config_folder);
  const auto model = registries.make<EnergyModel>(spec, model_effective);
  const auto initializer =
      registries.make<Initializer>(section(config, "initializer", "normal", ""), initializer_effective);
  const Executor executor(request.threads);
  try {
    initializer->initialize(*model, nullptr, {executor, random_of(request, config).child("initializer")});
  } catch (const NumericalError& error) {
    throw ConfigError(fmt::format("initializer: {}. Start smaller.", error.what()));
  }
  Value kept = make_table({{"precision", make_value(request.precision)},
                           {"model", std::move(model_effective)},
                           {"initializer", std::move(initializer_effective)}});
  if (const Value* seed = config.find("seed")) kept.set("seed", *seed);
  kept.set("plugins", plugin_names(registries));
  save_model(request.output, *model, kept, registries);
}

}  // namespace

void import_model(const ImportRequest& request, const Registries& registries) {
  check_model_output(request);
  if (request.config.is_table()) import_described(request, registries);
  else {
    check_edges_input(request.edges);
    import_edges(request, registries);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
