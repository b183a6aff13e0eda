#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include <harmonium/models/graph_coloring.hpp>

namespace graph_coloring_test {

using namespace harmonium;

namespace {

void join(Neighbors& graph, Index a, Index b) {
  graph[a].push_back(static_cast<std::uint32_t>(b));
  graph[b].push_back(static_cast<std::uint32_t>(a));
}

Neighbors torus(Index height, Index width) {
  Neighbors graph(height * width);
  for (Index r = 0; r < height; ++r)
    for (Index c = 0; c < width; ++c) {
      join(graph, r * width + c, r * width + (c + 1) % width);
      join(graph, r * width + c, (r + 1) % height * width + c);
    }
  return graph;
}

/// Every node in one class, and no two neighbors in the same.
bool proper(const Neighbors& graph, const std::vector<std::vector<Index>>& classes) {
  std::vector<Index> color(graph.size(), classes.size());
  Index nodes = 0;
  for (Index k = 0; k < classes.size(); ++k) {
    if (!std::ranges::is_sorted(classes[k])) return false;
    for (const Index u : classes[k]) color[u] = k;
    nodes += classes[k].size();
  }
  if (nodes != graph.size()) return false;
  for (Index u = 0; u < graph.size(); ++u)
    for (const std::uint32_t v : graph[u])
      if (color[u] == color[v] || color[u] == classes.size()) return false;
  return true;
}

}  // namespace

TEST_CASE("graphs of two colors get two: tori of even sides, trees, rings, bipartite graphs in any order") {
  for (const auto& [height, width] : {std::pair<Index, Index>{4, 4}, {6, 10}, {32, 32}}) {
    const Neighbors graph = torus(height, width);
    const auto classes = color_graph(graph);
    CHECK(classes.size() == 2);
    CHECK(proper(graph, classes));
  }
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    // A connected bipartite graph with its nodes in random order, on which the first free color alone takes more.
    std::vector<Index> name(40);
    for (Index i = 0; i < name.size(); ++i) name[i] = i;
    std::ranges::shuffle(name, random);
    Neighbors graph(40);
    for (Index i = 0; i < 20; ++i)
      for (Index j = 20; j < 40; ++j)
        if (j == i + 20 || j == i + 21 || random() % 4 == 0) join(graph, name[i], name[j]);
    const auto classes = color_graph(graph);
    CHECK(classes.size() == 2);
    CHECK(proper(graph, classes));
  }
}

TEST_CASE("other graphs get a coloring that is one") {
  Neighbors ring(7);
  for (Index i = 0; i < 7; ++i) join(ring, i, (i + 1) % 7);
  CHECK(color_graph(ring).size() == 3);
  Neighbors complete(6);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < i; ++j) join(complete, i, j);
  CHECK(color_graph(complete).size() == 6);
  CHECK(color_graph(Neighbors(5)) == std::vector<std::vector<Index>>{{0, 1, 2, 3, 4}});
  CHECK(color_graph({}).empty());
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    Neighbors graph(30);
    Index most = 0;
    for (Index i = 0; i < 30; ++i)
      for (Index j = 0; j < i; ++j)
        if (random() % 5 == 0) join(graph, i, j);
    for (const auto& near : graph) most = std::max<Index>(most, near.size());
    const auto classes = color_graph(graph);
    CHECK(proper(graph, classes));
    CHECK(classes.size() <= most + 1);
  }
}

}  // namespace graph_coloring_test
