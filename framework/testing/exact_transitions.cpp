#include <harmonium/framework/testing/stationarity.hpp>

#include <algorithm>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

void copy_row(const Layout& layout, LayerSet layers, const Chains& from, Index row, Chains& to, Index to_row) {
  for (const LayerId l : layout.ids()) {
    if (!layers.contains(l)) continue;
    const ConstMatrixRef x = from.read(l);
    std::copy_n(x.row(row), x.cols, to.write(l).row(to_row));
  }
}

}  // namespace

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
  HARMONIUM_ASSERT(num_states > 0);
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
