#pragma once

#include <vector>

#include <harmonium/framework/model/layout.hpp>
#include <harmonium/framework/model/parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether entry (row, column) of a tensor is a number of its own: it exists, and of a symmetric tensor it joins two units, where
/// two states of one unit, which is never in both, have 0.
inline bool is_free(const ParameterBlock& block, const Layout& layout, Index row, Index column) {
  if (block.mask && (*block.mask)[row * block.cols + column] == 0) return false;
  if (block.symmetry == Symmetry::none) return true;
  const Index width = layout[block.layers.front()].unit->width();
  return row / width != column / width;
}

/// body(place in θ) for these entries, a symmetric pair and a uniform tensor counted once.
template <class Body>
void for_each_free(const ParameterBlock& block, const Layout& layout, const Body& body) {
  for_each_entry(block, [&](Index place) {
    const Index entry = place - block.offset;
    if (is_free(block, layout, entry / block.cols, entry % block.cols)) body(place);
  });
}

/// Whether each entry of a gradient of `size`, of θ and what an estimator learns beside it, repeats the first of a uniform tensor.
inline std::vector<bool> repeated_entries(const ParameterLayout& layout, Index size) {
  std::vector<bool> repeated(size, false);
  for (const ParameterBlock& block : layout.blocks())
    for (Index i = 1; block.uniform && i < block.size(); ++i) repeated[block.offset + i] = true;
  return repeated;
}

/// How many there are.
inline Index free_parameters(const ParameterBlock& block, const Layout& layout) {
  Index count = 0;
  for_each_free(block, layout, [&](Index) { ++count; });
  return count;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
