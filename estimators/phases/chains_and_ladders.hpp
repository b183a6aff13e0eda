#pragma once

#include <memory>

#include <harmonium/estimators/phases/chain_phase.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct ChainsAndLaddersOptions {
  Index num_chains = 100;
  Index gibbs_steps = 1;
  Index num_ladders = 10;
  Index ladder_steps = 1;
  bool rao_blackwell = true;
  std::unique_ptr<Sampler> sampler = {};
  std::unique_ptr<Sampler> ladder = {};

  void bind(OptionBinder& o);
};

/// The negative phase from persistent chains and, beside them, ladders of temperatures, which all go on from one update to the next;
/// the fast and slow chains of Salakhutdinov (2010, "Learning deep Boltzmann machines using adaptive MCMC") with parallel tempering
/// in place of simulated tempering. Many chains make an estimate of little noise, and few ladders find what these do not reach:
/// a mode that the chains have never been in takes up weight unseen, until a ladder brings it down.
///
/// After each estimate the row of every ladder that is at the target's own temperature changes places with a chain drawn with equal
/// probability. All of them are of the model's law, and so their product is left as it is. The estimate is the mean over
/// chains and target rows.
class ChainsAndLadders final : public PhaseEstimator, public BurnsIn {
 public:
  using Options = ChainsAndLaddersOptions;
  /// Throws ConfigError where a sampler is missing, or 'ladder' has one temperature, or 'sampler' several.
  explicit ChainsAndLadders(Options options);

  void check(const EnergyModel& model, Phase phase) const override;
  void begin(const EnergyModel& model, Phase phase, const DataOutline& data) override;
  PhaseReport accumulate(const EnergyModel& model, const DataBatch& data, Phase phase, double scale,
                         std::span<Real> gradient, const Execution& execution) override;
  double products(const EnergyModel& model, Phase phase, Index rows) const override;
  void memory(const EnergyModel& model, Phase phase, Index rows, MemoryNeed& need) const override;
  void state(StateArchive& archive) override;
  bool burn_in(Index steps) override;

  const ChainPhase& chains() const { return chains_; }
  const ChainPhase& ladders() const { return ladders_; }

 private:
  void change_places(const Layout& layout, const RandomSource& random);

  double share_;  ///< of the ladders among all rows that count
  ChainPhase chains_, ladders_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
