#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/inference/exact_chain.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/testing/chi_square.hpp>
#include <harmonium/framework/testing/law.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

/// One exact-start test: chains are drawn independently from the enumerated law of the target, moved, and compared with
/// that law again. Nothing is assumed of mixing; a kernel passes if and only if it leaves the law as it is (up to what
/// the power can see).
struct Scenario {
  const EnergyModel& model;
  const EnergyModel* base = nullptr;
  double beta = 1.0;
  std::vector<double> ladder = {};  ///< the rows take its rungs in turn
  LayerSet held_layers = {};
  /// Bytes, one a unit of all layers in layout order; the rows take these patterns in turn. Held units (of layers, too)
  /// start uniform, the others from their exact law given them.
  std::vector<std::vector<std::uint8_t>> held_units = {};
  Index steps = 1;
  Index batch = 1000;  ///< chains that one call moves
  Index draws = 150'000;
  std::uint32_t first_chain = 0;
  std::uint64_t first_step = 0;
  int threads = 1;
};

struct Findings {
  ChiSquare law;                 ///< of the states after the transitions
  std::vector<ChiSquare> pairs;  ///< of pairs of chains, against independence; only where all rows have one law
  Index held_changed = 0;        ///< rows in which a held unit was touched
  double draws = 0.0;

  /// Says what is wrong, or nothing.
  std::string complaint() const;
};

Findings examine(Sampler& sampler, const Scenario& scenario);

/// The empirical matrix of `steps` transitions against the exact one of a systematic scan (a sweep of exact heat baths
/// over all units in their order, as a matrix to the power of `steps`): each state is the start of equally many chains.
/// Catches what leaves the law as it is but is not the kernel either: chains that stay where they are, blocks that are
/// left out.
struct TransitionFindings {
  ChiSquare matrix;
  bool reaches_everything = true;  ///< every state was seen after every start
};
TransitionFindings examine_transitions(Sampler& sampler, const EnergyModel& model, double beta, Index steps,
                                       Index batch, Index draws);

/// The same against another kernel's exact matrix.
TransitionFindings examine_transitions(Sampler& sampler, const EnergyModel& model, double beta,
                                       const std::vector<Law>& exact, Index steps, Index batch, Index draws);

/// The same against the exact chain of Gibbs sampling, from each of its states; latent units that are no part of a state
/// start from their posterior.
TransitionFindings examine_transitions(Sampler& sampler, const ExactChain& chain, Index steps, Index batch,
                                       Index draws);

/// The exact matrix: row s is the law after one sweep from state s.
std::vector<Law> scan_matrix(std::span<const double> energy, const StateSpace& space, Index steps);

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
