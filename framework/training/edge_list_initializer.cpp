#include <harmonium/framework/training/edge_list_initializer.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/unit_values.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Where a tensor of edges has each edge of a file.
std::vector<Index> places_of(const ParameterBlock& block, const EdgeList& graph, const std::string& path) {
  std::map<std::pair<Index, Index>, Index> entries;
  for (const Edge& e : *block.edges) entries[{e.a, e.b}] = e.entry;
  if (block.size() != entries.size())
    throw ConfigError(fmt::format(
        "initializer 'edge_list': {} has one coupling for all edges of an offset, {} in all, and {} a number an edge. "
        "Set them by initializer = {{ type = \"normal\", mean = [{}], std = 0.0 }}, a value for each in the order of "
        "the "
        "offsets; for couplings that differ from edge to edge set uniform = false in the term.",
        block.name, block.size(), path, fmt::join(std::vector<double>(block.size(), 1.0), ", ")));
  std::vector<Index> places;
  for (const EdgeList::Edge& e : graph.edges) {
    const auto at = entries.find({e.a, e.b});
    if (at == entries.end())
      throw ConfigError(fmt::format("initializer 'edge_list': {} joins nodes {} and {}, and {} has no such edge.", path,
                                    e.a + graph.first, e.b + graph.first, block.name));
    places.push_back(at->second);
  }
  return places;
}

/// The biases of the layer that the couplings at `position` join; `given` is how they were asked for.
const ParameterBlock& biases_of(const EnergyModel& model, Index position, const std::string& given) {
  const ParameterLayout& layout = model.parameter_layout();
  const LayerId layer = layout[position].layers[0];
  const auto block = std::ranges::find_if(
      layout.blocks(), [&](const ParameterBlock& b) { return b.role == ParameterRole::bias && b.layers[0] == layer; });
  if (block == layout.blocks().end())
    throw ConfigError(fmt::format("{}: layer '{}' has no biases to hold them. Set bias = true of the layer.", given,
                                  model.layout()[layer].name));
  return *block;
}

}  // namespace

void EdgeListInitializer::Options::bind(OptionBinder& o) {
  o.option("path", path,
           "file of edges: a line 'n m', which may be left out, then lines 'i j w', nodes counted from 1 or 0; must be "
           "given");
  o.option(
      "sign", sign,
      "of the couplings, J = sign w: 1 where the file means the energy -sum w s s, -1 where it means +sum w s s, as "
      "of a maximum cut",
      Limit{"1 or -1", [](double v) { return std::abs(v) == 1.0; }});
  o.option("fields", fields,
           "file of fields h, a number a unit, one a line or all in one, -sum h s in the energy, of the same sign; for "
           "units of q states a row of "
           "q numbers a unit, or all of them one a line; empty: none");
  o.option("field", field, "in place of fields: one field of all units, -field sum s in the energy", finite());
  bind_crystal_field(o, crystal_field);
  bind_precision(o, precision);
}

void EdgeListInitializer::Options::validate() const {
  if (path.empty()) throw ConfigError("'path' must be given: the file of edges.");
  if (std::abs(sign) != 1.0) throw ConfigError(fmt::format("'sign' is {}, and must be 1 or -1.", sign));
  if (field && !fields.empty()) throw ConfigError("'field' and 'fields' are both given. Remove one.");
}

EdgeListInitializer::EdgeListInitializer(Options options) : options_(std::move(options)) { options_.validate(); }

void EdgeListInitializer::initialize(EnergyModel& model, const Dataset*, const Execution&) const {
  const Index position =
      set_couplings(model, read_edge_list(options_.path), options_.sign, options_.path, options_.precision);
  if (!options_.fields.empty()) set_fields(model, position, options_.fields, options_.sign);
  if (options_.field) set_uniform_field(model, position, *options_.field);
  if (options_.crystal_field)
    model.update_parameters([&](std::span<Real> theta) { set_crystal_fields(model, options_.crystal_field, theta); });
}

