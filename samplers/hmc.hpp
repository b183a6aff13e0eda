#pragma once

#include <memory>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/samplers/hmc_adaptation.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct HmcOptions {
  double step_size = 0.1;
  Index leapfrog_steps = 10;
  Index adapt_steps = 300;
  double target_acceptance = 0.8;
  bool marginal = false;
  void bind(OptionBinder& o);
};

/// Hamiltonian Monte Carlo of the continuous layers (Duane, Kennedy, Pendleton & Roweth 1987; Neal 2011), in turn with Gibbs
/// sampling of the discrete ones. A transition draws momenta p ~ N(0, I), follows H(q, p) = U(q) + p²/2 for some leapfrog
/// steps of size ε,
///   p ← p − ε/2 ∇U(q),   q ← q + ε p,   p ← p − ε/2 ∇U(q),
/// accepts where that leads with probability min(1, e^{H before − H after}), and redraws each block of the discrete layers.
/// How many leapfrog steps, from half the path's to all of it, is drawn anew for each transition, for all chains alike, so that
/// no path closes on itself (Neal 2011, section 3.2).
///
/// Marginal: q are the observed layers, U = F their free energy, all others summed out; these are then drawn given them.
///
/// During the first `adapt_steps` transitions, counted over all calls, ε and the path are adapted (hmc_adaptation.hpp); its law
/// is exact after them. With none they are `step_size` and `leapfrog_steps`.
///
/// Held layers and units do not move and are no part of a proposal. A chain's draws depend on its number and step, and, by what
/// is adapted, on all chains.
class Hmc final : public Sampler {
 public:
  using Options = HmcOptions;
  explicit Hmc(Options options = {});

  Index adaptation_steps() const override { return options_.adapt_steps; }
  /// Throws CapabilityError where no layer is continuous, one of these is bounded, a state gradient is missing, or there are
  /// discrete layers without block conditionals. Marginal: where the observed layers have no score, the latent ones are coupled
  /// given them or held, or the target is tempered.
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;
  void state(StateArchive& archive) override { adaptation_.state(archive); }

  double step_size() const { return adaptation_.step_size(); }
  Index path() const { return adaptation_.path(); }  ///< the most leapfrog steps of a transition

 private:
  void check_marginal(const Target& target) const;

  Options options_;
  HmcAdaptation adaptation_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
