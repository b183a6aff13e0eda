#pragma once

#include <memory>
#include <string>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct TrajectoryLogPartitionOptions {
  std::string run = {};
  double acceptance = 0.25;
  Index num_ladders = 10;
  double effort = 1.0;
  std::unique_ptr<Sampler> sampler = {};

  void bind(OptionBinder& o);
};

/// log Z along the path that training took to a model (machine_path.hpp): its first machine has no couplings, and so log Z in
/// closed form; from there ladders of machines exchange their rows (MachineLadder), and each step between neighbors has its
/// log(Z / Z) by Bennett's acceptance ratio. The error is the jackknife's over ladders, which are independent of each other.
///
/// The ladder is chosen first (MachineLadderChoice): as few of the kept machines as exchange often enough with their
/// neighbors, and machines between two of them where these alone would not. It is agreed on where rows made enough round trips,
/// the draws of neighbors overlap, and energies at the model do not drift.
class TrajectoryLogPartition final : public LogPartition {
 public:
  using Options = TrajectoryLogPartitionOptions;
  explicit TrajectoryLogPartition(Options options);

  /// Throws CapabilityError for a model that cannot be copied, or that is more than independent units without its couplings.
  void check(const EnergyModel& model) const override;
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
