#include <harmonium/program/work/row_work.hpp>

#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/program/work/energy_plan.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool sums_states_row_by_row(const EnergyModel& model, double beta) {
  return offers_free_energy(model) && !model.free_energy()->closed(model.layout().observed()) &&
         !(beta == 1.0 && stacked_machines(model));
}

double seconds_of_row(const EnergyModel& model) {
  double operations = 0.0;
  if (offers_free_energy(model)) operations += free_energy_operations(model);
  if (offers_pseudo_likelihood(model)) operations += pseudo_likelihood_operations(model);
  return operations / speed_of("exact");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