void set_fields(EnergyModel& model, Index position, const std::string& path, double sign) {
  const ParameterBlock& block = biases_of(model, position, "fields " + path);
  const LayerId layer = block.layers[0];
  const Layer& units = model.layout()[layer];
  const Index states = units.unit->width();
  const std::vector<double> fields = read_state_values(path, states, "field", "fields");
  if (fields.size() != block.size()) {
    const std::string of_states =
        states > 1 ? fmt::format(", {} units of {} states", units.size, states) : std::string();
    throw ConfigError(fmt::format("{}: it has {} fields, and layer '{}' {} columns{}. Give one number for each{}.",
                                  path, fields.size(), units.name, block.size(), of_states,
                                  states > 1 ? fmt::format(": a row of {} for each unit", states) : ""));
  }
  if (block.uniform && std::ranges::count(fields, fields.front()) != static_cast<std::ptrdiff_t>(fields.size()))
    throw ConfigError(
        fmt::format("{}: its fields differ, and the units of layer '{}' have one bias together. Give 'field', one "
                    "number for all, or set uniform = false of the term 'bias'.",
                    path, units.name));
  model.update_parameters([&](std::span<Real> theta) {
    for (Index i = 0; i < fields.size(); ++i) {
      const auto value = static_cast<Real>(sign * fields[i]);
      if (!std::isfinite(value))
        throw DataError(fmt::format("{}: field {} (counted from 1) is {}, too large for this precision. Take float64.",
                                    path, i + 1, fields[i]));
      theta[block.offset + i] = value;
    }
  });
}

void set_uniform_field(EnergyModel& model, Index position, double field) {
  const ParameterBlock& block = biases_of(model, position, fmt::format("field {}", field));
  const auto value = static_cast<Real>(field);
  if (!std::isfinite(value))
    throw ConfigError(fmt::format("field {} is too large for this precision. Take float64.", field));
  if (const Layer& layer = model.layout()[block.layers[0]]; layer.unit->width() > 1)
    throw ConfigError(fmt::format(
        "field {}: all states of a unit of layer '{}' would have it, which changes nothing. Give 'fields', a file "
        "with a number for each state of each unit.",
        field, layer.name));
  model.update_parameters(
      [&](std::span<Real> theta) { std::ranges::fill(theta.subspan(block.offset, block.size()), value); });
}

Index set_couplings(EnergyModel& model, const EdgeList& graph, double sign, const std::string& path,
                    const std::optional<double>& precision) {
  const ParameterLayout& layout = model.parameter_layout();
  const auto within = [](const ParameterBlock& b) {
    return b.role == ParameterRole::edges || b.symmetry == Symmetry::symmetric_zero_diagonal;
  };
  const auto found = std::ranges::find_if(layout.blocks(), within);
  if (found == layout.blocks().end() || std::ranges::count_if(layout.blocks(), within) != 1)
    throw ConfigError(
        "initializer 'edge_list': the edges are couplings within one layer, and the model has no such layer, or more "
        "than one. Take the model 'fully_visible'.");
  const Layer& layer = model.layout()[found->layers[0]];
  const Index nodes = layer.size, width = layer.unit->width();
  if (!graph.may_have(nodes))
    throw ConfigError(fmt::format("initializer 'edge_list': {} has {} nodes, but the tensor {} is of {} units.", path,
                                  graph.num_nodes, found->name, nodes));
  const auto position = static_cast<Index>(found - layout.blocks().begin());
  const std::vector<Index> places = found->edges ? places_of(*found, graph, path) : std::vector<Index>();
  model.update_parameters([&](std::span<Real> theta) {
    std::ranges::fill(theta, Real{0});
    set_precisions(model, precision, theta);
    const MatrixRef w = layout.view(position, theta.data());
    for (Index k = 0; k < graph.edges.size(); ++k) {
      const EdgeList::Edge& e = graph.edges[k];
      const auto value = static_cast<Real>(sign * e.weight);
      if (!std::isfinite(value))
        throw DataError(
            fmt::format("{}: the weight {} of nodes {} and {} is too large for this precision. Take "
                        "float64.",
                        path, e.weight, e.a + graph.first, e.b + graph.first));
      if (found->edges) w.data[places[k]] = value;
      else
        for (Index s = 0; s < width; ++s)
          w(e.a * width + s, e.b * width + s) = w(e.b * width + s, e.a * width + s) = value;
    }
  });
  return position;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
