#include <harmonium/estimators/log_partition/annealing_goal.hpp>

#include <algorithm>
#include <string>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/annealing.hpp>
#include <harmonium/framework/inference/scaled_copy.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

bool any_continuous(const EnergyModel& model) {
  return std::ranges::any_of(model.layout().layers(), [](const Layer& l) { return l.unit->num_states() == 0; });
}

}  // namespace

AnnealingGoal::AnnealingGoal(const EnergyModel& of, double beta, const char* who)
    : scaled(beta == 1.0 ? nullptr : scaled_copy(of, beta)), model(scaled ? *scaled : of), end(scaled ? 1.0 : beta) {
  if (end != 1.0 && any_continuous(of))
    throw CapabilityError(std::string("log_partition '") + who +
                          "': a model of continuous units that cannot be copied has no path to another beta than 1.");
}

void check_infinite_temperature(const EnergyModel& model, const char* who) {
  if (std::ranges::any_of(model.layout().layers(), [](const Layer& l) { return !has_law_at_zero(*l.unit); }))
    throw CapabilityError(std::string("log_partition '") + who + "': at beta = 0 continuous units have no law.");
}

LogPartitionEstimate infinite_temperature_log_z(const EnergyModel& model, const char* who) {
  check_infinite_temperature(model, who);
  return LogPartitionEstimate::of_exact(AnnealingBase::uniform(model).law().log_partition(1.0),
                                        "exact, every state alike");
}

void check_between(const EnergyModel& model, const Sampler& sampler) {
  const AnnealingBase base = AnnealingBase::uniform(model);
  sampler.check({.model = model, .base = base.model(), .beta = 0.5});
}

void check_untempered(const Sampler& sampler, const char* who) {
  if (sampler.rungs() != 1)
    throw ConfigError(std::string("log_partition '") + who +
                      "': the sampler has temperatures of its own. Take 'gibbs'.");
  if (sampler.adaptation_steps() != 0)
    throw ConfigError(
        std::string("log_partition '") + who +
        "': the sampler adapts itself, and each law on the way would ask for something else. Take 'gibbs'.");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
