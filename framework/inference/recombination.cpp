#include <harmonium/framework/inference/recombination.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/pairwise_factors.hpp>
#include <harmonium/framework/model/per_layer.hpp>
#include <harmonium/framework/model/unit_buffer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

struct Unit {
  LayerId layer;
  Index first, width;  ///< columns
  Index block, at;     ///< where it stands among the blocks of the conditionals
};

/// The units of a model, and which are coupled with which.
struct Graph {
  explicit Graph(const EnergyModel& model) : neighbors(coupling_graph(model)) {
    const Layout& layout = model.layout();
    PerLayer<Index> first(layout.size());
    for (const LayerId l : layout.ids()) {
      const Index width = layout[l].unit->width();
      first[l] = units.size();
      for (Index u = 0; u < layout[l].size; ++u) units.push_back({l, u * width, width, 0, 0});
    }
    const std::vector<Block>& blocks = model.block_conditionals()->blocks();
    for (Index b = 0; b < blocks.size(); ++b)
      for (Index k = 0; k < blocks[b].size; ++k) {
        Unit& unit = units[first[blocks[b].layer] + (blocks[b].whole() ? k : blocks[b].units[k])];
        unit.block = b;
        unit.at = k;
      }
  }
  std::vector<Unit> units;
  std::vector<std::vector<Index>> neighbors;
};

/// What the states of each unit weigh in one row, given all other units of it.
class Weights {
 public:
  explicit Weights(const EnergyModel& model) : conditionals_(*model.block_conditionals()) {
    for (const Block& b : conditionals_.blocks()) {
      const UnitType& unit = *model.layout()[b.layer].unit;
      fields_.emplace_back(unit, 1, b.size * unit.width());
    }
  }
  void take(ConstChainView row) {
    const std::vector<Block>& blocks = conditionals_.blocks();
    for (Index b = 0; b < blocks.size(); ++b)
      conditionals_.fields(blocks[b], 0, blocks[b].size, row, fields_[b].fields());
  }
  /// log of the weight of one state over another.
  double log_ratio(const Unit& u, std::span<const Real> state, std::span<const Real> other) const {
    const ConstFields fields = std::as_const(fields_[u.block]).fields();
    return log_weight(fields, 0, u.at * u.width, state) - log_weight(fields, 0, u.at * u.width, other);
  }

 private:
  const BlockConditionals& conditionals_;
  std::vector<UnitBuffer> fields_;
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
  /// `graph` must outlive it.
  Recombination(const EnergyModel& model, const Graph& graph, const Chains& chains, Index row, double energy)
      : model_(model),
        graph_(graph),
        made_(model.layout(), 1),
        taken_(model.layout(), 1),
        lowest_(energy),
        of_made_(model),
        of_other_(model),
        differ_(graph.units.size()) {
    made_.copy_to_all(model.layout().all(), chains, row);
    mirrors_ = is_symmetric();
    of_made_.take(made_);
  }

  /// Takes from `rows` of `chains`, of these energies, again and again, what lowers the energy.
  void take_until_none_is_lower(const Chains& chains, std::span<const Index> rows, std::span<const double> energy,
                                const Executor& executor) {
    for (bool lower = true; lower;) {
      lower = false;
      for (const Index r : rows) {
        executor.check_stop();
        lower = take(chains, r, energy[r], false) || lower;
        if (mirrors_) lower = take(chains, r, energy[r], true) || lower;
      }
    }
  }

  double lowest() const { return lowest_; }
  const Chains& made() const { return made_; }

 private:
  /// Whether all units have two states and the row's energy is the same where each has its other one. What is taken is judged by the
  /// energy: by chance the same, it costs time alone.
  bool is_symmetric() {
    const auto two_states = [](const Layer& layer) {
      return layer.unit->num_states() == 2 && layer.unit->width() == 1;
    };
    if (!std::ranges::all_of(model_.layout().layers(), two_states)) return false;
    for (const Unit& u : graph_.units) copy(u, made_, 0, true);
    return std::abs(energy_of_taken() - lowest_) <= 1e-9 * (1.0 + std::abs(lowest_));
  }

  static std::span<const Real> state(const Chains& chains, Index row, const Unit& u) {
    return chains.read(u.layer)[row].subspan(u.first, u.width);
  }
  double energy_of_taken() const {
    double energy = 0.0;
    model_.energy(taken_, {&energy, 1});
    return energy;
  }
  /// By more than rounding.
  bool is_lower(double energy) const { return energy < lowest_ - 1e-12 * (1.0 + std::abs(lowest_)); }

  /// The row in work has the unit as row `row` of `chains` has it, or in its other state.
  void copy(const Unit& u, const Chains& chains, Index row, bool mirrored) {
    const std::span<const Real> from = state(chains, row, u);
    Real* const at = taken_.write(u.layer).row(0) + u.first;
    std::ranges::copy(from, at);
    if (!mirrored) return;
    const UnitType& unit = *model_.layout()[u.layer].unit;
    *at = static_cast<Real>(unit.min() + unit.max()) - *at;
  }

