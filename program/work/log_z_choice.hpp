#pragma once

#include <string>

#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/program/work/energy_plan.hpp>
#include <harmonium/program/work/requests.hpp>
#include <harmonium/program/work/way_maker.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a way to log Z is one for the model.
bool serves(const LogPartition& way, const EnergyModel& model);

/// What keeps the least energy over continuous units from being had by a formula; empty: nothing does, or there are none.
std::string why_no_least_energy(const EnergyModel& model);

/// The model whose log Z at β is found: of a stack at β = 1 its top machine.
const EnergyModel& looked_at(const EnergyModel& model, double beta);

/// The way to log Z that is taken, and how the mean energy is summed after it.
struct ChosenWay {
  MadeWay made;  ///< nothing where no way serves
  EnergyPlan energy = {};
  std::string words = {};  ///< told before work begins; empty: none
  std::string exactly =
      {};  ///< what is added to the advice on an annealed log Z: how long an exact sum takes; empty: too long, or none
  bool too_long = false;     ///< whether an exact sum takes longer than is begun unasked
  bool effort_used = false;  ///< whether `--effort` decided on that
};

/// Adds the moments of the energy to a way that takes so many seconds, and what is said where both take long.
void plan_energy(const EnergyModel& model, const EvaluateRequest& request, double seconds, ChosenWay& chosen);

/// As LogZWay has it where no way is named.
ChosenWay chosen_unasked(const WayMaker& make, const EnergyModel& model, const EvaluateRequest& request);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
