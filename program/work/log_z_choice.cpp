#include <harmonium/program/work/log_z_choice.hpp>

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>

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

const EnergyModel& looked_at(const EnergyModel& model, double beta) {
  return beta == 1.0 ? model_of_log_z(model) : model;
}

namespace {

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

/// Of a model that no exact way serves.
std::string words_on_no_sum(const EnergyModel& model, const EvaluateRequest& request) {
  if (!request.left_out_by.empty() || !request.why_annealed) return "";
  const double bits = Enumeration::log2_states(model);
  return std::isinf(bits)
             ? "log Z is annealed and has an interval: no sum over states that is known has it exactly."
             : fmt::format("log Z is annealed and has an interval: state by state it would be a sum over 2^{:.0f}.",
                           bits);
}

/// By annealing in place of an exact sum that there is not, or that would take too long: whether that serves.
bool annealed_instead(const WayMaker& make, const EnergyModel& looked, const EvaluateRequest& request, double seconds,
                      ChosenWay& chosen) {
  constexpr double an_hour = 3600.0;
  MadeWay annealed = make("ais");
  if (!serves(*annealed.way, looked)) return false;
  if (const MadeWay& exact = chosen.made; exact.way) {
    chosen.words = words_on_passed_over(exact.type, seconds, request);
    if (seconds <= an_hour)
      chosen.exactly = fmt::format(" Or --log-z {}, in some {} of one core.", exact.type, about_so_long(seconds));
  } else {
    chosen.words = words_on_no_sum(looked, request);
  }
  chosen.made = std::move(annealed);
  return true;
}

/// By populations where a ground state is asked for that nothing else brings.
void meet_ground_state(const WayMaker& make, const EnergyModel& model, const EvaluateRequest& request,
                       ChosenWay& chosen) {
  const MadeWay& made = chosen.made;
  if (&looked_at(model, request.beta) != &model) return;
  if (made.way && (chosen.energy.seconds > 0.0 || made.way->finds_ground_state(model, request.beta))) return;
  MadeWay populations = populations_that_meet(make, model, request);
  if (!populations.way) return;
  const std::string passed_over = chosen.too_long && !chosen.words.empty() ? " " + chosen.words : "";
  chosen.words = words_on_populations(request, made.type) + passed_over;
  chosen.made = std::move(populations);
  chosen.energy = {};
}

}  // namespace

void plan_energy(const EnergyModel& model, const EvaluateRequest& request, double seconds, ChosenWay& chosen) {
  if (&looked_at(model, request.beta) == &model && request.wants_energy())
    chosen.energy = plan_of_energy(model, chosen.made.type, request);
  chosen.words = words_on_long_work(seconds, chosen.energy.seconds, request);
}

ChosenWay chosen_unasked(const WayMaker& make, const EnergyModel& model, const EvaluateRequest& request) {
  const EnergyModel& looked = looked_at(model, request.beta);
  ChosenWay chosen{.made = quickest_exact(make, looked)};
  const double seconds = chosen.made.way ? chosen.made.seconds(looked) : 0.0;
  const double in_all = seconds * static_cast<double>(request.num_betas);
  // Who looks for a ground state asks by --effort for a longer look, and not for another way.
  const double patience = request.ground_state.empty() ? request.effort.value_or(1.0) : 1.0;
  chosen.too_long = in_all > longest_unasked * patience;
  chosen.effort_used = in_all > longest_unasked;
  const bool annealed =
      (!chosen.made.way || chosen.too_long) && annealed_instead(make, looked, request, seconds, chosen);
  if (!annealed && chosen.made.way) plan_energy(model, request, seconds, chosen);
  meet_ground_state(make, model, request, chosen);
  return chosen;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
