#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/replica_exchange.hpp>
#include <harmonium/samplers/ladder_progress.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What β = 0 is. `automatic`: the biases where the ladder comes to 0 at which continuous units have no law, and every state alike
/// otherwise.
enum class TemperingBase : std::uint8_t { automatic, none, biases };

struct ParallelTemperingOptions {
  std::vector<double> betas = {};  ///< of each rung over the target's; empty: an adapted ladder
  std::optional<Index> num_rungs = {};
  std::optional<Index> adapt_steps = {};
  Index swap_every = 1;
  TemperingBase base = TemperingBase::automatic;
  std::unique_ptr<Sampler> sampler = {};

  static constexpr Index usual_rungs = 10, usual_adapt_steps = 500;

  void bind(OptionBinder& o);
  void validate() const;
};

/// Parallel tempering, or replica exchange (Swendsen & Wang 1986; for RBMs Desjardins et al. 2010 and Cho et al. 2010):
/// a logical chain is a row at each of a ladder of inverse temperatures β_k, each moved by the inner sampler, and
/// neighbors a at rung i, b at rung j exchange their rungs with probability
///   min(1, exp[(β_i − β_j)(D(x_a) − D(x_b))]),   D = E − E₀,
/// E the joint energy of all layers and E₀ that of the base (0 without one). Even and odd pairs take turns (Okabe et al.
/// 2001). Rows keep their place in the batch and change their `rung`; rung 0 is the target. A step first exchanges and
/// then moves, so that states and the means left behind belong to the row's present rung.
///
/// Without `betas` the ladder from the target's β down to 0 is adapted during the first `adapt_steps` transitions of this
/// object, so that neighbors reject equally often: at the ends of rounds, each as long as all before it, rungs are
/// placed at equal parts of the cumulated rejection rate (Syed, Bouchard-Côté, Deligiannidis & Doucet 2022, section 5).
/// Afterwards it stands still, and the law is exact.
///
/// All rows of a logical chain must hold the same units at the same values.
class ParallelTempering final : public Sampler, public CountsRoundTrips {
 public:
  using Options = ParallelTemperingOptions;
  /// Throws ConfigError for an inner sampler that is missing or has rungs of its own.
  explicit ParallelTempering(Options options);

  Index rungs() const override { return ladder_.size(); }
  Index adaptation_steps() const override;
  /// Throws CapabilityError for a target with a ladder, for a base beside the target's own or with β > 1, for β = 0 of
  /// continuous units without a base, which `automatic` has at β = 1 alone, and for what the inner sampler cannot do.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;
  void state(StateArchive& archive) override;
  void begin_anew() override { progress_.begin_anew(); }

  /// β of each rung over the target's, as the ladder stands: from 1, descending.
  std::span<const double> ladder() const { return ladder_; }

 private:
  Index own_adaptation() const;
  std::vector<double> betas(double beta) const;
  /// Whether a unit has no law at a rung, unless the target or this sampler has a base; null: none.
  const Layer* lawless_layer(const Target& target) const;
  bool has_own_base(const Target& target) const;
  /// Null: no base of its own.
  std::shared_ptr<const EnergyModel> make_base(const Target& target) const;
  void end_round();
  /// Throws DataError where what was loaded is none of what this sampler saves.
  void check_loaded(const StateArchive& archive) const;

  Options options_;
  std::vector<double> ladder_;
  LadderProgress progress_{2};
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
