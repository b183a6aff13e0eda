#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <harmonium/framework/diagnostics/series.hpp>
#include <harmonium/framework/inference/held_state.hpp>
#include <harmonium/framework/inference/layer_observables.hpp>
#include <harmonium/framework/inference/local_sums.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What is to be measured at which inverse temperatures.
struct ThermalPlan {
  std::vector<double> betas = {};  ///< descending; above 0 where there are continuous units
  Index num_chains = 8;     ///< at each temperature; even: chain c and chain c + num_chains/2 are a pair of replicas
  Index warm_up = 2000;     ///< transitions before the first measurement
  Index num_steps = 10000;  ///< measurements of each chain, one a transition
  const HeldState* held = nullptr;          ///< units that no chain changes; null: none
  const LocalObservables* local = nullptr;  ///< measured of units and pairs, of the same layer; null: nothing
};

/// What the chains at one temperature left, in the order of time.
struct ThermalSeries {
  double beta = 1.0;  ///< as kernels took it
  Index num_chains = 0, num_steps = 0;
  std::vector<std::vector<double>> numbers;  ///< the energy in nats, then LayerObservables::names(); each chain × step
  std::vector<double> overlaps;              ///< pair × step, and then those of crossed_pairs()
  std::vector<double> joint_overlaps = {};   ///< of sites: LayerObservables::joint_overlap, as overlaps
  std::optional<LocalSums> local = {};       ///< where the plan asks for it
  std::optional<SamplerReport> moves = {};   ///< of a temperature alone: what its sampler says

  ThermalSeries(double b, const ThermalPlan& plan, Index num_numbers);
  Index num_pairs() const { return num_chains / 2; }
  /// They tell pairs that agree by chance: of chain c and chain c + 1 of the first half, and of chain 1 and chain 0's replica. With the
  /// pairs they join all chains, three of them in a ring: of chains that keep to two orders, ±, some overlaps have another sign.
  Index crossed_pairs() const { return num_pairs() > 1 ? num_pairs() : 0; }
  Series of(Index number) const { return {numbers[number].data(), num_chains, num_steps, num_steps}; }
  Series of_overlaps() const { return {overlaps.data(), num_pairs(), num_steps, num_steps}; }
};

/// Of each temperature of the plan, in its order.
struct ThermalRecord {
  std::vector<ThermalSeries> temperatures;
  std::optional<LadderReport> ladder = {};  ///< of tempering, after the warm-up
};

/// Parallel tempering along the temperatures of the plan, `sampler` moving each row: `num_chains` ladders that know nothing of
/// each other. The first half of them starts from uniform draws; of the others, every second with all units at their lowest
/// state, the rest at their highest. Throws CapabilityError where the sampler cannot serve, NumericalError where chains run
/// away, and Stopped.
ThermalRecord record_tempered(const EnergyModel& model, Sampler& sampler, const LayerObservables& what,
                              const ThermalPlan& plan, const Execution& execution);

/// The same at each temperature by itself, each with a sampler that `make` makes and random words of its own.
ThermalRecord record_alone(const EnergyModel& model, const std::function<std::unique_ptr<Sampler>()>& make,
                           const LayerObservables& what, const ThermalPlan& plan, const Execution& execution);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
