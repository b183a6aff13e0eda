#include <harmonium/models/coupling_masks.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/edge_list.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Whether each pair of units is coupled.
struct UnitPairs {
  Index rows, cols;
  std::vector<std::uint8_t> coupled;
};

/// What `read` makes of a file; one that is absent or malformed is a mistake of the configuration that names it, with a
/// remedy there.
template <class Read>
auto of_configured(const Read& read, const std::string& path, const char* remedy) {
  try {
    return read(path);
  } catch (const Error& error) {
    const std::string_view what = error.what();
    throw ConfigError(fmt::format("{}{} {}", what, what.ends_with('.') ? "" : ".", remedy));
  }
}

UnitPairs of_edges(const std::string& path, Index units) {
  EdgeList graph = of_configured([](const auto& p) { return read_graph(p); }, path,
                                 "Give 'edges' a file that has a line 'n m', then lines 'i j'.");
  if (!graph.may_have(units))
    throw ConfigError(
        fmt::format("{}: its graph has {} nodes, but the layer has {} units.", path, graph.num_nodes, units));
  graph.num_nodes = units;
  return {units, units, adjacency(graph)};
}

UnitPairs of_matrix(const std::string& path, Index rows, Index cols) {
  const Table table = of_configured([](const auto& p) { return read_table(p); }, path,
                                    "Give 'matrix' a file of 0 and 1, a row for each unit of the first layer.");
  if (table.rows != rows || table.cols != cols)
    throw ConfigError(fmt::format("{}: it has {} x {} numbers, but the layers have {} and {} units.", path, table.rows,
                                  table.cols, rows, cols));
  UnitPairs pairs{rows, cols, std::vector<std::uint8_t>(rows * cols)};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const double value = table.at(i, j);
      if (value != 0.0 && value != 1.0)
        throw ConfigError(
            fmt::format("{}: row {}, column {} (both counted from 0) is {}, but a mask says 1 for a "
                        "coupling that exists and 0 for one that does not.",
                        path, i, j, value));
      pairs.coupled[i * cols + j] = value != 0.0 ? 1 : 0;
    }
  }
  return pairs;
}

void check_symmetric(const UnitPairs& pairs, const std::string& path) {
  const Index n = pairs.rows;
  for (Index i = 0; i < n; ++i) {
    if (pairs.coupled[i * n + i] != 0)
      throw ConfigError(fmt::format("{}: row {} (counted from 0) couples a unit with itself.", path, i));
    for (Index j = 0; j < i; ++j)
      if (pairs.coupled[i * n + j] != pairs.coupled[j * n + i])
        throw ConfigError(
            fmt::format("{}: row {}, column {} (both counted from 0) is {} and row {}, column {} is {}, but couplings "
                        "within a layer go both ways.",
                        path, i, j, pairs.coupled[i * n + j], j, i, pairs.coupled[j * n + i]));
  }
}

}  // namespace

void CouplingMask::bind(OptionBinder& o) {
  o.option("coupling", coupling, "the tensor, as the model's parameters name it: \"visible.hidden\"");
  o.option("edges", edges,
           "of couplings within a layer: a file of edges, a line 'n m', then lines 'i j', counted from 1 or 0");
  o.option("matrix", matrix, "or a file of 0 and 1, units of the first layer x units of the second");
}

void CouplingMask::validate() const {
  if (coupling.empty()) throw ConfigError("'coupling' must be given, such as \"visible.visible\".");
  if (edges.empty() && matrix.empty())
    throw ConfigError("one of 'edges' and 'matrix' must be given: the file that says which couplings exist.");
  if (!edges.empty() && !matrix.empty())
    throw ConfigError("'edges' and 'matrix' both say which couplings exist. Leave one of them out.");
}

void bind_masks(OptionBinder& o, std::vector<CouplingMask>& masks) {
  o.list("masks", masks, "couplings of which only some exist and are learned, each a table [[model.masks]]");
}

void set_masks(EnergyModel& model, const std::vector<CouplingMask>& masks) {
  for (const CouplingMask& mask : masks) {
    const ParameterLayout& layout = model.parameter_layout();
    const Index position = layout.find("weight." + mask.coupling);
    if (position == layout.blocks().size()) {
      std::vector<std::string> known;
      for (const ParameterBlock& b : layout.blocks())
        if (b.role == ParameterRole::coupling) known.push_back(b.name.substr(std::string("weight.").size()));
      throw ConfigError(fmt::format("'masks' names the coupling '{}'{}, which the model has not. It has: {}.",
                                    mask.coupling, did_you_mean(mask.coupling, known), fmt::join(known, ", ")));
    }
    const ParameterBlock& block = layout[position];
    if (block.mask) throw ConfigError(fmt::format("'masks' names the coupling '{}' twice.", mask.coupling));
    const bool lateral = block.symmetry == Symmetry::symmetric_zero_diagonal;
    if (!mask.edges.empty() && !lateral)
      throw ConfigError(fmt::format("the edges of {} couple units of one layer, but '{}' is of two. Give a 'matrix'.",
                                    mask.edges, mask.coupling));
    const Layer &a = model.layout()[block.layers[0]], &b = model.layout()[block.layers[1]];
    const UnitPairs pairs = mask.edges.empty() ? of_matrix(mask.matrix, a.size, b.size) : of_edges(mask.edges, a.size);
    const Index row_width = a.unit->width(), col_width = b.unit->width();
    std::vector<std::uint8_t> columns(block.size());
    for (Index i = 0; i < block.rows; ++i)
      for (Index j = 0; j < block.cols; ++j)
        columns[i * block.cols + j] = pairs.coupled[i / row_width * pairs.cols + j / col_width];
    if (lateral) check_symmetric(pairs, mask.matrix);
    model.set_mask(position, std::move(columns));
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
