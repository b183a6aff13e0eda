#pragma once

#include <harmonium/framework/inference/sharding.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What an estimator E derives from whose gradient is a sum over rows, each with words of its own place in the batch, and that
/// remembers no more than how often it was asked: a shard is then a batch. Internal to this folder.
template <class E>
class SumOverRows : public ShardEstimator {
 public:
  void take(const EnergyModel&, const Shard&) override {}
  GradientEstimator::Report estimate_shard(const EnergyModel& model, const DataBatch& rows, const WholeBatch&,
                                           std::span<Real> gradient, std::span<Real>,
                                           const Execution& execution) override {
    return static_cast<E&>(*this).estimate(model, rows, gradient, execution);
  }
  void shard_state(StateArchive& archive) override { static_cast<E&>(*this).state(archive); }
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
