#include <harmonium/estimators/log_partition/variable_elimination.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/part_of_work.hpp>
#include <harmonium/framework/inference/elimination.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void VariableElimination::check(const EnergyModel& model) const {
  try {
    const Elimination elimination(model, options_.max_bits);
  } catch (const CapabilityError& error) {
    throw CapabilityError(std::string("log_partition 'variable_elimination': ") + error.what());
  }
}

LogPartitionEstimate VariableElimination::estimate(const EnergyModel& model, double beta,
                                                   const Execution& execution) const {
  const Elimination elimination(model, options_.max_bits);
  PartOfWork sum(execution.display, 0.0, 0.5, ""), least(execution.display, 0.5, 1.0, "ground state");
  LogPartitionEstimate result = LogPartitionEstimate::of_exact(
      elimination.log_sum(beta, execution.executor, &sum),
      fmt::format("exact, by elimination with tables of up to 2^{:.3g} entries", elimination.order().log2_largest));
  const Elimination::GroundState ground = elimination.ground_state(execution.executor, &least);
  result.ground_state_energy = ground.energy;
  result.ground_state = ground.row(model.layout());
  return result;
}

double VariableElimination::operations(const EnergyModel& model) const {
  constexpr double of_an_entry = 10.0;  // products over a few tables
  return 2.0 * of_an_entry * std::exp2(Elimination(model, options_.max_bits).order().log2_work);
}

void VariableElimination::memory(const EnergyModel& model, MemoryNeed& need) const {
  const EliminationOrder order = Elimination(model, options_.max_bits).order();
  need.add("the tables of the elimination", sizeof(double) * std::exp2(order.log2_held), "log_z's max_bits");
  need.add("the choices that the ground state is found by", std::exp2(order.log2_work), "log_z's max_bits");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
