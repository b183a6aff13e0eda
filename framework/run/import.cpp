#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/run/command_options.hpp>
#include <harmonium/framework/run/commands.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/initializer.hpp>

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
  Value model_effective, initializer_effective;
  const auto model = registries.make<EnergyModel>(*config.find("model"), model_effective);
  const auto initializer = registries.make<Initializer>(*config.find("initializer"), initializer_effective);
  const Executor executor(1);
  initializer->initialize(*model, nullptr, {executor, {}});
  // The edges are all the couplings that there are.
  const ParameterLayout& layout = model->parameter_layout();
  const Index couplings = layout.find("weight.visible.visible");
  std::vector<std::uint8_t> mask(layout[couplings].size());
  for (const EdgeList::Edge& e : graph.edges) mask[e.a * nodes + e.b] = mask[e.b * nodes + e.a] = 1;
  model->set_mask(couplings, std::move(mask));
  config.set("model", std::move(model_effective));
  config.set("initializer", std::move(initializer_effective));
  save_model(request.output, *model, config);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