  /// The units in which the row differs from another, or from that mirrored, cluster by cluster.
  std::vector<std::vector<Index>> clusters(const Chains& chains, Index other, bool mirrored) {
    const std::vector<Unit>& units = graph_.units;
    for (Index u = 0; u < units.size(); ++u)
      differ_[u] = std::ranges::equal(state(made_, 0, units[u]), state(chains, other, units[u])) == mirrored ? 1 : 0;
    std::vector<std::vector<Index>> all;
    auto left = std::ranges::count(differ_, 1);
    for (Index u = 0; left > 0; ++u) {
      if (!differ_[u]) continue;
      std::vector<Index>& cluster = all.emplace_back(1, u);
      differ_[u] = 0;
      --left;
      // Where all are coupled the first one's neighbors are all there are.
      for (Index k = 0; k < cluster.size() && left > 0; ++k)
        for (const Index v : graph_.neighbors[cluster[k]]) {
          if (!differ_[v]) continue;
          differ_[v] = 0;
          --left;
          cluster.push_back(v);
        }
    }
    return all;
  }

  /// How much lower the energy is where the units of the cluster are as in the row in work, which is the other one. Of energies that are
  /// sums over pairs, −E changes by Σ_u ½ (log ratio given this row + log ratio given that), as clusters are not coupled.
  double gain(const std::vector<Index>& cluster) const {
    double sum = 0.0;
    for (const Index i : cluster) {
      const Unit& u = graph_.units[i];
      const std::span<const Real> now = state(made_, 0, u), then = state(taken_, 0, u);
      sum += 0.5 * (of_made_.log_ratio(u, then, now) + of_other_.log_ratio(u, then, now));
    }
    return sum;
  }

  /// Takes the clusters of another row that lower the energy; whether any did.
  bool take(const Chains& chains, Index other, double energy, bool mirrored) {
    const std::vector<std::vector<Index>> parts = clusters(chains, other, mirrored);
    // As one the other row is no better than it is.
    if (parts.empty() || (parts.size() == 1 && !is_lower(energy))) return false;
    for (const Unit& u : graph_.units) copy(u, chains, other, mirrored);
    of_other_.take(taken_);
    std::vector<double> gains(parts.size());
    std::ranges::transform(parts, gains.begin(), [&](const auto& cluster) { return gain(cluster); });
    const auto best = static_cast<Index>(std::ranges::max_element(gains) - gains.begin());
    if (!(gains[best] > 0.0)) return false;
    const auto put = [&](const auto& good) {
      taken_.copy_rows(model_.layout().all(), made_, 0);
      for (Index p = 0; p < parts.size(); ++p)
        if (good(p))
          for (const Index u : parts[p]) copy(graph_.units[u], chains, other, mirrored);
      return keep_if_lower();
    };
    // Terms of more than two units may join clusters: then one of them may be good and all not.
    return put([&](Index p) { return gains[p] > 0.0; }) || put([&](Index p) { return p == best; });
  }
  bool keep_if_lower() {
    const double energy = energy_of_taken();
    if (!is_lower(energy)) return false;
    lowest_ = energy;
    made_.copy_rows(model_.layout().all(), taken_, 0);
    of_made_.take(made_);
    return true;
  }

  const EnergyModel& model_;
  const Graph& graph_;
  Chains made_, taken_;  ///< what is made so far, and what is tried
  double lowest_;
  Weights of_made_, of_other_;
  std::vector<char> differ_;
  bool mirrors_ = false;
};

}  // namespace

Chains recombine(const EnergyModel& model, const Chains& chains, const Executor& executor) {
  if (chains.size() == 0) throw CapabilityError("recombine: there are no rows, and none to make of them. Give some.");
  if (!model.block_conditionals())
    throw CapabilityError("recombine: the model offers no block conditionals, by which clusters are weighed.");
  std::vector<double> energy(chains.size());
  model.energy(chains, energy);
  constexpr Index most_rows = 1000, most_bases = 8;
  const std::vector<Index> rows = spread(distinct_rows(model.layout(), chains, energy), most_rows);
  const std::vector<Index> bases = spread(rows, most_bases);
  const Index number = bases.size();
  const Graph graph(model);
  for (const LayerId l : model.layout().ids()) chains.read(l);  // threads may only ask for the form that is current
  std::vector<std::unique_ptr<Recombination>> begun(number);
  executor.for_each_piece(number, 1, [&](Index k, Index) {
    begun[k] = std::make_unique<Recombination>(model, graph, chains, bases[k], energy[bases[k]]);
    begun[k]->take_until_none_is_lower(chains, rows, energy, executor);
  });
  Chains made(model.layout(), number);
  std::vector<double> lowest(number);
  std::vector<Index> all(number);
  std::iota(all.begin(), all.end(), Index{0});
  for (const Index k : all) {
    made.copy_rows(model.layout().all(), begun[k]->made(), k);
    lowest[k] = begun[k]->lowest();
  }
  const auto best = static_cast<Index>(std::ranges::min_element(lowest) - lowest.begin());
  Recombination last(model, graph, made, best, lowest[best]);
  last.take_until_none_is_lower(made, all, lowest, executor);
  return last.made();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
