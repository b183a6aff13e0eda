#include <harmonium/program/work/log_z_way.hpp>

#include <algorithm>
#include <utility>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/parameter_bytes.hpp>
#include <harmonium/program/work/log_z_choice.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

LogZWay::LogZWay(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                 const Registries& registries)
    : advises_(request.left_out_by.empty()) {
  if (request.log_z == "none") {
    if (request.effort)
      throw ConfigError("--effort is for annealing and ladders, and --log-z none asks for none. Leave one out.");
    return;
  }
  const WayMaker make(request, options, registries);
  const bool named = !request.log_z.empty() && request.log_z != "auto";
  asked_for_ = named || options.find("log_z");
  ChosenWay chosen =
      asked_for_ ? ChosenWay{.made = make(named ? request.log_z : "exact")} : chosen_unasked(make, model, request);
  const bool serve = take(chosen.made, model, request);
  if (asked_for_) {
    rows_way_ = way_;
    rows_length_ = length_;
    if (finds_exactly_ && serve) plan_energy(model, request, seconds_, chosen);
  }
  check_effort(chosen, model, request);
  words_ = std::move(chosen.words);
  exactly_ = std::move(chosen.exactly);
  add_energy(chosen.energy);
  if (!way_) way_ = make("exact").way;  // which says what would serve
  if (rows_way_) return;
  if (MadeWay annealed = make("ais"); serves(*annealed.way, model)) {
    rows_way_ = std::move(annealed.way);
    rows_length_ = annealed.length;
  }
}

bool LogZWay::take(const MadeWay& made, const EnergyModel& model, const EvaluateRequest& request) {
  const EnergyModel& looked = looked_at(model, request.beta);
  way_ = made.way;
  length_ = made.length;
  type_ = made.type;
  finds_exactly_ = way_ && !made.takes_effort;
  const bool serve = way_ && serves(*way_, looked);
  if (serve) operations_ = way_->operations(looked);
  seconds_ = operations_ / speed_of(type_);
  return serve;
}

void LogZWay::check_effort(const ChosenWay& chosen, const EnergyModel& model, const EvaluateRequest& request) const {
  const StackedMachines* stack = stacked_machines(model);
  const bool serves_first =
      request.first_machine && stack && !stack->untied() && request.names_rows();  // it may be annealed
  if (request.effort && finds_exactly_ && !chosen.effort_used && !chosen.energy.needs_effort &&
      !request.effort_where_any && !serves_first)
    throw ConfigError(
        "--effort is for annealing and ladders, and log Z is found otherwise. Leave it out, or add --log-z ais.");
}

void LogZWay::add_energy(const EnergyPlan& energy) {
  limits_of_energy_ = energy.limits;
  why_no_energy_ = energy.why_not;
  sums_energies_ = finds_exactly_ && energy.seconds > 0.0;
  if (!sums_energies_) return;
  share_of_log_z_ = 1.0 / (1.0 + energy.seconds / std::max(1e-9, seconds_));
  seconds_ += energy.seconds;
}

std::string LogZWay::advice(const LogPartitionEstimate& found, const TimeTaken& taken) const {
  const std::string advice = advises_ ? advice_on(found, "log Z", length_, taken) : "";
  return advice.empty() ? "" : advice + exactly_;
}

std::string LogZWay::advice_on_rows(const LogPartitionEstimate& found, const TimeTaken& taken) const {
  return advises_ ? advice_on(found, "what rows come to", rows_length_, taken) : "";
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
  if (!words_.empty() && execution.display) execution.display->warn(words_);
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
  if (!why_no_energy_.empty()) {
    why_not = why_no_energy_;
    return {};
  }
  if (execution.display) execution.display->progress(0.0, "");
  try {
    return energy_moments(model, beta, execution.executor, limits_of_energy_, execution.display);
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
