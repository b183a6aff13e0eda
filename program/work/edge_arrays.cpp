#include <harmonium/program/work/edge_arrays.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/gathered_edges.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/files/unit_values.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool is_vector(const NpzShape& array, std::uint64_t size) {
  const auto& shape = array.shape;
  return (shape.size() == 1 && shape[0] == size) ||
         (shape.size() == 2 && ((shape[0] == size && shape[1] == 1) || (shape[0] == 1 && shape[1] == size)));
}

bool has_columns(const NpzShape& array, std::uint64_t columns) {
  return array.shape.size() == 2 && array.shape[1] == columns;
}

/// By its name, or else by a shape that no matrix of couplings has.
const NpzShape* probable_edges(const std::vector<NpzShape>& arrays) {
  const NpzShape* found = nullptr;
  for (const NpzShape& a : arrays) {
    if (is_called_edges(a.name)) return &a;
    const bool shaped = (has_columns(a, 2) && a.shape[0] > 2) || (has_columns(a, 3) && a.shape[0] > 3);
    if (shaped && !found) found = &a;
  }
  return found;
}

const NpzShape* probable_weights(const std::vector<NpzShape>& arrays, const NpzShape& edges,
                                 const std::vector<std::string>& named) {
  for (const NpzShape& a : arrays)
    if (std::ranges::find(named, a.name) != named.end()) return &a;
  for (const NpzShape& a : arrays)
    if (!edges.shape.empty() && is_vector(a, edges.shape[0])) return &a;
  return nullptr;
}

std::string shape_text(const NpzShape& array) {
  return fmt::format("'{}' of shape ({})", array.name, fmt::join(array.shape, ", "));
}

}  // namespace

bool is_called_edges(const std::string& name) {
  return std::ranges::equal(name, std::string("edges"), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  });
}

bool are_edges(const NpzShape& edges, const NpzShape* weights) {
  return weights ? has_columns(edges, 2) && is_vector(*weights, edges.shape[0]) : has_columns(edges, 3);
}

std::string advice_on_edges(const std::string& file, const std::vector<NpzShape>& arrays,
                            const std::vector<std::string>& named_weights) {
  const NpzShape* edges = probable_edges(arrays);
  if (!edges) return "";
  if (has_columns(*edges, 3) && !is_called_edges(edges->name))
    return fmt::format("Where the rows of {} are edges i, j, J, name it as {}:array={}. ", shape_text(*edges), file,
                       edges->name);
  const NpzShape* weights = probable_weights(arrays, *edges, named_weights);
  if (!weights && !is_called_edges(edges->name)) return "";
  const bool sideways = !has_columns(*edges, 2) && edges->shape.size() == 2 && edges->shape[0] == 2;
  return fmt::format(
      "Edges are read of an array 'edges' of N x 2 nodes with 'J' of N couplings, or of 'edges' of N x 3 alone; here "
      "is {}{}. Or give np.c_[{}{}, {}] as one N x 3 array, named by {}:array=NAME. ",
      shape_text(*edges), weights ? ", and " + shape_text(*weights) : "", edges->name, sideways ? ".T" : "",
      weights ? weights->name : "J", file);
}

EdgeList read_edge_arrays(const EdgeArrays& arrays) {
  const Table nodes = read_table(arrays.edges);
  if (arrays.weights.empty()) return edges_in_rows(nodes, arrays.edges);
  const std::vector<double> weights = read_unit_values(arrays.weights, "coupling", "couplings");
  std::vector<double> rows;
  rows.reserve(3 * nodes.rows);
  for (Index r = 0; r < nodes.rows; ++r) rows.insert(rows.end(), {nodes.at(r, 0), nodes.at(r, 1), weights[r]});
  return edges_in_rows({nodes.rows, 3, NumberArray<double>(std::move(rows)), {nodes.rows, 3}}, arrays.edges);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
