#pragma once

#include <memory>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/model_draws.hpp>
#include <harmonium/framework/inference/works.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

enum class ModelDrawsBy : std::uint8_t { automatic, exact, ladders };
enum class AnnealingSides : std::uint8_t { both, forward, backward };

struct AisOptions {
  AnnealingSides sides = AnnealingSides::both;
  Index num_chains = 200;
  Index num_temperatures = 0;
  Index num_ladders = 10;
  double effort = 1.0;
  ModelDrawsBy draws = ModelDrawsBy::automatic;
  std::unique_ptr<Sampler> sampler, exact;

  void bind(OptionBinder& o);

 protected:
  void bind_walks(OptionBinder& o);
};

/// `reverse_ais`: the backward side alone (Burda, Grosse & Salakhutdinov 2015).
struct ReverseAisOptions : AisOptions {
  ReverseAisOptions() { sides = AnnealingSides::backward; }
  void bind(OptionBinder& o) { bind_walks(o); }
};

/// log Z by annealed importance sampling (Neal 2001; for RBMs Salakhutdinov & Murray 2008) from both sides. Forward walks
/// start at a law of independent units and end at the model; backward ones (reverse annealing, Burda, Grosse &
/// Salakhutdinov 2015) start at draws of the model, exact ones or those of tempering ladders with enough round trips, and
/// go back. One side alone is biased, low or high, by an amount that it cannot know. Both together are weighed by Bennett's
/// acceptance ratio, twice: from the law that every state is alike in, and from that of the marginals of the draws.
///
/// They agree if the draws are certified, if both sides of each overlap, and if the two bases say the same.
class AnnealedImportance final : public LogPartition {
 public:
  using Options = AisOptions;
  explicit AnnealedImportance(Options options);

  void check(const EnergyModel& model) const override;
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  LogPartitionEstimate estimate_mean(const EnergyModel& model, double beta, const Chains& rows, const HeldMask& held,
                                     const Execution& execution) const override;
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
  std::unique_ptr<Sampler> reversal_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
