#include <harmonium/framework/inference/recombination.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/pairwise_factors.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

struct Unit {
  LayerId layer;
  Index first, width;  ///< columns
};

/// Rows, the lowest energy first, without those that are equal to another.
std::vector<Index> distinct_rows(const Layout& layout, const Chains& chains, std::span<const double> energy) {
  const auto before = [&](Index a, Index b) {
    if (energy[a] != energy[b]) return energy[a] < energy[b];
    for (const LayerId l : layout.ids())
      if (const auto x = chains.read(l)[a], y = chains.read(l)[b]; !std::ranges::equal(x, y))
        return std::ranges::lexicographical_compare(x, y);
    return false;
  };
  std::vector<Index> rows(chains.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  std::ranges::sort(rows, before);
  rows.erase(std::unique(rows.begin(), rows.end(), [&](Index a, Index b) { return !before(a, b); }), rows.end());
  return rows;
}

/// So many of the rows, evenly spread, the first one among them.
std::vector<Index> spread(const std::vector<Index>& rows, Index most) {
  if (rows.size() <= most) return rows;
  std::vector<Index> some;
  some.reserve(most);
  for (Index k = 0; k < most; ++k) some.push_back(rows[k * rows.size() / most]);
  return some;
}

/// A row that takes clusters of others.
class Recombination {
 public:
  /// `neighbors`: of the units, which must outlive it.
  Recombination(const EnergyModel& model, const std::vector<std::vector<Index>>& neighbors, const Chains& chains,
                Index row, double energy)
      : model_(model), made_(model.layout(), 1), lowest_(energy), neighbors_(neighbors) {
    const Layout& layout = model.layout();
    for (const LayerId l : layout.ids()) {
      const Index width = layout[l].unit->width();
      for (Index u = 0; u < layout[l].size; ++u) units_.push_back({l, u * width, width});
    }
    made_.copy_to_all(layout.all(), chains, row);
    mirrors_ = is_symmetric();
  }

  /// Takes from `rows` of `chains`, again and again, what lowers the energy.
  void take_until_none_is_lower(const Chains& chains, std::span<const Index> rows, const Executor& executor) {
    for (bool lower = true; lower;) {
      lower = false;
      for (const Index r : rows) {
        executor.check_stop();
        lower = take(chains, r, false) || lower;
        if (mirrors_) lower = take(chains, r, true) || lower;
      }
    }
  }

  double lowest() const { return lowest_; }
  const Chains& made() const { return made_; }

 private:
  /// Whether all units have two states and the row's energy is the same where each has its other one. What is taken is judged by the
  /// energy: by chance the same, it costs time alone.
  bool is_symmetric() const {
    const auto two_states = [](const Layer& layer) {
      return layer.unit->num_states() == 2 && layer.unit->width() == 1;
    };
    if (!std::ranges::all_of(model_.layout().layers(), two_states)) return false;
    Chains turned(model_.layout(), 1);
    for (const Unit& u : units_) copy(u, made_, 0, true, turned, 0);
    double energy = 0.0;
    model_.energy(turned, {&energy, 1});
    return std::abs(energy - lowest_) <= 1e-9 * (1.0 + std::abs(lowest_));
  }

  static std::span<const Real> state(const Chains& chains, Index row, const Unit& u) {
    return chains.read(u.layer)[row].subspan(u.first, u.width);
  }

  /// Row `to_row` of `to` has the unit as row `row` of `chains` has it, or in its other state.
  void copy(const Unit& u, const Chains& chains, Index row, bool mirrored, Chains& to, Index to_row) const {
    const std::span<const Real> from = state(chains, row, u);
    Real* const at = to.write(u.layer).row(to_row) + u.first;
    std::ranges::copy(from, at);
    if (!mirrored) return;
    const UnitType& unit = *model_.layout()[u.layer].unit;
    *at = static_cast<Real>(unit.min() + unit.max()) - *at;
  }

  /// The units in which the row differs from another, or from that mirrored, cluster by cluster.
  std::vector<std::vector<Index>> clusters(const Chains& chains, Index other, bool mirrored) const {
    std::vector<Index> root(units_.size());
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index u) {
      while (root[u] != u) u = root[u] = root[root[u]];
      return u;
    };
    std::vector<char> differ(units_.size());
    std::ranges::transform(units_, differ.begin(), [&](const Unit& u) {
      return std::ranges::equal(state(made_, 0, u), state(chains, other, u)) == mirrored ? 1 : 0;
    });
    for (Index u = 0; u < units_.size(); ++u)
      if (differ[u])
        for (const Index v : neighbors_[u])
          if (differ[v]) root[find(u)] = find(v);
    std::map<Index, std::vector<Index>> by_root;
    for (Index u = 0; u < units_.size(); ++u)
      if (differ[u]) by_root[find(u)].push_back(u);
    std::vector<std::vector<Index>> all;
    all.reserve(by_root.size());
    for (auto& entry : by_root) all.push_back(std::move(entry.second));
    return all;
  }

  /// Takes the clusters of another row that lower the energy; whether any did.
  bool take(const Chains& chains, Index other, bool mirrored) {
    const std::vector<std::vector<Index>> parts = clusters(chains, other, mirrored);
    if (parts.empty()) return false;
    // One row for each cluster, and a last one with all that is good.
    Chains tried(model_.layout(), parts.size() + 1);
    tried.copy_to_all(model_.layout().all(), made_, 0);
    for (Index p = 0; p < parts.size(); ++p)
      for (const Index u : parts[p]) copy(units_[u], chains, other, mirrored, tried, p);
    std::vector<double> energy(tried.size());
    model_.energy({tried, 0, parts.size()}, energy);
    const double lower = lowest_ - 1e-12 * (1.0 + std::abs(lowest_));  // by more than rounding
    for (Index p = 0; p < parts.size(); ++p)
      if (energy[p] < lower)
        for (const Index u : parts[p]) copy(units_[u], chains, other, mirrored, tried, parts.size());
    const ConstChainView all_good{tried, parts.size(), parts.size() + 1};
    model_.energy(all_good, std::span(energy).subspan(parts.size()));
    if (!(energy[parts.size()] < lower)) return false;
    lowest_ = energy[parts.size()];
    made_.copy_rows(model_.layout().all(), all_good, 0);
    return true;
  }

  const EnergyModel& model_;
  Chains made_;
  double lowest_;
  std::vector<Unit> units_;
  const std::vector<std::vector<Index>>& neighbors_;
  bool mirrors_ = false;
};

}  // namespace

