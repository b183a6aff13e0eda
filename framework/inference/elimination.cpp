#include <harmonium/framework/inference/elimination.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What entries of tables are, and how the states of a unit become one of them: their weights are added.
struct LogSum {
  using Entry = double;
  static constexpr bool chooses = false;
  double beta;

  Entry of(double energy) const { return -beta * energy; }
  Entry joined(std::span<const Entry> states) const { return logsumexp(states); }
};

/// The best of them is kept: entries are minus the least energy.
struct Least {
  using Entry = double;
  static constexpr bool chooses = true;

  static Entry of(double energy) { return -energy; }
  static Entry joined(std::span<const Entry> states) { return *std::ranges::max_element(states); }
};

/// Weights are added, and the moments of the energy that they belong to with them.
struct EnergyOfSum {
  using Entry = WeighedEnergy;
  static constexpr bool chooses = false;
  double beta;

  Entry of(double energy) const { return {-beta * energy, energy, 0.0}; }
  static Entry joined(std::span<const Entry> states) { return mixture(states); }
};

/// A function of the states of some units, the last one running fastest.
template <class Entry>
struct Factor {
  std::vector<Index> scope;  ///< ascending
  std::vector<Entry> values;
};

/// Of the state that a unit takes as a function of those that are left when it goes.
struct Choice {
  Index unit = 0;
  std::vector<Index> scope;
  std::vector<std::uint8_t> best;
};

/// One sweep by a rule of the above.
template <class Rule>
class Sweep {
 public:
  using Entry = typename Rule::Entry;

  Sweep(const PairwiseFactors& factors, const EliminationOrder& order, Rule rule, const Executor& executor,
        Display* display = nullptr)
      : rule_(rule), executor_(executor) {
    for (const auto& s : factors.single) states_.push_back(s.size());
    for (Index u = 0; u < factors.size(); ++u) factors_.push_back({{u}, entries_of(factors.single[u])});
    for (const auto& p : factors.pairs) add_pair(p);
    total_ = rule_.of(factors.constant);
    double done = 0.0;
    for (const Index unit : order.units) {
      done += static_cast<double>(eliminate(unit));
      if (display) display->progress(std::min(1.0, done / std::exp2(order.log2_work)), "summing out unit by unit");
    }
  }
  /// log Σ exp(−β E), or minus the least energy, or both moments.
  Entry total() const { return total_; }
  std::vector<std::uint32_t> states() const {
    std::vector<std::uint32_t> x(states_.size(), 0);
    for (auto c = choices_.rbegin(); c != choices_.rend(); ++c) {
      Index at = 0;
      for (const Index u : c->scope) at = at * states_[u] + x[u];
      x[c->unit] = c->best[at];
    }
    return x;
  }

 private:
  std::vector<Entry> entries_of(const std::vector<double>& energies) const {
    std::vector<Entry> entries(energies.size());
    std::ranges::transform(energies, entries.begin(), [&](double e) { return rule_.of(e); });
    return entries;
  }

  void add_pair(const PairwiseFactors::Pair& p) {
    if (p.units[0] < p.units[1]) {
      factors_.push_back({{p.units[0], p.units[1]}, entries_of(p.energy)});
      return;
    }
    Factor<Entry> turned{{p.units[1], p.units[0]}, std::vector<Entry>(p.energy.size())};
    const Index a = states_[p.units[0]], b = states_[p.units[1]];
    for (Index i = 0; i < a; ++i)
      for (Index j = 0; j < b; ++j) turned.values[j * a + i] = rule_.of(p.energy[i * b + j]);
    factors_.push_back(std::move(turned));
  }

  /// By how much the place in `f` moves as each unit of `scope`, or `unit`, takes its next state.
  std::vector<Index> strides(const Factor<Entry>& f, const std::vector<Index>& scope, Index unit,
                             Index& of_unit) const {
    std::vector<Index> strides(scope.size(), 0);
    Index stride = 1;
    of_unit = 0;
    for (Index k = f.scope.size(); k-- > 0; stride *= states_[f.scope[k]]) {
      if (f.scope[k] == unit) of_unit = stride;
      else strides[static_cast<Index>(std::ranges::lower_bound(scope, f.scope[k]) - scope.begin())] = stride;
    }
    return strides;
  }

  /// Returns how many terms were summed.
  Index eliminate(Index unit) {
    std::vector<Factor<Entry>> met;
    for (auto f = factors_.begin(); f != factors_.end();) {
      const auto next = std::next(f);
      if (std::ranges::binary_search(f->scope, unit)) {
        met.push_back(std::move(*f));
        factors_.erase(f);
      }
      f = next;
    }
    Factor<Entry> left;
    for (const Factor<Entry>& f : met) left.scope.insert(left.scope.end(), f.scope.begin(), f.scope.end());
    std::ranges::sort(left.scope);
    left.scope.erase(std::unique(left.scope.begin(), left.scope.end()), left.scope.end());
    std::erase(left.scope, unit);
    Index size = 1;
    for (const Index u : left.scope) size *= states_[u];
    left.values.resize(size);
    Choice choice{unit, left.scope, {}};
    if (Rule::chooses) choice.best.resize(size);
    executor_.for_each_piece(size, 4096, [&](Index begin, Index end) { fill(met, unit, begin, end, left, choice); });
    if (Rule::chooses) choices_.push_back(std::move(choice));
    if (left.scope.empty()) total_ += left.values[0];
    else factors_.push_back(std::move(left));
    return size * states_[unit];
  }

