#include <harmonium/tests/support/tempering.hpp>

#include <algorithm>
#include <stdexcept>

namespace harmonium::testing {
namespace {

/// The digits of the held units, as a number.
std::size_t held_part(const StateSpace& space, const std::vector<std::uint8_t>& held, std::size_t state) {
  std::size_t part = 0;
  for (std::size_t u = 0; u < held.size(); ++u)
    if (held[u]) part += space.digit(state, u) * space.stride(u);
  return part;
}

/// A draw of `law` among the states whose held part (of each, `parts`) is `part`.
std::size_t draw_given(const Law& law, const std::vector<std::size_t>& parts, std::size_t part,
                       std::mt19937_64& random) {
  double total = 0.0;
  for (std::size_t s = 0; s < law.size(); ++s)
    if (parts[s] == part) total += law[s];
  double rest = total * static_cast<double>(random() >> 11) * 0x1p-53;
  std::size_t last = 0;
  for (std::size_t s = 0; s < law.size(); ++s) {
    if (parts[s] != part) continue;
    last = s;
    if (rest < law[s]) return s;
    rest -= law[s];
  }
  return last;
}

/// What a few units of a state are, so that pairs fill a table.
std::size_t glimpse(const StateSpace& space, std::size_t state) {
  const std::size_t n = space.num_units();
  return space.digit(state, 0) + 2 * space.digit(state, 1) + 4 * space.digit(state, n - 2) +
         8 * space.digit(state, n - 1);
}

}  // namespace

Findings examine_ladder(Sampler& sampler, const LadderScenario& s) {
  const Layout& layout = s.model.layout();
  const StateSpace space(layout);
  const Index rungs = s.betas.size();
  if (sampler.rungs() != rungs) throw std::invalid_argument("the sampler has another number of rungs");
  const std::vector<double> own = energies(s.model, space);
  const std::vector<double> base = s.base ? energies(*s.base, space) : std::vector<double>(own.size(), 0.0);

  std::vector<std::vector<std::uint8_t>> patterns = s.held_units;
  if (patterns.empty()) patterns.emplace_back(space.num_units(), std::uint8_t{0});
  for (auto& held : patterns)
    for (std::size_t u = 0; u < held.size(); ++u)
      if (s.held_layers.contains(space.layer_of(u))) held[u] = 1;
  const bool anything_held = !s.held_units.empty() || !s.held_layers.empty();

  std::vector<std::vector<std::size_t>> parts;  // of each pattern and state
  for (const auto& held : patterns) {
    std::vector<std::size_t>& of_states = parts.emplace_back();
    for (std::size_t state = 0; state < space.size(); ++state) of_states.push_back(held_part(space, held, state));
  }
  std::vector<Law> laws;  // pattern by pattern, rung by rung
  for (const auto& held : patterns) {
    for (Index k = 0; k < rungs; ++k) {
      std::vector<double> energy = s.machines.empty() ? own : energies(*s.machines[k], space);
      const double beta = s.betas[k];
      for (std::size_t i = 0; i < energy.size(); ++i) energy[i] = beta * energy[i] + (1.0 - beta) * base[i];
      laws.push_back(with_uniform_held(law_of(energy), space, held));
    }
  }
  std::vector<Drawing> drawings(laws.begin(), laws.end());

  constexpr std::size_t glimpses = 16;
  std::vector<std::vector<std::uint64_t>> counts(laws.size(), std::vector<std::uint64_t>(space.size(), 0));
  std::vector<std::vector<std::uint64_t>> pair_counts(rungs - 1, std::vector<std::uint64_t>(glimpses * glimpses, 0));
  const Executor executor(s.threads);
  const Execution execution{executor, {20, 27}};
  std::mt19937_64 random(19);
  Findings findings;
  for (Index first = 0; first < s.draws; first += s.batch) {
    Chains chains(layout, s.batch * rungs, static_cast<std::uint32_t>(first * rungs));
    // Neither parity of the step is the first for all chains: even and odd pairs are both met.
    chains.set_step(first / s.batch);
    std::vector<std::size_t> start(chains.size());
    std::vector<std::vector<std::uint8_t>> bytes(layout.size());
    for (const LayerId l : layout.ids()) bytes[static_cast<Index>(l)].resize(chains.size() * layout[l].size);
    for (Index r = 0; r < chains.size(); ++r) {
      const Index k = r % rungs, pattern = (first + r / rungs) % patterns.size();
      const std::vector<std::uint8_t>& held = patterns[pattern];
      if (k == 0 || !anything_held) start[r] = drawings[pattern * rungs + k](random);
      else
        start[r] =
            draw_given(laws[pattern * rungs + k], parts[pattern], parts[pattern][start[r / rungs * rungs]], random);
      chains.rung()[r] = static_cast<std::uint32_t>(k);
      for (std::size_t u = 0; u < space.num_units(); ++u) {
        const LayerId l = space.layer_of(u);
        bytes[static_cast<Index>(l)][r * layout[l].size + space.place_of(u)] = held[u];
      }
    }
    HeldMask held(s.held_layers);
    if (!s.held_units.empty())
      for (const LayerId l : layout.ids())
        if (!s.held_layers.contains(l)) held.hold_units(l, layout[l].size, bytes[static_cast<Index>(l)]);
    space.put(start, chains);
    Target target{s.model};
    target.beta = s.betas[0];
    if (s.give_base) target.base = s.base;
    if (anything_held) target.held = &held;
    sampler.advance(target, chains, s.steps, execution);

    const std::vector<std::size_t> end = space.read(chains);
    for (Index c = 0; c < s.batch; ++c) {
      const Index pattern = (first + c) % patterns.size();
      std::vector<std::size_t> at_rung(rungs);
      for (Index r = c * rungs; r < (c + 1) * rungs; ++r) {
        const Index k = chains.rung()[r];
        at_rung[k] = end[r];
        if (parts[pattern][start[r]] != parts[pattern][end[r]]) ++findings.held_changed;
        if (!anything_held || k == (first + c) / patterns.size() % rungs) ++counts[pattern * rungs + k][end[r]];
      }
      for (Index k = 0; k + 1 < rungs; ++k)
        ++pair_counts[k][glimpse(space, at_rung[k]) * glimpses + glimpse(space, at_rung[k + 1])];
    }
    findings.draws += static_cast<double>(s.batch);
  }
  for (std::size_t g = 0; g < laws.size(); ++g) findings.law.add(counts[g], laws[g]);
  if (anything_held) return findings;
  for (Index k = 0; k + 1 < rungs; ++k) {
    std::vector<double> here(glimpses, 0.0), next(glimpses, 0.0), both;
    for (std::size_t i = 0; i < space.size(); ++i) {
      here[glimpse(space, i)] += laws[k][i];
      next[glimpse(space, i)] += laws[k + 1][i];
    }
    for (const double p : here)
      for (const double q : next) both.push_back(p * q);
    findings.pairs.emplace_back().add(pair_counts[k], both);
  }
  return findings;
}

}  // namespace harmonium::testing
