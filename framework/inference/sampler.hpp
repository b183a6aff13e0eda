#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/core/state_archive.hpp>
#include <harmonium/framework/execution/execution.hpp>
#include <harmonium/framework/model/energy_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The distribution that a sampler must leave invariant: for a chain at rung k, with β = betas[k],
///   p_β(x) ∝ exp(−[β E(x) + (1 − β) E₀(x)]),   E₀ = 0 without a base,
/// restricted to configurations that agree with the present one where held. Posterior sampling, tempering and annealing
/// are choices of this struct, not of the sampler.
struct Target {
  const EnergyModel& model;
  const EnergyModel* base = nullptr;    ///< same layout, tractable
  double beta = 1.0;                    ///< of every chain where there is no ladder; > 1 only without a base
  std::span<const double> ladder = {};  ///< β of each rung
  const HeldMask* held = nullptr;

  double beta_of(std::uint32_t rung) const { return ladder.empty() ? beta : ladder[rung]; }
  /// Whether every chain is at β = 1, where the base plays no part.
  bool untempered() const { return ladder.empty() && beta == 1.0; }
  LayerSet held_layers() const { return held ? held->layers() : LayerSet{}; }
};

/// Throws DataError where `betas`, loaded as the field `name`, are not inverse temperatures that descend to 0 or more.
void check_ladder(const StateArchive& archive, std::string_view name, std::span<const double> betas);

/// What the exchanges between neighboring rungs of a ladder came to.
struct LadderReport {
  std::vector<double> betas;                      ///< of each rung, the target's first
  std::vector<std::uint64_t> proposed, accepted;  ///< exchanges of the rungs k and k + 1
  std::uint64_t round_trips = 0;                  ///< times that a row came back to the target by way of the last rung
  /// The base distribution that the sampler itself made for its rungs; null: the target's, or none.
  std::shared_ptr<const EnergyModel> base = {};

  /// Accepted exchanges of rungs k and k + 1 among those proposed; 0 where none was.
  double rate(Index k) const;
  /// Of the pairs whose exchange was proposed: even and odd ones take turns.
  double min_rate() const;
  double mean_rate() const;
  bool any_proposed() const;
  /// Adds the counts of a later report; where that is of other temperatures, what was there is forgotten.
  void add(const LadderReport& other);
  /// "8 temperatures, exchanges accepted 0.31 to 0.48 of the time, 12 round trips", and what the last of them is where that is a
  /// base of the sampler's own.
  std::string summary() const;
  /// Throws DataError where what is loaded is no ladder.
  void state(StateArchive& archive);
};

/// What the transitions of a call came to.
struct SamplerReport {
  double acceptance = 1.0;                  ///< mean over chains and steps; 1 for Gibbs sampling
  std::optional<LadderReport> ladder = {};  ///< of samplers with more than one rung
  std::uint64_t proposed = 0;               ///< the moves that acceptance is the mean of; 0: none can be refused
  /// An acceptance below which the proposals are ill chosen. 0 where it says nothing of them: a single discrete unit stays
  /// where its conditional is sharp, whatever proposes.
  double min_acceptance = 0.0;

  /// Of Langevin steps in many dimensions, which are accepted with probability a = 2 Φ(−l³/2) and move by l² a, 0.05 is
  /// where a fifth of the best speed is left (Roberts & Rosenthal 1998); random walks and annealings have no better use
  /// of so few.
  static constexpr double usual_min_acceptance = 0.05;

  /// Adds a later report of the same sampler.
  void add(const SamplerReport& later);
  /// Whether the moves are evidence that the acceptance is below the minimum: were it that, so few accepted ones had a
  /// probability of 1e-9 or less.
  bool ill_chosen() const;
  /// "acceptance 0.57"
  std::string summary() const;
};

/// An upper bound of log P(K >= share · count) for share > p, and of log P(K <= share · count) below, K being binomial of
/// `count` trials of probability p = e^log_p (Chernoff 1952).
double log_binomial_tail(double share, double count, double log_p);

/// A Markov transition. What a chain remembers is in Chains; what the sampler adapts goes through `state`.
class Sampler {
 public:
  static constexpr const char* kind = "sampler";
  virtual ~Sampler();
  /// Rows of one logical chain (1, or the number of temperatures); row c·rungs() + k starts at rung k.
  virtual Index rungs() const { return 1; }
  /// Transitions during which it still adapts itself, counted over all calls: its law is exact only after them.
  virtual Index adaptation_steps() const { return 0; }
  /// The sampler whose transition is the reversal of this one's: π(x) T(x, x') = π(x') R(x', x). Null where none is known.
  virtual std::unique_ptr<Sampler> reversal() const { return nullptr; }
  /// Throws CapabilityError when the target lacks what this sampler needs, naming what would serve. Called when a run
  /// is assembled.
  virtual void check(const Target& target) const = 0;
  /// `steps` transitions of every chain, added to chains.step(). `last`, where given, receives the conditional means of
  /// the blocks drawn last, so that no field is computed twice.
  virtual SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                                LastMeans* last = nullptr) = 0;
  /// Matrix products of the size of the couplings that one transition of one chain costs, for budgets.
  virtual double products_per_step() const { return 2.0; }
  /// Adds what it will hold beside the chains.
  virtual void memory(const EnergyModel&, MemoryNeed&) const {}
  virtual void state(StateArchive&) {}
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
