#include <harmonium/framework/inference/recombination.hpp>

#include <algorithm>
#include <map>
#include <numeric>
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

class Recombination {
 public:
  Recombination(const EnergyModel& model, Chains& chains)
      : model_(model), chains_(chains), neighbors_(coupling_graph(model)) {
    const Layout& layout = model.layout();
    for (const LayerId l : layout.ids()) {
      const Index width = layout[l].unit->width();
      for (Index u = 0; u < layout[l].size; ++u) units_.push_back({l, u * width, width});
    }
  }

  Index run() {
    std::vector<double> energy(chains_.size());
    model_.energy(chains_, energy);
    const auto best = static_cast<Index>(std::ranges::min_element(energy) - energy.begin());
    double lowest = energy[best];
    for (bool lower = true; lower;) {
      lower = false;
      for (Index r = 0; r < chains_.size(); ++r)
        if (r != best) lower = take(best, r, lowest) || lower;
    }
    return best;
  }

 private:
  bool differ(Index a, Index b, const Unit& u) const {
    const ConstMatrixRef x = chains_.read(u.layer).columns(u.first, u.first + u.width);
    return !std::ranges::equal(x[a], x[b]);
  }

  /// The units in which two rows differ, cluster by cluster.
  std::vector<std::vector<Index>> clusters(Index a, Index b) const {
    std::vector<Index> root(units_.size());
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index u) {
      while (root[u] != u) u = root[u] = root[root[u]];
      return u;
    };
    std::vector<char> differs(units_.size());
    std::ranges::transform(units_, differs.begin(), [&](const Unit& u) { return differ(a, b, u) ? 1 : 0; });
    for (Index u = 0; u < units_.size(); ++u)
      for (const Index v : neighbors_[u])
        if (differs[u] && differs[v]) root[find(u)] = find(v);
    std::map<Index, std::vector<Index>> by_root;
    for (Index u = 0; u < units_.size(); ++u)
      if (differs[u]) by_root[find(u)].push_back(u);
    std::vector<std::vector<Index>> all;
    all.reserve(by_root.size());
    for (auto& entry : by_root) all.push_back(std::move(entry.second));
    return all;
  }

  static void copy(const Unit& u, const Chains& from, Index from_row, Chains& to, Index to_row) {
    std::copy_n(from.read(u.layer).row(from_row) + u.first, u.width, to.write(u.layer).row(to_row) + u.first);
  }

  /// Row `best` takes from row `other` the clusters that lower it; whether any did.
  bool take(Index best, Index other, double& lowest) {
    const std::vector<std::vector<Index>> parts = clusters(best, other);
    if (parts.empty()) return false;
    // One row for each cluster, and a last one with all that is good.
    Chains tried(model_.layout(), parts.size() + 1);
    tried.copy_to_all(model_.layout().all(), chains_, best);
    for (Index p = 0; p < parts.size(); ++p)
      for (const Index u : parts[p]) copy(units_[u], chains_, other, tried, p);
    std::vector<double> energy(tried.size());
    model_.energy({tried, 0, parts.size()}, energy);
    for (Index p = 0; p < parts.size(); ++p)
      if (energy[p] < lowest)
        for (const Index u : parts[p]) copy(units_[u], chains_, other, tried, parts.size());
    model_.energy({tried, parts.size(), parts.size() + 1}, std::span(energy).subspan(parts.size()));
    if (!(energy[parts.size()] < lowest)) return false;
    lowest = energy[parts.size()];
    chains_.copy_rows(model_.layout().all(), {tried, parts.size(), parts.size() + 1}, best);
    return true;
  }

  const EnergyModel& model_;
  Chains& chains_;
  std::vector<Unit> units_;
  std::vector<std::vector<Index>> neighbors_;
};

}  // namespace

Index recombine(const EnergyModel& model, Chains& chains) {
  if (chains.size() == 0) throw CapabilityError("recombine: there are no rows, and none to make of them. Give some.");
  return Recombination(model, chains).run();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
