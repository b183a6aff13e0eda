#include <harmonium/framework/inference/elimination.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/numerics.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A function of the states of some units, the last one running fastest.
struct Factor {
  std::vector<Index> scope;  ///< ascending
  std::vector<double> values;
};

/// Of the state that a unit takes as a function of those that are left when it goes.
struct Choice {
  Index unit = 0;
  std::vector<Index> scope;
  std::vector<std::uint8_t> best;
};

/// One sweep. `beta` > 0 sums exp(−β E); without it the least energy is taken, and what takes it is kept.
class Sweep {
 public:
  Sweep(const PairwiseFactors& factors, const EliminationOrder& order, std::optional<double> beta,
        const Executor& executor)
      : beta_(beta), executor_(executor) {
    for (const auto& s : factors.single) states_.push_back(s.size());
    for (Index u = 0; u < factors.size(); ++u) factors_.push_back({{u}, factors.single[u]});
    for (const auto& p : factors.pairs) add_pair(p);
    for (Factor& f : factors_)
      for (double& v : f.values) v *= -beta_.value_or(1.0);
    total_ = -beta_.value_or(1.0) * factors.constant;
    for (const Index unit : order.units) eliminate(unit);
  }
  /// log Σ exp(−β E), or minus the least energy.
  double total() const { return total_; }
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
  void add_pair(const PairwiseFactors::Pair& p) {
    if (p.units[0] < p.units[1]) {
      factors_.push_back({{p.units[0], p.units[1]}, p.energy});
      return;
    }
    Factor turned{{p.units[1], p.units[0]}, std::vector<double>(p.energy.size())};
    const Index a = states_[p.units[0]], b = states_[p.units[1]];
    for (Index i = 0; i < a; ++i)
      for (Index j = 0; j < b; ++j) turned.values[j * a + i] = p.energy[i * b + j];
    factors_.push_back(std::move(turned));
  }

  /// By how much the place in `f` moves as each unit of `scope`, or `unit`, takes its next state.
  std::vector<Index> strides(const Factor& f, const std::vector<Index>& scope, Index unit, Index& of_unit) const {
    std::vector<Index> strides(scope.size(), 0);
    Index stride = 1;
    of_unit = 0;
    for (Index k = f.scope.size(); k-- > 0; stride *= states_[f.scope[k]]) {
      if (f.scope[k] == unit) of_unit = stride;
      else strides[static_cast<Index>(std::ranges::lower_bound(scope, f.scope[k]) - scope.begin())] = stride;
    }
    return strides;
  }

  void eliminate(Index unit) {
    std::vector<Factor> met;
    for (auto f = factors_.begin(); f != factors_.end();) {
      const auto next = std::next(f);
      if (std::ranges::binary_search(f->scope, unit)) {
        met.push_back(std::move(*f));
        factors_.erase(f);
      }
      f = next;
    }
    Factor left;
    for (const Factor& f : met) left.scope.insert(left.scope.end(), f.scope.begin(), f.scope.end());
    std::ranges::sort(left.scope);
    left.scope.erase(std::unique(left.scope.begin(), left.scope.end()), left.scope.end());
    std::erase(left.scope, unit);
    Index size = 1;
    for (const Index u : left.scope) size *= states_[u];
    left.values.resize(size);
    Choice choice{unit, left.scope, {}};
    if (!beta_) choice.best.resize(size);
    executor_.for_each_piece(size, 4096, [&](Index begin, Index end) { fill(met, unit, begin, end, left, choice); });
    if (!beta_) choices_.push_back(std::move(choice));
    if (left.scope.empty()) total_ += left.values[0];
    else factors_.push_back(std::move(left));
  }

  /// The entries [begin, end) of the table that is left.
  void fill(const std::vector<Factor>& met, Index unit, Index begin, Index end, Factor& left, Choice& choice) const {
    const Index n = left.scope.size(), q = states_[unit];
    std::vector<std::vector<Index>> steps(met.size());
    std::vector<Index> of_unit(met.size()), at(met.size(), 0), digit(n, 0);
    for (Index f = 0; f < met.size(); ++f) steps[f] = strides(met[f], left.scope, unit, of_unit[f]);
    Index rest = begin;
    for (Index k = n; k-- > 0; rest /= states_[left.scope[k]]) digit[k] = rest % states_[left.scope[k]];
    for (Index f = 0; f < met.size(); ++f)
      for (Index k = 0; k < n; ++k) at[f] += digit[k] * steps[f][k];
    std::vector<double> log_weights(q);
    for (Index i = begin; i < end; ++i) {
      for (Index s = 0; s < q; ++s) {
        double sum = 0.0;
        for (Index f = 0; f < met.size(); ++f) sum += met[f].values[at[f] + s * of_unit[f]];
        log_weights[s] = sum;
      }
      if (beta_) left.values[i] = logsumexp(log_weights);
      else {
        const auto max = std::ranges::max_element(log_weights);
        left.values[i] = *max;
        choice.best[i] = static_cast<std::uint8_t>(max - log_weights.begin());
      }
      for (Index k = n; k-- > 0;) {
        const Index u = left.scope[k];
        const bool over = ++digit[k] == states_[u];
        for (Index f = 0; f < met.size(); ++f) over ? at[f] -= (states_[u] - 1) * steps[f][k] : at[f] += steps[f][k];
        if (!over) break;
        digit[k] = 0;
      }
    }
  }

  std::optional<double> beta_;
  const Executor& executor_;
  std::vector<Index> states_;
  std::list<Factor> factors_;
  std::vector<Choice> choices_;
  double total_ = 0.0;
};

}  // namespace

Elimination::Elimination(const EnergyModel& model, double max_bits) {
  const auto refuse = [&](const char* how, double bits) {
    throw CapabilityError(fmt::format(
        "summing units out one by one would take a table of {}2^{:.4g} entries, more than the limit of 2^{:g} "
        "(option max_bits). Take a model with fewer couplings, or 'ais'.",
        how, bits, max_bits));
  };
  const std::vector<std::vector<Index>> neighbors = coupling_graph(model);
  // Every unit has two states or more.
  if (const auto bits = static_cast<double>(degeneracy(neighbors)); bits > max_bits) refuse("at least ", bits);
  factors_ = PairwiseFactors::of(model);
  std::vector<Index> states;
  for (const auto& s : factors_.single) states.push_back(s.size());
  order_ = EliminationOrder::of(neighbors, states);
  if (order_.log2_largest > max_bits) refuse("", order_.log2_largest);
}

double Elimination::log_sum(double beta, const Executor& executor) const {
  return Sweep(factors_, order_, beta, executor).total();
}

Elimination::GroundState Elimination::ground_state(const Executor& executor) const {
  const Sweep sweep(factors_, order_, {}, executor);
  GroundState ground;
  ground.states = sweep.states();
  ground.energy = factors_.energy(ground.states);
  return ground;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
