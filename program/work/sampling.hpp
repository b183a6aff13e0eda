#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/inference/column_drift.hpp>
#include <harmonium/framework/inference/energy_drift.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/drawn_classes.hpp>
#include <harmonium/program/work/given_start.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a request for samples names, read and found to go together: the model, its sampler, and what is held.
class SamplingPlan {
 public:
  /// Throws ConfigError and CapabilityError for what does not go together, before anything is drawn, and where the samples
  /// would not fit into memory. `request` must outlive it.
  SamplingPlan(const SampleRequest& request, const Registries& builtin);
  SamplingPlan(const SamplingPlan&) = delete;
  SamplingPlan& operator=(const SamplingPlan&) = delete;

  const SampleRequest& request() const { return request_; }  ///< with its defaults
  const EnergyModel& model() const { return *model_; }
  Sampler& sampler() const { return *sampler_; }
  const Value& sampler_table() const { return effective_; }  ///< every default written out
  const Clamp& clamp() const { return *clamp_; }
  const GivenStart* start() const { return start_ ? &*start_ : nullptr; }  ///< null: at the biases alone
  const DataUnits& units() const { return *units_; }
  const ModelHeader& header() const { return header_; }
  RandomSource random() const { return random_; }
  Index columns() const { return model_->layout().columns(model_->layout().observed()); }  ///< of a sample

  /// Chains at a time, so that memory does not grow with their latent units.
  static constexpr Index chains_at_a_time = 8192;

 private:
  void read_clamp(const Registries& registries, const Value& options);
  void settle_num_samples();
  void check_options() const;
  void check_memory() const;

  SampleRequest request_;
  ModelHeader header_;
  RandomSource random_;
  Value effective_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<EnergyModel> model_;
  std::optional<DataUnits> units_;
  std::optional<Clamp> clamp_;
  std::optional<GivenStart> start_;
};

/// Draws the samples of a plan: rows of all observed columns.
class Sampling {
 public:
  /// `plan` must outlive it.
  explicit Sampling(const SamplingPlan& plan);
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;

  /// Once. Throws NumericalError where the chains stand still by the sampler's fault, and Stopped once a signal came.
  void draw();
  std::vector<Real>& samples() { return samples_; }
  const std::vector<Real>& samples() const { return samples_; }
  /// Of each row with the latent units beside it, at β = 1; empty where not asked for.
  const std::vector<double>& energies() const { return energies_; }
  const SamplerReport& moves() const { return moves_; }
  const DrawnClasses& classes() const { return classes_; }
  /// Of the chains, between half of the steps and the end; empty where it is not looked at: of one chain, and of too few or too short
  /// ones, of rows that are taken downhill, and of a stack, whose law has no energy.
  const EnergyDrift& drift() const { return drift_; }
  /// The same of the observed columns.
  const ColumnDrift& column_drift() const { return column_drift_; }
  double lowest_energy() const { return lowest_; }  ///< after a descent
  double mean_energy() const { return total_ / static_cast<double>(request_.num_samples); }

 private:
  void draw_one_chain();
  void draw_independent_chains();
  Chains start(Index count, Index first);
  void start_as_asked(Chains& chains, Index first);
  bool looks_for_drift() const;
  std::vector<double> energies_at_target(const Chains& chains) const;
  std::vector<Real> observed_at_target(const Chains& chains) const;
  void advance(Chains& chains, std::uint64_t steps, double done, double share);
  void keep(const Chains& moved, Index first);
  void copy_observed(const Chains& chains, Real* out) const;
  void descend_and_count(Chains& chains, Index first);

  const SamplingPlan& plan_;
  const SampleRequest& request_;
  const EnergyModel& model_;
  const Layout& layout_;
  Index rungs_;
  Executor executor_;
  Execution execution_, moving_;
  HeldMask held_;
  Target target_;
  Standstill standstill_;
  std::vector<Real> samples_;
  std::vector<double> energies_;
  SamplerReport moves_;
  DrawnClasses classes_;
  double lowest_ = std::numeric_limits<double>::infinity(), total_ = 0.0;
  EnergyDrift drift_;
  ColumnDrift column_drift_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
