#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/execution/executor.hpp>
#include <harmonium/framework/inference/elimination.hpp>
#include <harmonium/framework/inference/elimination_table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// One sweep over the units of a graph by a rule (elimination_rules.hpp). Entries of a table are made a block at a time, one table
/// that they are made of after another.
template <class Rule>
class EliminationSweep {
 public:
  using Entry = typename Rule::Entry;

  EliminationSweep(const PairwiseFactors& factors, const EliminationOrder& order, Rule rule, const Executor& executor,
                   Display* display = nullptr)
      : rule_(rule), executor_(executor) {
    for (const auto& s : factors.single) states_.push_back(s.size());
    for (Index u = 0; u < factors.size(); ++u) add_factor({u}, entries_of(factors.single[u]));
    for (const auto& p : factors.pairs) add_pair(p);
    total_ += rule_.result(rule_.of(factors.constant, factors.constant));
    shift(factors.constant);
    double done = 0.0;
    for (const Index unit : order.units) {
      done += static_cast<double>(eliminate(unit));
      if (out_of_range_) return;
      if (display) display->progress(std::min(1.0, done / std::exp2(order.log2_work)), "summing out unit by unit");
    }
  }
  /// Whether terms of scaled sums might have been lost below the range of doubles: there is no total then.
  bool out_of_range() const { return out_of_range_; }
  WeighedEnergy total() const { return total_; }
  /// The best state of each unit, of a rule that chooses.
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
  /// A function of the states of some units, the last one running fastest.
  struct Factor {
    std::vector<Index> scope;  ///< ascending
    EliminationTable<Entry> values;
    BinaryRange range = {};  ///< of scaled ones
  };
  /// Of the state that a unit takes as a function of those that are left when it goes.
  struct Choice {
    Index unit = 0;
    std::vector<Index> scope;
    std::vector<std::uint8_t> best;
  };
  /// How the places in a table follow those in the one that is made.
  struct Places {
    std::vector<Index> steps;  ///< of each unit of the scope, as it takes its next state
    Index of_unit = 0;         ///< of the unit that goes
    std::vector<Index> in_block;
  };

  void shift(double lowest) {
    if constexpr (Rule::scaled) total_.log_weight -= rule_.beta * lowest;
  }

  std::vector<Entry> entries_of(const std::vector<double>& energies) {
    const double lowest = *std::ranges::min_element(energies);
    std::vector<Entry> entries(energies.size());
    std::ranges::transform(energies, entries.begin(), [&](double e) { return rule_.of(e, lowest); });
    shift(lowest);
    return entries;
  }

  void add_pair(const PairwiseFactors::Pair& p) {
    std::vector<Entry> entries = entries_of(p.energy);
    if (p.units[0] < p.units[1]) {
      add_factor({p.units[0], p.units[1]}, entries);
      return;
    }
    std::vector<Entry> turned(entries.size());
    const Index a = states_[p.units[0]], b = states_[p.units[1]];
    for (Index i = 0; i < a; ++i)
      for (Index j = 0; j < b; ++j) turned[j * a + i] = entries[i * b + j];
    add_factor({p.units[1], p.units[0]}, turned);
  }
  void add_factor(std::vector<Index> scope, const std::vector<Entry>& entries) {
    Factor f{std::move(scope), {}};
    f.values.resize(entries.size());
    std::ranges::copy(entries, f.values.all().begin());
    Extremes extremes;
    for (Entry& e : f.values.all()) extremes.take(e);
    add_factor(std::move(f), extremes);
  }

  /// The least and the largest weight, where there are any.
  struct Extremes {
    double least = std::numeric_limits<double>::infinity(), most = 0.0;

    void take(Entry& e) {
      if constexpr (Rule::scaled) {
        least = std::min(least, Rule::weight(e));
        most = std::max(most, Rule::weight(e));
      }
    }
  };

  /// Weights of at most 2^±30 are left as they are.
  void add_factor(Factor f, const Extremes& extremes) {
    if constexpr (Rule::scaled) {
      if (!(extremes.least >= std::numeric_limits<double>::min()) || !std::isfinite(extremes.most)) {
        out_of_range_ = true;
        return;
      }
      f.range = {std::ilogb(extremes.least), std::ilogb(extremes.most)};
      if (const int most = f.range.most; std::abs(most) > 30) {
        const double by = std::ldexp(1.0, -most);
        for (Entry& e : f.values.all()) Rule::weight(e) *= by;
        total_.log_weight += most * std::numbers::ln2;
        f.range = {f.range.least - most, 0};
      }
    }
    factors_.push_back(std::move(f));
  }

  /// Whether no product of their weights leaves the range of normal doubles.
  static bool product_in_range(const std::vector<Factor>& met) {
    double least = 0.0, most = 0.0;
    for (const Factor& f : met) {
      least += f.range.least;
      most += f.range.most + 1;
    }
    return least > -1000.0 && most < 1000.0;
  }

