#include <harmonium/models/graph_coloring.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<std::vector<Index>> color_graph(const Neighbours& neighbours) {
  const Index nodes = neighbours.size();
  constexpr Index none = std::numeric_limits<Index>::max();
  std::vector<Index> color(nodes, none);
  std::vector<std::set<Index>> seen(nodes);  ///< colours of each node's neighbours

  // Turned so that the next node is the least.
  using Key = std::tuple<Index, Index, Index>;
  const auto key = [&](Index u) { return Key{nodes - seen[u].size(), nodes - neighbours[u].size(), u}; };
  std::set<Key> waiting;
  for (Index u = 0; u < nodes; ++u) waiting.insert(key(u));

  std::vector<std::vector<Index>> classes;
  while (!waiting.empty()) {
    const Index u = std::get<2>(*waiting.begin());
    waiting.erase(waiting.begin());
    Index least = 0;
    while (seen[u].contains(least)) ++least;
    color[u] = least;
    if (least == classes.size()) classes.emplace_back();
    classes[least].push_back(u);
    for (const std::uint32_t v : neighbours[u]) {
      if (color[v] != none || seen[v].contains(least)) continue;
      waiting.erase(key(v));
      seen[v].insert(least);
      waiting.insert(key(v));
    }
  }
  for (std::vector<Index>& c : classes) std::ranges::sort(c);
  return classes;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
