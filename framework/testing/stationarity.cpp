#include <harmonium/framework/testing/stationarity.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <harmonium/framework/model/tiling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

/// The rows of one group have one target: a rung, and a pattern of held units.
struct Group {
  std::uint32_t rung;
  std::vector<std::uint8_t> held;  ///< one a unit, layers included
  Law law;
};

std::vector<Group> groups_of(const Scenario& s, const Target& target, const StateSpace& space) {
  const std::vector<double> own = model_energies(s.model, space);
  const std::vector<double> base = s.base ? model_energies(*s.base, space) : std::vector<double>(own.size(), 0.0);
  std::vector<std::vector<std::uint8_t>> patterns = s.held_units;
  if (patterns.empty()) patterns.emplace_back(space.num_units(), std::uint8_t{0});
  std::vector<Group> groups;
  for (std::uint32_t rung = 0; rung < std::max<std::size_t>(s.ladder.size(), 1); ++rung) {
    const double beta = target.beta_of(rung);
    std::vector<double> energy(own.size());
    for (std::size_t i = 0; i < energy.size(); ++i) energy[i] = beta * own[i] + (1.0 - beta) * base[i];
    for (std::vector<std::uint8_t> held : patterns) {
      for (std::size_t u = 0; u < held.size(); ++u)
        if (s.held_layers.contains(space.layer_of(u))) held[u] = 1;
      Law law = with_uniform_held(law_of(energy), space, held);
      groups.push_back({rung, std::move(held), std::move(law)});
    }
  }
  return groups;
}

/// A few units of a state, so that pairs of chains fill a table of which every cell is met.
class Glimpse {
 public:
  explicit Glimpse(const StateSpace& space) : space_(space) {
    const std::size_t n = space.num_units();
    for (std::size_t u = 0; u < n; ++u)
      if (u < 2 || u + 2 >= n) {
        units_.push_back(u);
        size_ *= space.states_of(u);
      }
  }
  std::size_t size() const { return size_; }
  std::size_t of(std::size_t state) const {
    std::size_t at = 0;
    for (const std::size_t u : units_) at = at * space_.states_of(u) + space_.digit(state, u);
    return at;
  }
  /// Of two independent states, one after the other.
  Law of_pairs(const Law& law) const {
    Law one(size_, 0.0), two(size_ * size_);
    for (std::size_t s = 0; s < law.size(); ++s) one[of(s)] += law[s];
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j) two[i * size_ + j] = one[i] * one[j];
    return two;
  }

 private:
  const StateSpace& space_;
  std::vector<std::size_t> units_;
  std::size_t size_ = 1;
};

/// Pairs of chains of one batch at a few distances, counted by glimpses of both: chains that go alone are independent.
class PairCounts {
 public:
  PairCounts(const StateSpace& space, Index batch) : glimpse_(space) {
    for (const Index lag : {Index{1}, Index{2}, Index{4}, Tiling::of(batch).rows})
      if (lag < batch && std::ranges::find(lags_, lag) == lags_.end()) lags_.push_back(lag);
    counts_.assign(lags_.size(), std::vector<std::uint64_t>(glimpse_.size() * glimpse_.size(), 0));
  }
  void add(const std::vector<std::size_t>& states) {
    for (std::size_t i = 0; i < lags_.size(); ++i)
      for (Index r = 0; r + lags_[i] < states.size(); ++r)
        if (r / lags_[i] % 2 == 0)  // no chain is in two pairs
          ++counts_[i][glimpse_.of(states[r]) * glimpse_.size() + glimpse_.of(states[r + lags_[i]])];
  }
  std::vector<ChiSquare> against(const Law& law) const {
    std::vector<ChiSquare> pairs(counts_.size());
    for (std::size_t i = 0; i < counts_.size(); ++i) pairs[i].add(counts_[i], glimpse_.of_pairs(law));
    return pairs;
  }

