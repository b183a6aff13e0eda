#include <harmonium/framework/inference/elimination_marginals.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index block_entries = 256;

/// Of the units that are left when one goes, and of it, the last of them, in the order in which states run: the last one fastest.
using Scope = std::vector<Index>;

/// Where the entries of a table over a part of a scope stand, for each entry of the table over all of it.
class Places {
 public:
  Places(const Scope& all, const Scope& part, const std::vector<Index>& states) {
    for (const Index u : all) states_.push_back(states[u]);
    steps_.assign(all.size(), 0);
    Index stride = 1;
    for (Index k = part.size(); k-- > 0; stride *= states[part[k]])
      steps_[static_cast<Index>(std::ranges::find(all, part[k]) - all.begin())] = stride;
    Index block = 1;
    for (Index k = states_.size(); k-- > 0 && block * states_[k] <= block_entries;) block *= states_[k];
    for (Index i = 0; i < block; ++i) in_block_.push_back(place_of(i));
  }
  Index block() const { return in_block_.size(); }
  /// body(entry, place) of the entries of whole blocks.
  template <class Body>
  void each(Index first_block, Index last_block, const Body& body) const {
    for (Index b = first_block; b < last_block; ++b) {
      const Index begin = b * block(), at = place_of(begin);
      for (Index i = 0; i < block(); ++i) body(begin + i, at + in_block_[i]);
    }
  }

 private:
  Index place_of(Index entry) const {
    Index at = 0;
    for (Index k = states_.size(); k-- > 0 && entry > 0; entry /= states_[k]) at += entry % states_[k] * steps_[k];
    return at;
  }

  std::vector<Index> states_, steps_, in_block_;
};

/// A unit that goes, with those that are coupled with it then.
struct Clique {
  Scope scope;                 ///< these, ascending
  Scope all;                   ///< and the unit itself, last
  std::vector<double> values;  ///< log weights, then p(x_u | x_N), then p(x_N, x_u)
};

class Cliques {
 public:
  Cliques(const PairwiseFactors& factors, std::vector<std::vector<Index>> neighbors, const EliminationOrder& order,
          const Executor& executor)
      : factors_(factors),
        order_(order.units),
        executor_(executor),
        cliques_(factors.size()),
        position_(factors.size()) {
    for (const auto& s : factors.single) states_.push_back(s.size());
    for (Index k = 0; k < order_.size(); ++k) position_[order_[k]] = k;
    for (const Index u : order_) {
      std::vector<Index>& left = neighbors[u];
      std::ranges::sort(left);
      cliques_[u].scope = left;
      cliques_[u].all = left;
      cliques_[u].all.push_back(u);
      for (const Index v : left) join(neighbors[v], left, u, v);
    }
    up();
    down();
  }

  std::vector<double> law_of(const Scope& part) const {
    const Clique& c = cliques_[first_of(part)];
    std::vector<double> law(size_of(part), 0.0);
    const Places places(c.all, part, states_);
    places.each(0, c.values.size() / places.block(), [&](Index entry, Index at) { law[at] += c.values[entry]; });
    return law;
  }

 private:
  /// The one that goes first.
  Index first_of(const Scope& units) const {
    return *std::ranges::min_element(units, {}, [&](Index u) { return position_[u]; });
  }
  Index size_of(const Scope& units) const {
    Index size = 1;
    for (const Index u : units) size *= states_[u];
    return size;
  }

  /// The neighbors of v once u is gone, which leaves those of u coupled with each other.
  static void join(std::vector<Index>& of_v, const std::vector<Index>& of_u, Index u, Index v) {
    std::vector<Index> all;
    std::ranges::sort(of_v);
    std::ranges::set_union(of_v, of_u, std::back_inserter(all));
    std::erase_if(all, [&](Index w) { return w == u || w == v; });
    of_v = std::move(all);
  }

  template <class Body>
  void for_each_block(const Clique& c, const Places& places, const Body& body) const {
    executor_.for_each_piece(c.values.size() / places.block(), std::max<Index>(1, 8192 / places.block()),
                             [&](Index first, Index last) { places.each(first, last, body); });
  }
  void add(Clique& c, const Scope& part, const std::vector<double>& log_weights) const {
    for_each_block(c, Places(c.all, part, states_), [&](Index entry, Index at) { c.values[entry] += log_weights[at]; });
  }

  /// Log weights are gathered where the first of their units goes, and summed over it.
  void up() {
    std::vector<std::vector<Index>> pairs_of(order_.size());
    for (Index p = 0; p < factors_.pairs.size(); ++p)
      pairs_of[first_of({factors_.pairs[p].units[0], factors_.pairs[p].units[1]})].push_back(p);
    std::vector<std::vector<std::pair<Index, std::vector<double>>>> sums_for(order_.size());
    for (const Index u : order_) {
      executor_.check_stop();
      Clique& c = cliques_[u];
      c.values.assign(size_of(c.all), 0.0);
      add(c, {u}, minus(factors_.single[u]));
      for (const Index p : pairs_of[u])
        add(c, {factors_.pairs[p].units[0], factors_.pairs[p].units[1]}, minus(factors_.pairs[p].energy));
      for (const auto& [child, sums] : std::exchange(sums_for[u], {})) add(c, cliques_[child].scope, sums);
      std::vector<double> sums = normalize(c, states_[u]);
      if (!c.scope.empty()) sums_for[first_of(c.scope)].emplace_back(u, std::move(sums));
    }
  }
  static std::vector<double> minus(std::vector<double> energies) {
    for (double& e : energies) e = -e;
    return energies;
  }
  /// Log weights of the states of the last unit become their shares; returns the logarithms of the sums.
  std::vector<double> normalize(Clique& c, Index states) const {
    std::vector<double> sums(c.values.size() / states);
    executor_.for_each_piece(sums.size(), 4096, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const std::span<double> own = std::span(c.values).subspan(i * states, states);
        sums[i] = logsumexp(own);
        for (double& v : own) v = std::exp(v - sums[i]);
      }
    });
    return sums;
  }

  void down() {
    for (auto u = order_.rbegin(); u != order_.rend(); ++u) {
      executor_.check_stop();
      Clique& c = cliques_[*u];
      if (c.scope.empty()) continue;
      const std::vector<double> law = law_of(c.scope);
      for_each_block(c, Places(c.all, c.scope, states_), [&](Index entry, Index at) { c.values[entry] *= law[at]; });
    }
  }

  const PairwiseFactors& factors_;
  const std::vector<Index>& order_;
  const Executor& executor_;
  std::vector<Clique> cliques_;  ///< of each unit
  std::vector<Index> position_, states_;
};

}  // namespace

Marginals marginals_of(const PairwiseFactors& factors, const std::vector<std::vector<Index>>& neighbors,
                       const EliminationOrder& order, const std::vector<std::array<Index, 2>>& pairs,
                       const Executor& executor) {
  const Cliques cliques(factors, neighbors, order, executor);
  Marginals found{std::vector<std::vector<double>>(factors.size()), std::vector<std::vector<double>>(pairs.size())};
  executor.for_each_piece(factors.size(), 1, [&](Index u, Index) { found.single[u] = cliques.law_of({u}); });
  executor.for_each_piece(pairs.size(), 1, [&](Index p, Index) {
    found.pairs[p] = cliques.law_of({pairs[p][0], pairs[p][1]});
  });
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
