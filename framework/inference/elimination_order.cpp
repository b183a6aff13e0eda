#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include <harmonium/framework/inference/elimination.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A graph from which units go one by one, their neighbors being joined.
class ShrinkingGraph {
 public:
  ShrinkingGraph(std::vector<std::vector<Index>> neighbors, std::span<const Index> states)
      : neighbors_(std::move(neighbors)) {
    for (const Index n : states) bits_.push_back(std::log2(static_cast<double>(n)));
  }
  const std::vector<Index>& neighbors(Index unit) const { return neighbors_[unit]; }
  /// log2 of the states of the neighbors.
  double bits_left(Index unit) const {
    double bits = 0.0;
    for (const Index n : neighbors_[unit]) bits += bits_[n];
    return bits;
  }
  double bits_of(Index unit) const { return bits_[unit]; }
  Index missing_pairs(Index unit) const {
    const std::vector<Index>& own = neighbors_[unit];
    Index missing = 0;
    for (Index i = 0; i < own.size(); ++i)
      for (Index j = i + 1; j < own.size(); ++j)
        missing += std::ranges::binary_search(neighbors_[own[i]], own[j]) ? 0 : 1;
    return missing;
  }
  /// Takes the unit away and joins its neighbors; returns those whose costs may have changed: these alone where all were joined
  /// before, else their neighbors too.
  std::set<Index> take(Index unit) {
    const std::vector<Index> clique = std::move(neighbors_[unit]);
    neighbors_[unit].clear();
    std::set<Index> changed(clique.begin(), clique.end());
    bool any_new = false;
    for (const Index n : clique) {
      std::vector<Index> joined;
      std::ranges::set_union(neighbors_[n], clique, std::back_inserter(joined));
      std::erase_if(joined, [&](Index m) { return m == n || m == unit; });
      any_new = any_new || joined.size() + 1 > neighbors_[n].size();  // without the unit
      neighbors_[n] = std::move(joined);
    }
    if (any_new)
      for (const Index n : clique) changed.insert(neighbors_[n].begin(), neighbors_[n].end());
    return changed;
  }

 private:
  std::vector<std::vector<Index>> neighbors_;
  std::vector<double> bits_;
};

/// Adds up what an order takes.
void take_next(Index unit, const ShrinkingGraph& graph, EliminationOrder& order) {
  const double left = graph.bits_left(unit);
  order.units.push_back(unit);
  order.log2_largest = std::max(order.log2_largest, left);
  const double bits = left + graph.bits_of(unit);
  order.log2_work = order.units.size() == 1 ? bits
                                            : std::max(order.log2_work, bits) +
                                                  std::log2(1.0 + std::exp2(-std::abs(order.log2_work - bits)));
}

/// No table has so many entries: what goes on from there is not looked for, which would take minutes of a large lattice.
constexpr double hopeless_bits = 60.0;

/// Given up where it leaves a hopeless table.
EliminationOrder by_min_fill(ShrinkingGraph graph, Index num_units) {
  using Cost = std::pair<Index, double>;
  const auto cost = [&](Index u) {
    const double left = graph.bits_left(u);
    return Cost{left < hopeless_bits ? graph.missing_pairs(u) : std::numeric_limits<Index>::max(), left};
  };
  std::vector<Cost> costs;
  std::set<std::pair<Cost, Index>> queue;
  for (Index u = 0; u < num_units; ++u) queue.insert({costs.emplace_back(cost(u)), u});
  EliminationOrder order;
  while (!queue.empty()) {
    const Index unit = queue.begin()->second;
    queue.erase(queue.begin());
    take_next(unit, graph, order);
    if (order.log2_largest > hopeless_bits) return order;
    for (const Index u : graph.take(unit)) {
      queue.erase({costs[u], u});
      queue.insert({costs[u] = cost(u), u});
    }
  }
  return order;
}

/// Given up, and infinite, where it leaves a larger table than `most_bits`.
EliminationOrder as_numbered(ShrinkingGraph graph, Index num_units, double most_bits) {
  EliminationOrder order;
  for (Index u = 0; u < num_units; ++u) {
    take_next(u, graph, order);
    if (order.log2_largest > most_bits) return {{}, INFINITY, INFINITY, INFINITY};
    graph.take(u);
  }
  return order;
}

/// log2 of the most entries that all tables have at once: a sum makes one before those that it is made of go.
double most_held(ShrinkingGraph graph, const std::vector<Index>& order) {
  std::vector<double> entries;                              // of the table that each sum left; 0 where it is gone
  std::vector<std::vector<Index>> tables_of(order.size());  // of each unit
  double held = 0.0, most = 1.0;
  for (const Index unit : order) {
    const Index table = entries.size();
    held += entries.emplace_back(std::exp2(graph.bits_left(unit)));
    most = std::max(most, held);
    for (const Index of : tables_of[unit]) held -= std::exchange(entries[of], 0.0);
    for (const Index u : graph.neighbors(unit)) tables_of[u].push_back(table);
    graph.take(unit);
  }
  return std::log2(most);
}

}  // namespace

EliminationOrder EliminationOrder::of(const std::vector<std::vector<Index>>& neighbors, std::span<const Index> states) {
  const ShrinkingGraph graph(neighbors, states);
  EliminationOrder filled = by_min_fill(graph, states.size());
  EliminationOrder numbered = as_numbered(graph, states.size(), filled.log2_largest);
  const bool by_number =
      std::pair(numbered.log2_largest, numbered.log2_work) < std::pair(filled.log2_largest, filled.log2_work);
  EliminationOrder& better = by_number ? numbered : filled;
  if (better.log2_largest < hopeless_bits) better.log2_held = most_held(graph, better.units);
  else better.log2_held = better.log2_work;
  return better;
}

Index degeneracy(const std::vector<std::vector<Index>>& neighbors) {
  std::vector<Index> degree;
  std::set<std::pair<Index, Index>> queue;
  for (Index u = 0; u < neighbors.size(); ++u) {
    degree.push_back(neighbors[u].size());
    queue.insert({degree[u], u});
  }
  Index largest = 0;
  while (!queue.empty()) {
    const auto [own, unit] = *queue.begin();
    queue.erase(queue.begin());
    largest = std::max(largest, own);
    for (const Index n : neighbors[unit])
      if (queue.erase({degree[n], n}) > 0) queue.insert({--degree[n], n});
  }
  return largest;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