  Places places(const Factor& f, const std::vector<Index>& scope, Index unit, Index block) const {
    Places found;
    found.steps.resize(scope.size(), 0);
    Index stride = 1;
    for (Index k = f.scope.size(); k-- > 0; stride *= states_[f.scope[k]]) {
      if (f.scope[k] == unit) found.of_unit = stride;
      else found.steps[static_cast<Index>(std::ranges::lower_bound(scope, f.scope[k]) - scope.begin())] = stride;
    }
    found.in_block.resize(block);
    for (Index i = 0; i < block; ++i) found.in_block[i] = place_of(i, found.steps, scope);
    return found;
  }
  /// In the other table, of entry `i` of that of this scope.
  Index place_of(Index i, const std::vector<Index>& steps, const std::vector<Index>& scope) const {
    Index at = 0;
    for (Index k = scope.size(); k-- > 0 && i > 0; i /= states_[scope[k]]) at += i % states_[scope[k]] * steps[k];
    return at;
  }

  std::vector<Factor> take_factors_of(Index unit) {
    std::vector<Factor> met;
    for (auto f = factors_.begin(); f != factors_.end();) {
      const auto next = std::next(f);
      if (std::ranges::binary_search(f->scope, unit)) {
        met.push_back(std::move(*f));
        factors_.erase(f);
      }
      f = next;
    }
    return met;
  }

  /// Returns how many terms were summed.
  Index eliminate(Index unit) {
    std::vector<Factor> met = take_factors_of(unit);
    if (Rule::scaled && !product_in_range(met)) {
      out_of_range_ = true;
      return 0;
    }
    Factor left;
    for (const Factor& f : met) left.scope.insert(left.scope.end(), f.scope.begin(), f.scope.end());
    std::ranges::sort(left.scope);
    left.scope.erase(std::unique(left.scope.begin(), left.scope.end()), left.scope.end());
    std::erase(left.scope, unit);
    constexpr Index most_in_block = 256;
    Index size = 1, block = 1;
    for (Index k = left.scope.size(); k-- > 0;) {
      size *= states_[left.scope[k]];
      if (size <= most_in_block) block = size;
    }
    left.values = std::move(spare_);
    left.values.resize(size);
    Choice choice{unit, left.scope, {}};
    if (Rule::chooses) choice.best.resize(size);
    const Extremes extremes = fill(met, unit, block, left, choice);
    if (Rule::chooses) choices_.push_back(std::move(choice));
    if (left.scope.empty()) total_ += rule_.result(left.values.all()[0]);
    else add_factor(std::move(left), extremes);
    spare_ = std::move(std::ranges::max_element(met, {}, [](const Factor& f) { return f.values.size(); })->values);
    return size * states_[unit];
  }

  Extremes fill(const std::vector<Factor>& met, Index unit, Index block, Factor& left, Choice& choice) const {
    std::vector<Places> of_met;
    of_met.reserve(met.size());
    for (const Factor& f : met) of_met.push_back(places(f, left.scope, unit, block));
    const Index blocks = left.values.size() / block, grain = std::max<Index>(1, 4096 / block);
    std::vector<Extremes> extremes((blocks + grain - 1) / grain);
    executor_.for_each_piece(blocks, grain, [&](Index first, Index last) {
      std::vector<Entry> terms(block * states_[unit]);
      Extremes& own = extremes[first / grain];
      for (Index b = first; b < last; ++b) {
        fill_block(met, of_met, unit, b * block, terms, left, choice);
        for (Entry& e : left.values.all().subspan(b * block, block)) own.take(e);
      }
    });
    Extremes all;
    for (const Extremes& e : extremes) {
      all.least = std::min(all.least, e.least);
      all.most = std::max(all.most, e.most);
    }
    return all;
  }

  /// A block of the table that is left, from entry `begin` on.
  void fill_block(const std::vector<Factor>& met, const std::vector<Places>& of_met, Index unit, Index begin,
                  std::vector<Entry>& terms, Factor& left, Choice& choice) const {
    const Index q = states_[unit], block = terms.size() / q;
    for (Index f = 0; f < met.size(); ++f) {
      const Places& places = of_met[f];
      const Entry* const values = met[f].values.data() + place_of(begin, places.steps, left.scope);
      for (Index i = 0; i < block; ++i)
        for (Index s = 0; s < q; ++s) {
          const Entry& value = values[places.in_block[i] + s * places.of_unit];
          if (f == 0) terms[i * q + s] = value;
          else Rule::add(terms[i * q + s], value);
        }
    }
    Entry* const made = left.values.all().data() + begin;
    for (Index i = 0; i < block; ++i) {
      const std::span<const Entry> own = std::span(terms).subspan(i * q, q);
      made[i] = q == 2 ? rule_.joined(own.template first<2>()) : rule_.joined(own);
      if constexpr (Rule::chooses)
        choice.best[begin + i] = static_cast<std::uint8_t>(std::ranges::max_element(own) - own.begin());
    }
  }

  Rule rule_;
  const Executor& executor_;
  std::vector<Index> states_;
  std::list<Factor> factors_;
  EliminationTable<Entry> spare_;  ///< of the last sum, of no use but for its room
  std::vector<Choice> choices_;
  WeighedEnergy total_;
  bool out_of_range_ = false;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
