#pragma once

#include <harmonium/framework/execution/shard.hpp>
#include <harmonium/framework/inference/gradient_estimator.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a shard must know of the minibatch that it has a part of.
struct WholeBatch {
  Index rows = 0;
  double weight = 0.0;  ///< of all rows
  std::span<const double> marginals = {};
};

/// What a PhaseEstimator derives from besides where it can work on a shard: rows of the batch are then those of the shard, and
/// `rows.first_chain()` is the place of their first in the whole batch, by which words are addressed. The shards' sums add up to
/// the phase of the whole batch.
class ShardPhase {
 public:
  virtual ~ShardPhase();
  /// Called once, between `check` and `begin`. Throws CapabilityError where it cannot, with the reason and what would serve.
  virtual void take(const EnergyModel& model, Phase phase, const Shard& shard) = 0;
  /// Called before each `accumulate`.
  virtual void begin_batch(const WholeBatch&) {}
};

/// What a GradientEstimator derives from besides where its work can be cut into shards. There is one object of the estimator for
/// each shard; what all have alike they share with the first of a process, which alone finishes a gradient.
class ShardEstimator {
 public:
  virtual ~ShardEstimator();
  /// As ShardPhase::take.
  virtual void take(const EnergyModel& model, const Shard& shard) = 0;
  /// Called after `begin`: from now on what all shards have alike is that of `first`, which is of the same type.
  virtual void join(ShardEstimator& /*first*/) {}
  /// How many sums over rows it needs beside the gradient.
  virtual Index num_sums(const EnergyModel&) const { return 0; }
  /// As GradientEstimator::estimate, of the shard's rows and chains, and without what is no sum over these: that is left to
  /// `finish`. `gradient` and `sums` are zero.
  virtual GradientEstimator::Report estimate_shard(const EnergyModel& model, const DataBatch& rows,
                                                   const WholeBatch& whole, std::span<Real> gradient,
                                                   std::span<Real> sums, const Execution& execution) = 0;
  /// The gradient of the whole batch, from the sums over all shards.
  virtual void finish(const EnergyModel&, const WholeBatch&, std::span<Real> /*gradient*/,
                      std::span<const Real> /*sums*/, const Executor&) {}
  /// What this shard alone remembers, and what all have alike.
  virtual void shard_state(StateArchive&) {}
  virtual void common_state(StateArchive&) {}
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
