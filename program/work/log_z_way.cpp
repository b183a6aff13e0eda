#include <harmonium/program/work/log_z_way.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/parameter_bytes.hpp>
#include <harmonium/framework/run/sections.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/own_run.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

bool serves(const LogPartition& way, const EnergyModel& model) {
  try {
    way.check(model);
    return true;
  } catch (const CapabilityError&) {
    return false;
  }
}

namespace {

/// The model whose log Z at β is found.
const EnergyModel& looked_at(const EnergyModel& model, double beta) {
  return beta == 1.0 ? model_of_log_z(model) : model;
}

/// Operations of one core a second: sums over states run in vectors, those over tables do not.
double speed_of(const std::string& way) { return way == "exact" ? 4e9 : 1e9; }

/// Where an exact sum will take long, it is said before.
void tell_of_long_work(double seconds, Display& display) {
  constexpr double long_enough = 10.0;
  if (seconds > long_enough)
    display.warn(
        fmt::format("log Z is found exactly, which takes some {:.0f} {} of one core at each beta; --log-z ais is "
                    "quicker, and has an interval.",
                    seconds < 120 ? seconds : seconds / 60, seconds < 120 ? "seconds" : "minutes"));
}

/// Whether a way has the option 'effort'.
bool has_effort(const Registries& registries, const std::string& name) {
  const auto known = option_names(registries, LogPartition::kind, name);
  return known && std::ranges::find(*known, "effort") != known->end();
}

}  // namespace

LogZWay::LogZWay(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                 const Registries& registries) {
  const bool named = !request.log_z.empty() && request.log_z != "auto";
  if (request.log_z == "none") {
    if (request.effort)
      throw ConfigError("--effort is for annealing and ladders, and --log-z none asks for none. Leave one out.");
    return;
  }
  asked_for_ = named || options.find("log_z");
  bool takes_effort = false;
  std::string type_name;
  const auto made = [&](const std::string& name) {
    Value spec = with_own_run(component_spec(options, "log_z", name), LogPartition::kind, request.model, registries);
    Value effective;
    const Value* type = spec.find("type");
    type_name = type && type->is_string() ? std::get<std::string>(type->data) : name;
    takes_effort = has_effort(registries, type_name);
    if (request.effort && takes_effort) spec.set("effort", make_value(*request.effort));
    return registries.make<LogPartition>(spec, effective);
  };
  if (asked_for_) way_ = rows_way_ = made(named ? request.log_z : "exact");
  const EnergyModel& looked = looked_at(model, request.beta);
  for (const char* name : {"exact", "variable_elimination", "ais"}) {
    if (way_) break;
    if (std::shared_ptr<LogPartition> way = made(name); serves(*way, looked)) way_ = std::move(way);
  }
  speed_ = speed_of(type_name);
  // Units that couple to few others are summed out one by one in an instant where all states would take minutes.
  const bool enumerates = way_ && !asked_for_ && type_name == "exact";
  if (const double seconds = enumerates ? way_->operations(looked) / speed_ : 0.0; seconds > 1.0) {
    std::shared_ptr<LogPartition> other = made("variable_elimination");
    if (serves(*other, looked) && other->operations(looked) / speed_of(type_name) < seconds) {
      way_ = std::move(other);
      speed_ = speed_of(type_name);
    }
  }
  if (request.effort && !takes_effort && !request.effort_where_any)
    throw ConfigError(
        "--effort is for annealing and ladders, and log Z is found otherwise. Leave it out, or add --log-z ais.");
  finds_exactly_ = way_ && !takes_effort;
  if (!way_) way_ = made("exact");  // which says what would serve
  if (rows_way_) return;
  if (std::shared_ptr<LogPartition> way = made("ais"); serves(*way, model)) rows_way_ = std::move(way);
}

std::optional<LogPartitionEstimate> LogZWay::estimate(const EnergyModel& model, double beta, const Execution& execution,
                                                      std::string& why_not) const {
  const EnergyModel& looked = looked_at(model, beta);
  if (!way_) {
    why_not = "it was not asked for (--log-z none).";
    return {};
  }
  try {
    way_->check(looked);
  } catch (const CapabilityError& error) {
    if (asked_for_) throw;
    why_not = error.what();
    return {};
  }
  MemoryNeed need;
  need.add("the parameters", parameter_bytes(looked), "");
  way_->memory(looked, need);
  need.check("log Z");
  if (finds_exactly_ && execution.display) tell_of_long_work(way_->operations(looked) / speed_, *execution.display);
  return way_->estimate(looked, beta, execution);
}

std::optional<EnergyMoments> LogZWay::energy(const EnergyModel& model, double beta, const Execution& execution,
                                             std::string& why_not) const {
  if (&looked_at(model, beta) != &model) {
    why_not = "log Z is that of the top machine of the stack.";
    return {};
  }
  if (!finds_exactly_) {
    why_not = "it is given where log Z is found exactly. 'harmonium observe' measures energies.";
    return {};
  }
  try {
    return energy_moments(model, beta, execution.executor);
  } catch (const CapabilityError& error) {
    why_not = error.what();
    return {};
  }
}

std::optional<LogPartitionEstimate> LogZWay::estimate_mean(const EnergyModel& model, double beta, const Chains& rows,
                                                           const HeldMask& held, const Execution& execution,
                                                           std::string& why_not) const {
  try {
    if (rows_way_) return rows_way_->estimate_mean(model, beta, rows, held, execution);
    why_not =
        way_ ? "annealing does not serve this model." : "it takes annealing, which was not asked for (--log-z none).";
  } catch (const CapabilityError& error) {
    why_not = error.what();
  }
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
