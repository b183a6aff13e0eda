#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/edge_list_initializer.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void import_edges(const ImportRequest& request, const Registries& registries) {
  if (std::filesystem::path(request.output).extension() != ".h5")
    throw ConfigError(fmt::format("--output {}: models are written as .h5. Give a name that ends so.", request.output));
  check_output(request.output, {request.edges});
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

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
