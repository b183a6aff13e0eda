#pragma once

#include <memory>
#include <vector>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct TemperedTransitionsOptions {
  Index num_temperatures = 10;
  double lowest_beta = 0.1;
  std::unique_ptr<Sampler> sampler = {};

  void bind(OptionBinder& o);
  void validate() const;
};

/// Tempered transitions (Neal 1996): one annealing up and down again as one proposal. From x = x̂_0 the inner sampler makes
/// a transition at each of the hotter β_1 > … > β_n, to x̂_n = x̌_n, and its reversal one at each of β_n, …, β_1, to x̌_0,
/// which is taken with probability
///   min(1, exp Σ_(k=1..n) (β_(k−1) − β_k) (D(x̂_(k−1)) − D(x̌_(k−1)))),   β_0 the target's, D = E − E₀,
/// and else x is kept. β_k / β_0 go down to `lowest_beta` by equal ratios. One step costs 2 n inner ones, and needs no more chains than plain
/// sampling does; the acceptance falls quickly with the number of units.
class TemperedTransitions final : public Sampler {
 public:
  using Options = TemperedTransitionsOptions;
  /// Throws ConfigError for an inner sampler that is missing, has rungs of its own, or of which no reversal is known.
  explicit TemperedTransitions(Options options);

  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last = nullptr) override;
  double products_per_step() const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override { options_.sampler->memory(model, need); }
  void state(StateArchive& archive) override { archive.group("sampler", *options_.sampler); }

 private:
  /// The target at β_k: the same rungs, each as much hotter.
  std::vector<double> ladder_at(const Target& target, Index k) const;

  Options options_;
  std::unique_ptr<Sampler> reversal_;
  std::vector<double> parts_;  ///< β_k / β_0 of k = 0 … n
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
