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

/// Of each row the one in which every unit has its other state; empty where units have more than two, or where that changes an energy.
Chains mirrored(const EnergyModel& model, const Chains& chains, std::span<const double> energy) {
  const Layout& layout = model.layout();
  const Chains none(layout, 0);
  for (const Layer& layer : layout.layers())
    if (layer.unit->num_states() != 2 || layer.unit->width() != 1) return none;
  Chains others(layout, chains.size());
  for (const LayerId l : layout.ids()) {
    const Real both = static_cast<Real>(layout[l].unit->min() + layout[l].unit->max());
    const ConstMatrixRef x = chains.read(l);
    const MatrixRef y = others.write(l);
    for (Index r = 0; r < chains.size(); ++r)
      std::transform(x.row(r), x.row(r) + x.cols, y.row(r), [&](Real state) { return both - state; });
  }
  std::vector<double> energy_of_others(chains.size());
  model.energy(others, energy_of_others);
  const auto alike = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(a)); };
  return std::ranges::equal(energy, energy_of_others, alike) ? others : none;
}

/// A row that takes clusters of others.
class Recombination {
 public:
  Recombination(const EnergyModel& model, Chains& chains, Index row, double energy)
      : model_(model), chains_(chains), row_(row), lowest_(energy), neighbors_(coupling_graph(model)) {
    const Layout& layout = model.layout();
    for (const LayerId l : layout.ids()) {
      const Index width = layout[l].unit->width();
      for (Index u = 0; u < layout[l].size; ++u) units_.push_back({l, u * width, width});
    }
  }

  /// Takes from each row of `others` what lowers the energy; whether any had something.
  bool take_all(const Chains& others) {
    bool lower = false;
    for (Index r = 0; r < others.size(); ++r) lower = take(others, r) || lower;
    return lower;
  }

 private:
  bool differs(const Chains& others, Index other, const Unit& u) const {
    const ConstMatrixRef mine = chains_.read(u.layer).columns(u.first, u.first + u.width),
                         theirs = others.read(u.layer).columns(u.first, u.first + u.width);
    return !std::ranges::equal(mine[row_], theirs[other]);
  }

  /// The units in which the row differs from another, cluster by cluster.
  std::vector<std::vector<Index>> clusters(const Chains& others, Index other) const {
    std::vector<Index> root(units_.size());
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index u) {
      while (root[u] != u) u = root[u] = root[root[u]];
      return u;
    };
    std::vector<char> differ(units_.size());
    std::ranges::transform(units_, differ.begin(), [&](const Unit& u) { return differs(others, other, u) ? 1 : 0; });
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

  static void copy(const Unit& u, const Chains& from, Index from_row, Chains& to, Index to_row) {
    std::copy_n(from.read(u.layer).row(from_row) + u.first, u.width, to.write(u.layer).row(to_row) + u.first);
  }

  /// Takes the clusters of another row that lower the energy; whether any did.
  bool take(const Chains& others, Index other) {
    const std::vector<std::vector<Index>> parts = clusters(others, other);
    if (parts.empty()) return false;
    // One row for each cluster, and a last one with all that is good.
    Chains tried(model_.layout(), parts.size() + 1);
    tried.copy_to_all(model_.layout().all(), chains_, row_);
    for (Index p = 0; p < parts.size(); ++p)
      for (const Index u : parts[p]) copy(units_[u], others, other, tried, p);
    std::vector<double> energy(tried.size());
    model_.energy({tried, 0, parts.size()}, energy);
    for (Index p = 0; p < parts.size(); ++p)
      if (energy[p] < lowest_)
        for (const Index u : parts[p]) copy(units_[u], others, other, tried, parts.size());
    const ConstChainView all_good{tried, parts.size(), parts.size() + 1};
    model_.energy(all_good, std::span(energy).subspan(parts.size()));
    if (!(energy[parts.size()] < lowest_)) return false;
    lowest_ = energy[parts.size()];
    chains_.copy_rows(model_.layout().all(), all_good, row_);
    return true;
  }

  const EnergyModel& model_;
  Chains& chains_;
  Index row_;
  double lowest_;
  std::vector<Unit> units_;
  std::vector<std::vector<Index>> neighbors_;
};

}  // namespace

Index recombine(const EnergyModel& model, Chains& chains) {
  if (chains.size() == 0) throw CapabilityError("recombine: there are no rows, and none to make of them. Give some.");
  std::vector<double> energy(chains.size());
  model.energy(chains, energy);
  const Chains others = mirrored(model, chains, energy);
  const auto best = static_cast<Index>(std::ranges::min_element(energy) - energy.begin());
  Recombination made(model, chains, best, energy[best]);
  bool lower = true;
  while (lower) {
    const bool by_rows = made.take_all(chains), by_others = made.take_all(others);
    lower = by_rows || by_others;
  }
  return best;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
