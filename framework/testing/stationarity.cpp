#include <harmonium/framework/testing/stationarity.hpp>

#include <algorithm>

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

void copy_row(const Layout& layout, LayerSet layers, const Chains& from, Index row, Chains& to, Index to_row) {
  for (const LayerId l : layout.ids()) {
    if (!layers.contains(l)) continue;
    const ConstMatrixRef x = from.read(l);
    std::copy_n(x.row(row), x.cols, to.write(l).row(to_row));
  }
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
  const Glimpse glimpse(space);
  std::vector<Index> lags;
  const bool with_pairs = groups.size() == 1;
  const Index tile = Tiling::of(s.batch).rows;
  for (const Index lag : {Index{1}, Index{2}, Index{4}, tile})
    if (with_pairs && lag < s.batch && std::ranges::find(lags, lag) == lags.end()) lags.push_back(lag);
  std::vector<std::vector<std::uint64_t>> pair_counts(lags.size(),
                                                      std::vector<std::uint64_t>(glimpse.size() * glimpse.size(), 0));
  Findings findings;

  for (Index first = 0; first < s.draws; first += s.batch) {
    Chains chains(layout, s.batch, s.first_chain + static_cast<std::uint32_t>(first));
    chains.set_step(s.first_step);
    std::vector<std::size_t> start(s.batch);
    HeldMask held(s.held_layers);
    std::vector<std::vector<std::uint8_t>> bytes(layout.size());
    for (const LayerId l : layout.ids()) bytes[static_cast<Index>(l)].resize(s.batch * layout[l].size);
    for (Index r = 0; r < s.batch; ++r) {
      const Group& group = groups[(first + r) % groups.size()];
      start[r] = drawings[(first + r) % groups.size()](random);
      chains.rung()[r] = group.rung;
      for (std::size_t u = 0; u < space.num_units(); ++u) {
        const LayerId l = space.layer_of(u);
        bytes[static_cast<Index>(l)][r * layout[l].size + space.place_of(u)] = group.held[u];
      }
    }
    if (!s.held_units.empty())
      for (const LayerId l : layout.ids())
        if (!s.held_layers.contains(l)) held.hold_units(l, layout[l].size, bytes[static_cast<Index>(l)]);
    space.put(start, chains);
    if (!held.layers().empty() || held.any_units()) target.held = &held;
    sampler.advance(target, chains, s.steps, execution);
    target.held = nullptr;

    const std::vector<std::size_t> end = space.read(chains);
    for (Index r = 0; r < s.batch; ++r) {
      const Index g = (first + r) % groups.size();
      ++counts[g][end[r]];
      bool changed = false;
      for (std::size_t u = 0; u < space.num_units(); ++u)
        changed = changed || (groups[g].held[u] && space.digit(start[r], u) != space.digit(end[r], u));
      findings.held_changed += changed ? 1 : 0;
    }
    for (std::size_t i = 0; i < lags.size(); ++i)
      for (Index r = 0; r + lags[i] < s.batch; ++r)
        if (r / lags[i] % 2 == 0)  // no chain is in two pairs
          ++pair_counts[i][glimpse.of(end[r]) * glimpse.size() + glimpse.of(end[r + lags[i]])];
    findings.draws += static_cast<double>(s.batch);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) findings.law.add(counts[g], groups[g].law);
  findings.pairs.resize(pair_counts.size());
  for (std::size_t i = 0; i < pair_counts.size(); ++i)
    findings.pairs[i].add(pair_counts[i], glimpse.of_pairs(groups[0].law));
  return findings;
}

std::vector<Law> scan_matrix(std::span<const double> energy, const StateSpace& space, Index steps) {
  std::vector<Law> matrix;
  for (std::size_t from = 0; from < space.size(); ++from) {
    Law law(space.size(), 0.0);
    law[from] = 1.0;
    for (Index s = 0; s < steps; ++s) sweep(law, energy, space);
    matrix.push_back(std::move(law));
  }
  return matrix;
}

TransitionFindings examine_transitions(Sampler& sampler, const EnergyModel& model, double beta, Index steps,
                                       Index batch, Index draws) {
  const StateSpace space(model.layout());
  std::vector<double> energy = model_energies(model, space);
  for (double& e : energy) e *= beta;
  return examine_transitions(sampler, model, beta, scan_matrix(energy, space, steps), steps, batch, draws);
}

TransitionFindings examine_transitions(Sampler& sampler, const EnergyModel& model, double beta,
                                       const std::vector<Law>& exact, Index steps, Index batch, Index draws) {
  const StateSpace space(model.layout());
  Target target{model};
  target.beta = beta;
  const Executor executor(1);
  const Execution execution{executor, {31, 41}};

  std::vector<std::vector<std::uint64_t>> counts(space.size(), std::vector<std::uint64_t>(space.size(), 0));
  for (Index first = 0; first < draws; first += batch) {
    Chains chains(model.layout(), batch, static_cast<std::uint32_t>(first));
    std::vector<std::size_t> start(batch);
    for (Index r = 0; r < batch; ++r) start[r] = (first + r) % space.size();
    space.put(start, chains);
    sampler.advance(target, chains, steps, execution);
    const std::vector<std::size_t> end = space.read(chains);
    for (Index r = 0; r < batch; ++r) ++counts[start[r]][end[r]];
  }
  TransitionFindings findings;
  for (std::size_t from = 0; from < space.size(); ++from) {
    findings.matrix.add(counts[from], exact[from]);
    for (const std::uint64_t c : counts[from]) findings.reaches_everything = findings.reaches_everything && c > 0;
  }
  return findings;
}

TransitionFindings examine_transitions(Sampler& sampler, const ExactChain& chain, Index steps, Index batch,
                                       Index draws) {
  const Layout& layout = chain.model().layout();
  const Index num_states = chain.num_states();
  Matrix<double> exact = zeros<double>(num_states, num_states);
  for (Index s = 0; s < num_states; ++s) exact(s, s) = 1.0;
  for (Index s = 0; s < steps; ++s) chain.advance(exact);

  Chains latent;
  std::vector<Drawing> posteriors;
  if (chain.has_halves()) {
    latent = Chains(layout, chain.latent_space().size());
    chain.latent_space().write(0, latent.size(), latent);
    const Matrix<double>& given = chain.latent_given_observed();
    for (Index s = 0; s < num_states; ++s)
      posteriors.emplace_back(Law(row_of(given, s).begin(), row_of(given, s).end()));
  }

  const Executor executor(1);
  const Execution execution{executor, {31, 43}};
  std::mt19937_64 random(37);
  std::vector<std::vector<std::uint64_t>> counts(num_states, std::vector<std::uint64_t>(num_states, 0));
  for (Index first = 0; first < draws; first += batch) {
    Chains chains(layout, batch, static_cast<std::uint32_t>(first));
    chains.set_step(first);  // a scan may go by the step's words
    for (Index r = 0; r < batch; ++r) {
      const Index state = (first + r) % num_states;
      copy_row(layout, chain.space().layers(), chain.states(), state, chains, r);
      if (!posteriors.empty())
        copy_row(layout, chain.latent_space().layers(), latent, posteriors[state](random), chains, r);
    }
    sampler.advance(Target{chain.model()}, chains, steps, execution);
    for (Index r = 0; r < batch; ++r) ++counts[(first + r) % num_states][chain.space().number(chains, r)];
  }
  TransitionFindings findings;
  for (Index from = 0; from < num_states; ++from) {
    findings.matrix.add(counts[from], row_of(exact, from));
    for (const std::uint64_t c : counts[from]) findings.reaches_everything = findings.reaches_everything && c > 0;
  }
  return findings;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