Chains recombine(const EnergyModel& model, const Chains& chains, const Executor& executor) {
  if (chains.size() == 0) throw CapabilityError("recombine: there are no rows, and none to make of them. Give some.");
  std::vector<double> energy(chains.size());
  model.energy(chains, energy);
  constexpr Index most_rows = 1000, most_bases = 8;
  const std::vector<Index> rows = spread(distinct_rows(model.layout(), chains, energy), most_rows);
  const std::vector<Index> bases = spread(rows, most_bases);
  const Index number = bases.size();
  const std::vector<std::vector<Index>> neighbors = coupling_graph(model);
  Chains made(model.layout(), number);
  std::vector<double> lowest(number);
  std::vector<Index> all(number);
  std::iota(all.begin(), all.end(), Index{0});
  for (const Index k : all) {
    Recombination one(model, neighbors, chains, bases[k], energy[bases[k]]);
    one.take_until_none_is_lower(chains, rows, executor);
    made.copy_rows(model.layout().all(), one.made(), k);
    lowest[k] = one.lowest();
  }
  const auto best = static_cast<Index>(std::ranges::min_element(lowest) - lowest.begin());
  Recombination last(model, neighbors, made, best, lowest[best]);
  last.take_until_none_is_lower(made, all, executor);
  return last.made();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
