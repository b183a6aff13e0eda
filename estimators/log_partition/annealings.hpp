#pragma once

#include <string>
#include <vector>

#include <harmonium/estimators/log_partition/ais.hpp>
#include <harmonium/estimators/log_partition/annealing_path.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the walks of one base came to.
struct FromBase {
  const char* name = "";
  Index temperatures = 0;
  OneSided forward, backward, both;  ///< all of log Z: `backward` with its sign turned
  std::vector<double> of_kinds;      ///< `both` with the draws of ladders of one kind alone (LadderStart::apart)
};

/// One estimate of annealed importance sampling.
class Annealings {
 public:
  /// `reversal`: that of the options' sampler.
  Annealings(const AisOptions& options, Sampler& reversal, const EnergyModel& model, double end,
             const Execution& execution)
      : options_(options), reversal_(reversal), model_(model), end_(end), execution_(execution) {}

  LogPartitionEstimate forward_only();
  LogPartitionEstimate backward_only();
  LogPartitionEstimate mean_of(const std::vector<FromBase>& bases, double groups) const;
  LogPartitionEstimate both_sides();

 private:
  Target target(const AnnealingBase& base) const { return {.model = model_, .base = base.model()}; }
  Chains drawn(const AnnealingBase& base, Index num, const RandomSource& random) const {
    Chains chains(model_.layout(), num);
    base.draw(nullptr, random, chains);
    return chains;
  }
  AnnealingPath path_from(const AnnealingBase& base, const Execution& execution) const;
  AnnealedWalk forward(const AnnealingBase& base, const std::vector<double>& betas, const Execution& execution) const;
  AnnealedWalk backward(const AnnealingBase& base, std::vector<double> betas, const Execution& execution) const;
  void draw_from_model();
  FromBase measure(const char* name, const AnnealingBase& base, Execution execution) const;
  /// Of the two sides of a base: what speaks against them; empty where nothing does.
  std::string disagreement(const FromBase& of) const;
  /// What speaks against the draws that backward walks start from; empty where they are certified.
  std::string uncertified() const;

  /// 95 % bounds of log Z by one side alone.
  double at_least(const OneSided& forward) const {
    return forward.log_ratio - half_interval(static_cast<double>(options_.num_chains)) * forward.error;
  }
  /// Absent where the draws that walks back start from are not the model's for certain.
  std::optional<double> at_most(const OneSided& backward) const;
  /// Independent groups of those draws.
  double draw_groups() const { return static_cast<double>(draws_.rows.size()) / static_cast<double>(draws_.group); }

  const AisOptions& options_;
  Sampler& reversal_;
  const EnergyModel& model_;
  double end_;
  const Execution& execution_;
  ModelDraws draws_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
