#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/energy_moments.hpp>
#include <harmonium/framework/inference/normal_units.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/program/work/log_z_way.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string why_no_least_energy(const EnergyModel& model) {
  const Layout& layout = model.layout();
  const auto has_states = [](const Layer& layer) { return layer.unit->num_states() > 0; };
  const bool coupled = !NormalUnits::of(model);
  for (const Layer& layer : layout.layers()) {
    if (has_states(layer)) continue;
    if (!is_normal(*layer.unit) || std::ranges::none_of(layout.layers(), has_states))
      return fmt::format(
          "the units of layer '{}' are continuous, and a state is found of discrete ones, with Gaussian ones beside "
          "them "
          "at their means.",
          layer.name);
    if (coupled)
      return fmt::format(
          "the units of layer '{}' are Gaussian, and the least energy over such units is had where none is coupled "
          "with "
          "another of them.",
          layer.name);
  }
  return "";
}

void LogZWay::check_ground_state(const EnergyModel& model, const EvaluateRequest& request) const {
  const auto refuse = [&](const std::string& why) {
    throw CapabilityError(fmt::format("--ground-state {}: {}", request.ground_state, why));
  };
  const Layout& layout = model.layout();
  if (request.beta == 1.0 && stacked_machines(model))
    refuse(
        "log Z of a stack is that of its top machine, whose states are none of the stack's. Name the file of a "
        "machine.");
  const std::string why_not = why_no_least_energy(model);
  if (!why_not.empty()) refuse(why_not);
  if (sums_energies_ || (way_ && way_->finds_ground_state(model, request.beta))) return;

  std::string why;
  if (!way_) why = "log Z is not asked for (--log-z none).";
  else if (type_.empty()) why = "no way to log Z that is taken unasked serves the model.";
  else if (!finds_exactly_ && request.beta == 0.0)
    why = "at beta 0 every state weighs the same, and none is looked for.";
  else if (!finds_exactly_) why = fmt::format("log Z is found by '{}', which meets no ground state.", type_);
  else if (!why_no_energy_.empty()) why = fmt::format("the state is found with <E>, and {}", why_no_energy_);
  else if (request.log_z_alone) why = "the state is found with <E>, which --no-moments leaves out.";
  else
    why = fmt::format("'{}' sums layers out, and energies of all 2^{:.4g} states are not looked at.", type_,
                      layout.log2_states(layout.all()));
  const auto continuous =
      std::ranges::find_if(layout.layers(), [](const Layer& layer) { return layer.unit->num_states() == 0; });
  if (continuous != layout.layers().end())
    refuse(fmt::format(
        "{} --log-z variable_elimination has it where units are coupled with few others; other ways go through states, "
        "of which the units of layer '{}' have none.",
        why, continuous->name));
  refuse(
      why +
      " --log-z variable_elimination has it where units are coupled with few others, exact where all units have 2^24 "
      "joint states at most, and population_annealing the lowest that it meets.");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
