#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/config/layer_sizes.hpp>
#include <harmonium/framework/config/overrides.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/files/edge_list_or_matrix.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/framework/run/stored_masks.hpp>
#include <harmonium/framework/training/edge_list_initializer.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/edge_arrays.hpp>
#include <harmonium/program/work/exported_layers.hpp>
#include <harmonium/program/work/free_parameters.hpp>
#include <harmonium/program/work/import_archive.hpp>
#include <harmonium/program/work/import_arrays.hpp>
#include <harmonium/program/work/import_edges.hpp>
#include <harmonium/program/work/import_exported.hpp>
#include <harmonium/program/work/import_tables.hpp>
#include <harmonium/program/work/sparse_couplings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

void check_model_output(const ImportRequest& request) {
  if (std::filesystem::path(request.output).extension() != ".h5")
    throw ConfigError(fmt::format("--output {}: models are written as .h5. Give a name that ends so.", request.output));
  check_output(request.output, {request.edges, request.fields, request.parameters});
}

/// What an array was taken for, where its shape might mean either.
std::string form_text(const ImportRequest& request, const EdgeArrays& arrays, const EdgeList& graph) {
  if (!arrays.weights.empty()) return fmt::format("rows 'i j' with the couplings w of {}, ", arrays.weights);
  if (!arrays.edges.empty()) return "rows 'i j w', ";
  if (!is_coupling_array(request.edges)) return "";
  if (coupling_form(request.edges) == CouplingForm::edges) return "rows 'i j w', ";
  return graph.num_nodes == 3 ? "a 3 x 3 matrix, " : "";
}

/// What a file of edges came to.
std::string edges_text(const ImportRequest& request, const EdgeArrays& arrays, const ImportedEdges& read) {
  const EdgeList& graph = read.graph;
  const char x = read.spins() ? 's' : 'x';
  const double sign = request.negate ? -1.0 : 1.0;
  Index alike = 0, unlike = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const EdgeList::Edge& e : graph.edges) {
    const double coupling = sign * e.weight;
    alike += coupling > 0.0 ? 1 : 0;
    unlike += coupling < 0.0 ? 1 : 0;
    low = std::min(low, coupling);
    high = std::max(high, coupling);
  }
  std::string text = fmt::format("{}: {}{} {}{}, {} couplings", request.edges, form_text(request, arrays, graph),
                                 graph.num_nodes, read.spins() ? "spins" : "binary units",
                                 graph.first == 0 ? " counted from 0"
                                 : graph.counted  ? ""
                                                  : " counted from 1, the last one that has an edge being the last",
                                 graph.edges.size());
  if (!graph.edges.empty())
    text += fmt::format(" J from {:g} to {:g}: {} above 0 ({}), {} below", low, high, alike,
                        read.spins() ? "spins want to be alike" : "units want to be 1 together", unlike);
  const std::string other_sign = request.negate
                                     ? "without --negate J = w"
                                     : fmt::format("where the file's energy is +sum w {0} {0}, add --negate", x);
  text +=
      fmt::format("\nE = -sum J {0} {0}{1}, each edge once, J = {2}w of the file; {3}\n", x,
                  request.fields.empty() ? "" : fmt::format(" - sum h {}", x), request.negate ? "-" : "", other_sign);
  if (const std::optional<double> field = uniform_field(request))
    text += fmt::format("h = {:g} of every {}\n", *field, read.spins() ? "spin" : "unit");
  else if (!request.fields.empty())
    text += fmt::format("h = {}the numbers of {}\n", request.negate ? "minus " : "", request.fields);
  if (read.units.empty())
    text += fmt::format("spins, -1 or 1, are assumed: no {} beside it says what the units are\n", exported_layers_file);
  return text;
}

/// What a configuration came to.
std::string described_text(const ImportRequest& request, const EnergyModel& model) {
  std::string text = fmt::format("{}:", request.edges);
  const char* between = " ";
  for (const Layer& layer : model.layout().layers()) {
    text += fmt::format("{}layer '{}' of {} {} unit{}", between, layer.name, layer.size, layer.unit->name(),
                        layer.size == 1 ? "" : "s");
    between = ", ";
  }
  Index parameters = 0;  // a pair of units has one, and none where a mask rules it out
  for (const ParameterBlock& b : model.parameter_layout().blocks()) parameters += free_parameters(b, model.layout());
  text += fmt::format("; {} parameter{}\n", parameters, parameters == 1 ? "" : "s") + sparse_couplings_text(model);
  if (const std::string formula = model.formula(); !formula.empty()) text += fmt::format("E = {}\n", formula);
  return text;
}

/// The energy of the state in which every unit has its last one, to hold against one's own; nothing where units are continuous.
std::string highest_text(const EnergyModel& model, const char* what) {
  const Layout& layout = model.layout();
  Chains row(layout, 1);
  for (const LayerId l : layout.ids()) {
    const Layer& layer = layout[l];
    if (layer.unit->num_states() == 0) return "";
    const UnitStates states(*layer.unit);
    const Index width = layer.unit->width();
    for (Index u = 0; u < layer.size; ++u)
      std::ranges::copy(states[states.size() - 1], row.write(l).row(0) + u * width);
  }
  double energy = 0.0;
  model.energy(row, {&energy, 1});
  return fmt::format("energy of {}: {:.10g}\n", what, energy + 0.0);  // no negative zero
}

