#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/files/npz_writer.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Adds the values of one tensor as the array `name`: as the tensor has rows and columns, of a list of edges a value an edge. `values` are
/// those of all tensors, one after the other.
template <typename T>
void add_tensor_array(NpzWriter& file, const std::string& name, const ParameterBlock& block,
                      std::span<const T> values) {
  const std::span<const T> own = values.subspan(block.offset, block.size());
  if (block.role == ParameterRole::edges) {
    std::vector<T> of_edges;
    for (const Edge& e : *block.edges) of_edges.push_back(own[e.entry]);
    const Index count[] = {of_edges.size()};
    file.add(name, std::span<const T>(of_edges), count);
    return;
  }
  const Index shape[] = {block.rows, block.cols};
  file.add(name, own, std::span<const Index>(shape, block.rank()));
}

/// Of a list of edges adds NAME.pairs, the units of each, counted from 0; of another tensor nothing.
inline void add_edge_pairs(NpzWriter& file, const ParameterBlock& block) {
  if (block.role != ParameterRole::edges) return;
  std::vector<std::int64_t> pairs;
  for (const Edge& e : *block.edges) {
    pairs.push_back(static_cast<std::int64_t>(e.a));
    pairs.push_back(static_cast<std::int64_t>(e.b));
  }
  const Index shape[] = {pairs.size() / 2, 2};
  file.add(block.name + ".pairs", std::span<const std::int64_t>(pairs), shape);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
