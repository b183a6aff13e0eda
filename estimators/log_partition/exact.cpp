#include <harmonium/estimators/log_partition/exact.hpp>

#include <cmath>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void ExactLogPartition::check(const EnergyModel& model) const {
  try {
    const Enumeration enumeration(model, {}, options_.max_bits);
  } catch (const CapabilityError& error) {
    throw CapabilityError(std::string("log_partition 'exact': ") + error.what() + " 'ais' estimates log Z" +
                          (offers_pseudo_likelihood(model) ? ", and 'pseudo_likelihood' does without it." : "."));
  }
}

LogPartitionEstimate ExactLogPartition::estimate(const EnergyModel& model, double beta,
                                                 const Execution& execution) const {
  const Enumeration enumeration(model, {}, options_.max_bits);
  return LogPartitionEstimate::of_exact(enumeration.log_sum(beta, nullptr, execution.executor, execution.display),
                                        "exact, by enumeration");
}

void ExactLogPartition::memory(const EnergyModel& model, MemoryNeed& need) const {
  need.add("the sums of the enumeration's pieces",
           std::exp2(Enumeration::log2_states(model)) / static_cast<double>(Enumeration::piece) * sizeof(double),
           "log_z's max_bits");
}

double ExactLogPartition::operations(const EnergyModel& model) const {
  const Enumeration enumeration(model, {}, options_.max_bits);
  return static_cast<double>(enumeration.num_states()) * model.free_energy()->operations(enumeration.enumerated());
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
