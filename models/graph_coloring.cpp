#include <harmonium/models/graph_coloring.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<std::vector<Index>> color_graph(const Neighbors& neighbors) {
  const Index nodes = neighbors.size();
  constexpr Index none = std::numeric_limits<Index>::max();
  std::vector<Index> color(nodes, none);
  std::vector<std::set<Index>> seen(nodes);  ///< colors of each node's neighbors

  // Turned so that the next node is the smallest.
  using Key = std::tuple<Index, Index, Index>;
  const auto key = [&](Index u) { return Key{nodes - seen[u].size(), nodes - neighbors[u].size(), u}; };
  std::set<Key> waiting;
  for (Index u = 0; u < nodes; ++u) waiting.insert(key(u));

  std::vector<std::vector<Index>> classes;
  while (!waiting.empty()) {
    const Index u = std::get<2>(*waiting.begin());
    waiting.erase(waiting.begin());
    Index min = 0;
    while (seen[u].contains(min)) ++min;
    color[u] = min;
    if (min == classes.size()) classes.emplace_back();
    classes[min].push_back(u);
    for (const std::uint32_t v : neighbors[u]) {
      if (color[v] != none || seen[v].contains(min)) continue;
      waiting.erase(key(v));
      seen[v].insert(min);
      waiting.insert(key(v));
    }
  }
  for (std::vector<Index>& c : classes) std::ranges::sort(c);
  return classes;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
