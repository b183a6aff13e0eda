#pragma once

#include <cstdint>
#include <memory>

#include <harmonium/estimators/gradients/sum_over_rows.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct WakeSleepOptions {
  Index gibbs_steps = 1;
  bool bound = false;
  std::unique_ptr<Sampler> sampler = {};
  void bind(OptionBinder& o);
};

/// The contrastive up-down algorithm for an untied stack of machines (Hinton, Osindero & Teh 2006, section 5 and appendix B).
/// Of each row of the batch, of weight w:
///   wake    h ~ Q(h | h_0), from the data up; −w ∂ log p_k(h_{k−1} | h_k) for the machines below the top,
///   top     contrastive divergence of the top machine from h_{L−1}, its latent units by their means: w [∂F_L(h_{L−1}) −
///           ∂F_L(h'_{L−1})], h' after `gibbs_steps` transitions,
///   sleep   from h'_{L−1} down by p_k; −w ∂ log q_k(h'_k | h'_{k−1}).
/// The first two are the gradient of minus the bound E_Q[log p − log Q] by the generative weights, but for the bias of
/// contrastive divergence. The third is that of another loss, −E_p[log Q], by the recognition weights: no function falls
/// against all of it, so that `Report::slope` is false.
///
/// A row's words depend on its place in the batch and the number of the update only.
class WakeSleep final : public GradientEstimator, public SumOverRows<WakeSleep> {
 public:
  using Options = WakeSleepOptions;
  /// Throws ConfigError without a sampler, for one with temperatures of its own, and for no transitions.
  explicit WakeSleep(Options options);

  void check(const EnergyModel& model) const override;
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override;
  void memory(const EnergyModel& model, Index rows, MemoryNeed& need) const override;
  Figures figures(const EnergyModel&) const override { return {.bound = options_.bound}; }
  void state(StateArchive& archive) override;
  /// Throws CapabilityError for a sampler that adapts itself, since each shard would have its own.
  void take(const EnergyModel& model, const Shard& shard) override;

 private:
  /// Moves the top machine from the states in `x`, and adds what it learns; returns what the transitions came to.
  SamplerReport move_top(const StackedMachines& stack, Chains& x, std::span<const double> weights,
                         std::span<Real> gradient, const Execution& execution) const;

  Options options_;
  std::uint64_t steps_ = 0;  ///< transitions so far: no random word is met twice
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