 private:
  Glimpse glimpse_;
  std::vector<Index> lags_;
  std::vector<std::vector<std::uint64_t>> counts_;
};

/// What is held of the rows of a batch, of which `first` is the number of the first.
HeldMask held_of_batch(const Scenario& s, const std::vector<Group>& groups, const StateSpace& space, Index first) {
  HeldMask held(s.held_layers);
  if (s.held_units.empty()) return held;
  const Layout& layout = s.model.layout();
  std::vector<std::vector<std::uint8_t>> bytes(layout.size());
  for (const LayerId l : layout.ids()) bytes[static_cast<Index>(l)].resize(s.batch * layout[l].size);
  for (Index r = 0; r < s.batch; ++r)
    for (std::size_t u = 0; u < space.num_units(); ++u) {
      const LayerId l = space.layer_of(u);
      bytes[static_cast<Index>(l)][r * layout[l].size + space.place_of(u)] =
          groups[(first + r) % groups.size()].held[u];
    }
  for (const LayerId l : layout.ids())
    if (!s.held_layers.contains(l)) held.hold_units(l, layout[l].size, bytes[static_cast<Index>(l)]);
  return held;
}

bool held_unit_changed(const Group& group, const StateSpace& space, std::size_t before, std::size_t after) {
  for (std::size_t u = 0; u < space.num_units(); ++u)
    if (group.held[u] && space.digit(before, u) != space.digit(after, u)) return true;
  return false;
}

}  // namespace

std::string Findings::complaint() const {
  std::string text;
  if (held_changed > 0) text += fmt::format("held units changed in {} rows; ", held_changed);
  if (law.rejected()) text += "the law drifts: " + law.summary() + "; ";
  for (const ChiSquare& pair : pairs)
    if (pair.rejected()) text += "chains are not independent: " + pair.summary() + "; ";
  return text;
}

Findings examine(Sampler& sampler, const Scenario& s) {
  const Layout& layout = s.model.layout();
  const StateSpace space(layout);
  Target target{s.model, s.base, s.beta, s.ladder, nullptr};
  const std::vector<Group> groups = groups_of(s, target, space);
  std::vector<Drawing> drawings;
  drawings.reserve(groups.size());
  for (const Group& group : groups) drawings.emplace_back(group.law);
  const Executor executor(s.threads);
  const Execution execution{executor, {20, 26}};
  std::mt19937_64 random(17);

  std::vector<std::vector<std::uint64_t>> counts(groups.size(), std::vector<std::uint64_t>(space.size(), 0));
  std::optional<PairCounts> pairs;
  if (groups.size() == 1) pairs.emplace(space, s.batch);
  Findings findings;

  for (Index first = 0; first < s.draws; first += s.batch) {
    Chains chains(layout, s.batch, s.first_chain + static_cast<std::uint32_t>(first));
    chains.set_step(s.first_step);
    std::vector<std::size_t> start(s.batch);
    for (Index r = 0; r < s.batch; ++r) {
      const Index g = (first + r) % groups.size();
      start[r] = drawings[g](random);
      chains.rung()[r] = groups[g].rung;
    }
    space.put(start, chains);
    const HeldMask held = held_of_batch(s, groups, space, first);
    target.held = !held.layers().empty() || held.any_units() ? &held : nullptr;
    sampler.advance(target, chains, s.steps, execution);

    const std::vector<std::size_t> end = space.read(chains);
    for (Index r = 0; r < s.batch; ++r) {
      const Index g = (first + r) % groups.size();
      ++counts[g][end[r]];
      findings.held_changed += held_unit_changed(groups[g], space, start[r], end[r]) ? 1 : 0;
    }
    if (pairs) pairs->add(end);
    findings.draws += static_cast<double>(s.batch);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) findings.law.add(counts[g], groups[g].law);
  if (pairs) findings.pairs = pairs->against(groups[0].law);
  return findings;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