  /// The entries [begin, end) of the table that is left.
  void fill(const std::vector<Factor<Entry>>& met, Index unit, Index begin, Index end, Factor<Entry>& left,
            Choice& choice) const {
    const Index n = left.scope.size(), q = states_[unit];
    std::vector<std::vector<Index>> steps(met.size());
    std::vector<Index> of_unit(met.size()), at(met.size(), 0), digit(n, 0);
    for (Index f = 0; f < met.size(); ++f) steps[f] = strides(met[f], left.scope, unit, of_unit[f]);
    Index rest = begin;
    for (Index k = n; k-- > 0; rest /= states_[left.scope[k]]) digit[k] = rest % states_[left.scope[k]];
    for (Index f = 0; f < met.size(); ++f)
      for (Index k = 0; k < n; ++k) at[f] += digit[k] * steps[f][k];
    std::vector<Entry> of_states(q);
    for (Index i = begin; i < end; ++i) {
      for (Index s = 0; s < q; ++s) {
        Entry sum{};
        for (Index f = 0; f < met.size(); ++f) sum += met[f].values[at[f] + s * of_unit[f]];
        of_states[s] = sum;
      }
      left.values[i] = rule_.joined(of_states);
      if constexpr (Rule::chooses)
        choice.best[i] = static_cast<std::uint8_t>(std::ranges::max_element(of_states) - of_states.begin());
      for (Index k = n; k-- > 0;) {
        const Index u = left.scope[k];
        const bool over = ++digit[k] == states_[u];
        for (Index f = 0; f < met.size(); ++f) over ? at[f] -= (states_[u] - 1) * steps[f][k] : at[f] += steps[f][k];
        if (!over) break;
        digit[k] = 0;
      }
    }
  }

  Rule rule_;
  const Executor& executor_;
  std::vector<Index> states_;
  std::list<Factor<Entry>> factors_;
  std::vector<Choice> choices_;
  Entry total_{};
};

/// A unit of one state makes no table larger.
void drop_held(std::vector<std::vector<Index>>& neighbors, const std::vector<std::optional<Index>>& held) {
  for (Index u = 0; u < neighbors.size(); ++u) {
    if (held[u]) neighbors[u].clear();
    else std::erase_if(neighbors[u], [&](Index other) { return held[other].has_value(); });
  }
}

/// Integrating over a normal unit leaves a coupling of each two that it is coupled with. Throws by `refuse` where these are
/// so many that they alone make too large a table.
template <class Refuse>
void integrate_over(const Layout& layout, std::vector<std::vector<Index>>& neighbors, double max_bits,
                    const Refuse& refuse) {
  Index unit = 0;
  for (const Layer& layer : layout.layers())
    for (Index u = 0; u < layer.size; ++u, ++unit) {
      if (layer.unit->num_states() > 0) continue;
      const std::vector<Index> partners = std::exchange(neighbors[unit], {});
      if (const double others = static_cast<double>(partners.size()) - 1.0; others > max_bits)
        refuse("at least ", others);
      for (const Index p : partners) {
        std::erase(neighbors[p], unit);
        for (const Index other : partners)
          if (other != p) neighbors[p].push_back(other);
        std::ranges::sort(neighbors[p]);
        neighbors[p].erase(std::unique(neighbors[p].begin(), neighbors[p].end()), neighbors[p].end());
      }
    }
}

}  // namespace

Elimination::Elimination(const EnergyModel& model, double max_bits, const HeldState* held) {
  const auto refuse = [&](const char* how, double bits) {
    throw CapabilityError(fmt::format(
        "summing units out one by one would take a table of {}2^{:.4g} entries, more than the limit of 2^{:g} "
        "(option max_bits). Take a model with fewer couplings, or 'ais'.",
        how, bits, max_bits));
  };
  std::vector<std::vector<Index>> neighbors = coupling_graph(model);
  std::vector<std::optional<Index>> numbers;
  if (held) {
    numbers = numbers_of_held(model.layout(), *held);
    drop_held(neighbors, numbers);
  }
  integrate_over(model.layout(), neighbors, max_bits, refuse);
  // Every other unit has two states or more.
  if (const auto bits = static_cast<double>(degeneracy(neighbors)); bits > max_bits) refuse("at least ", bits);
  factors_ = PairwiseFactors::of(model);
  if (held) factors_.hold(numbers);
  std::vector<Index> states;
  for (const auto& s : factors_.single) states.push_back(s.size());
  order_ = EliminationOrder::of(neighbors, states);
  if (order_.log2_largest > max_bits) refuse("", order_.log2_largest);
}

double Elimination::log_sum(double beta, const Executor& executor, Display* display) const {
  return Sweep(factors_, order_, LogSum{beta}, executor, display).total() + factors_.normal.log_volume(beta);
}

WeighedEnergy Elimination::energy(double beta, const Executor& executor, Display* display) const {
  WeighedEnergy all = Sweep(factors_, order_, EnergyOfSum{beta}, executor, display).total();
  // What k normal units add is independent of the states, ½ k/β and ½ k/β² (state_energies.hpp).
  if (const auto k = static_cast<double>(factors_.normal.units().size()); k > 0.0)
    all += {factors_.normal.log_volume(beta), 0.5 * k / beta, 0.5 * k / (beta * beta)};
  return all;
}

Elimination::GroundState Elimination::ground_state(const Executor& executor, Display* display) const {
  const Sweep sweep(factors_, order_, Least{}, executor, display);
  GroundState ground;
  ground.states = sweep.states();
  ground.energy = factors_.energy(ground.states);
  ground.normal = factors_.normal;
  return ground;
}

Chains Elimination::GroundState::row(const Layout& layout) const {
  Chains one(layout, 1);
  write_states(layout, states, one, 0);
  normal.put_means(one);
  return one;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