std::string import_edges(const ImportRequest& request, const EdgeArrays& arrays, const Registries& registries) {
  const ImportedEdges read = read_imported_edges(request, arrays);
  const EdgeList& graph = read.graph;
  const Index nodes = graph.num_nodes;
  {
    MemoryNeed need;  // parameters, and the file while it is put together
    need.add("the couplings", 2.0 * static_cast<double>(nodes) * static_cast<double>(nodes) * sizeof(Real),
             "the number of nodes");
    need.check("import");
  }
  Value config = make_table(
      {{"precision", make_value(request.precision)},
       {"model", make_table({{"type", make_value("fully_visible")},
                             {"num_visible", make_value(static_cast<std::int64_t>(nodes))},
                             {"visible_units", make_table({{"type", make_value(read.spins() ? "spin" : "binary")}})}})},
       {"initializer", make_table({{"type", make_value("edge_list")},
                                   {"path", make_value(request.edges)},
                                   {"sign", make_value(request.negate ? -1.0 : 1.0)}})}});
  const std::optional<double> field = uniform_field(request);
  if (field) config.find("initializer")->set("field", make_value(*field));
  else if (!request.fields.empty()) config.find("initializer")->set("fields", make_value(request.fields));
  Value effective;
  const auto model = registries.make<EnergyModel>(*config.find("model"), effective);
  config.set("model", std::move(effective));
  // The edges are all the couplings that there are.
  const Index couplings = set_couplings(*model, graph, request.negate ? -1.0 : 1.0, request.edges);
  if (field) set_uniform_field(*model, couplings, *field);
  else if (!request.fields.empty()) set_fields(*model, couplings, request.fields, request.negate ? -1.0 : 1.0);
  model->set_mask(couplings, adjacency(graph));
  save_model(request.output, *model, config, registries);
  return edges_text(request, arrays, read) + highest_text(*model, read.spins() ? "all spins up" : "all units 1");
}

/// What a configuration describes, with its initializer's parameters, or those of an archive.
std::string import_described(const ImportRequest& request, const Registries& builtin) {
  const Value& config = request.config;
  const Registries registries = with_plugins(builtin, request, config);
  check_sections(config, registries);
  Value model_effective, initializer_effective;
  const Value spec = with_sizes_of_shapes(
      absolute_mask_paths(section(config, "model", "", "say what to make, with a 'type'"), request.config_folder));
  const auto model = registries.make<EnergyModel>(spec, model_effective);
  Value kept = make_table({{"precision", make_value(request.precision)}, {"model", std::move(model_effective)}});
  std::string remarks;
  if (request.parameters.empty()) {
    const auto initializer =
        registries.make<Initializer>(section(config, "initializer", "normal", ""), initializer_effective);
    const Executor executor(request.threads);
    try {
      initializer->initialize(*model, nullptr, {executor, random_of(request, config).child("initializer")});
    } catch (const NumericalError& error) {
      throw ConfigError(fmt::format("initializer: {}. {}", error.what(), smaller_start(*model)));
    }
    kept.set("initializer", std::move(initializer_effective));
  } else {
    remarks = read_exported_arrays(request.parameters, *model);
  }
  if (request.seed) kept.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  else if (const Value* seed = config.find("seed")) kept.set("seed", *seed);
  kept.set("plugins", plugin_names(registries));
  save_model(request.output, *model, kept, registries);
  return described_text(request, *model) + highest_text(*model, "every unit in its last state, such as spins up") +
         remarks;
}

/// What export wrote of any model, as tables or as arrays of one archive.
std::string import_exported(const ImportRequest& request, const Registries& builtin) {
  const Registries registries = with_plugins(builtin, request, request.config);
  check_sections(request.config, registries);
  Value effective, spec = section(request.config, "model", "", "say what the tables are of, with a 'type'");
  spec.erase("masks");  // tables have them
  const auto model = registries.make<EnergyModel>(spec, effective);
  std::string remarks;
  if (std::filesystem::is_directory(request.edges)) read_exported_tables(request.edges, *model);
  else remarks = read_exported_arrays(request.edges, *model);
  const Value kept = make_table({{"precision", make_value(request.precision)},
                                 {"model", std::move(effective)},
                                 {"plugins", plugin_names(registries)}});
  save_model(request.output, *model, kept, registries);
  return described_text(request, *model) + highest_text(*model, "every unit in its last state, such as spins up") +
         remarks;
}

}  // namespace

std::string import_model(const ImportRequest& request, const Registries& registries) {
  if (request.config.is_table()) {
    check_model_output(request);
    return request.edges.ends_with(".toml") && !std::filesystem::is_directory(request.edges)
               ? import_described(request, registries)
               : import_exported(request, registries);
  }
  check_import_inputs(request);
  ImportRequest of_edges = request;
  EdgeArrays arrays;
  if (std::filesystem::is_directory(of_edges.edges)) take_exported(of_edges);
  else arrays = take_archive(of_edges, registries);
  check_model_output(of_edges);
  return import_edges(of_edges, arrays, registries);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
