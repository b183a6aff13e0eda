#include <harmonium/program/work/log_z_way.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/model/parameter_bytes.hpp>
#include <harmonium/program/work/energy_plan.hpp>
#include <harmonium/program/work/way_maker.hpp>

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

/// Where lines stand as they are found.
const char* on_stopping(const EvaluateRequest& request) {
  return request.num_betas > 1 && request.beta_done ? "; what stands by then is not lost to Ctrl-C" : "";
}

/// Where an exact sum will take long, it is said before; and that of the mean energy, which follows.
std::string words_on_long_work(double seconds, double of_energy, const EvaluateRequest& request) {
  constexpr double long_enough = 10.0, longer_than_annealing = 60.0;
  const double in_all = (seconds + of_energy) * static_cast<double>(request.num_betas);
  if (in_all <= long_enough) return "";
  const bool long_energy = of_energy > 0.1 * seconds;
  const std::string on_moments = long_energy && request.left_out_by.empty()
                                     ? fmt::format(" --no-moments leaves out <E>, heat capacity and entropy, {} of it.",
                                                   about_so_long(of_energy * static_cast<double>(request.num_betas)))
                                     : "";
  return fmt::format("log Z {} found exactly, which takes some {}{}. {}{}", long_energy ? "and <E> are" : "is",
                     time_of_sums(seconds + of_energy, request), on_stopping(request),
                     !request.left_out_by.empty()     ? request.left_out_by + " leaves it out."
                     : in_all > longer_than_annealing ? "--log-z ais is quicker, and has an interval."
                                                      : "--log-z ais estimates it, with an interval.",
                     on_moments);
}

/// Where it would have taken too long, it is said how it is had.
std::string words_on_passed_over(const std::string& way, double seconds, const EvaluateRequest& request) {
  if (!request.left_out_by.empty()) return "";  // who evaluates unasked says so, and takes no such option
  return fmt::format(
      "log Z is annealed and has an interval, which more --effort narrows. --log-z {} has it exactly in some {}{}.",
      way, time_of_sums(seconds, request), on_stopping(request));
}

/// Populations, where they meet a state that is asked for; null elsewhere.
MadeWay populations_that_meet(const WayMaker& make, const EnergyModel& model, const EvaluateRequest& request) {
  if (request.ground_state.empty() || !why_no_least_energy(model).empty()) return {};
  MadeWay populations = make("population_annealing");
  const bool meet = serves(*populations.way, model) && populations.way->finds_ground_state(model, request.beta);
  return meet ? populations : MadeWay{};
}

/// Where they are taken in place of `other`, which is nothing where no way would have been.
std::string words_on_populations(const EvaluateRequest& request, const std::string& other) {
  return fmt::format(
      "--ground-state {}: log Z is found by population annealing, which meets low states{}. --log-z NAME takes another "
      "way.",
      request.ground_state, other.empty() ? "" : fmt::format(", and not by '{}', which meets none here", other));
}

/// The quicker of the exact ways that serve; null where none does. Units that couple to few others are summed out one by one in an
/// instant where all states would take minutes.
MadeWay quickest_exact(const WayMaker& make, const EnergyModel& model) {
  MadeWay all_states = make("exact");
  const bool enumerates = serves(*all_states.way, model);
  if (enumerates && all_states.seconds(model) <= 1.0) return all_states;
  MadeWay by_units = make("variable_elimination");
  if (!serves(*by_units.way, model)) return enumerates ? all_states : MadeWay{};
  return enumerates && all_states.seconds(model) <= by_units.seconds(model) ? all_states : by_units;
}

}  // namespace

LogZWay::LogZWay(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                 const Registries& registries)
    : advises_(request.left_out_by.empty()) {
  const bool named = !request.log_z.empty() && request.log_z != "auto";
  if (request.log_z == "none") {
    if (request.effort)
      throw ConfigError("--effort is for annealing and ladders, and --log-z none asks for none. Leave one out.");
    return;
  }
  const WayMaker make(request, options, registries);
  const EnergyModel& looked = looked_at(model, request.beta);
  EnergyPlan energy;
  const auto plan_energy = [&](const MadeWay& exact) {
    if (&looked == &model && request.wants_energy()) energy = plan_of_energy(model, exact.type, request);
    return energy.seconds;
  };
  asked_for_ = named || options.find("log_z");
  bool effort_used = false;
  MadeWay taken = asked_for_ ? make(named ? request.log_z : "exact") : quickest_exact(make, looked);
  if (asked_for_) {
    rows_way_ = taken.way;
    rows_length_ = taken.length;
  } else {
    const double seconds = taken.way ? taken.seconds(looked) : 0.0;
    const double in_all = seconds * static_cast<double>(request.num_betas);
    // Who looks for a ground state asks by --effort for a longer look, and not for another way.
    const double patience = request.ground_state.empty() ? request.effort.value_or(1.0) : 1.0;
    const bool too_long = in_all > longest_unasked * patience;
    effort_used = in_all > longest_unasked;
    if (MadeWay annealed = !taken.way || too_long ? make("ais") : MadeWay{};
        annealed.way && serves(*annealed.way, looked)) {
      constexpr double an_hour = 3600.0;
      if (taken.way) words_ = words_on_passed_over(taken.type, seconds, request);
      if (taken.way && seconds <= an_hour)
        exactly_ = fmt::format(" Or --log-z {}, in some {} of one core.", taken.type, about_so_long(seconds));
      taken = std::move(annealed);
    } else if (taken.way) {
      words_ = words_on_long_work(seconds, plan_energy(taken), request);
    }
    const bool meets = taken.way && (energy.seconds > 0.0 || taken.way->finds_ground_state(looked, request.beta));
    if (MadeWay met = meets || &looked != &model ? MadeWay{} : populations_that_meet(make, model, request); met.way) {
      words_ = words_on_populations(request, taken.type) + (words_.empty() || !too_long ? "" : " " + words_);
      taken = std::move(met);
      energy = {};
    }
  }
  way_ = taken.way;
  length_ = taken.length;
  type_ = taken.type;
  finds_exactly_ = way_ && !taken.takes_effort;
  const bool way_serves = way_ && serves(*way_, looked);
  if (way_serves) operations_ = way_->operations(looked);
  seconds_ = operations_ / speed_of(type_);
  if (asked_for_ && finds_exactly_ && way_serves) words_ = words_on_long_work(seconds_, plan_energy(taken), request);
  effort_used |= energy.needs_effort;
  const StackedMachines* stack = stacked_machines(model);
  const bool serves_first =
      request.first_machine && stack && !stack->untied() && request.names_rows();  // it may be annealed
  if (request.effort && way_ && !taken.takes_effort && !effort_used && !request.effort_where_any && !serves_first)
    throw ConfigError(
        "--effort is for annealing and ladders, and log Z is found otherwise. Leave it out, or add --log-z ais.");
  if (!way_) way_ = make("exact").way;  // which says what would serve
  limits_of_energy_ = energy.limits;
  why_no_energy_ = energy.why_not;
  sums_energies_ = finds_exactly_ && energy.seconds > 0.0;
  if (sums_energies_) {
    share_of_log_z_ = 1.0 / (1.0 + energy.seconds / std::max(1e-9, seconds_));
    seconds_ += energy.seconds;
  }
  if (rows_way_) return;
  if (MadeWay annealed = make("ais"); serves(*annealed.way, model)) {
    rows_way_ = std::move(annealed.way);
    rows_length_ = annealed.length;
  }
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
