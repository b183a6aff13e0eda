#include <harmonium/program/work/energy_plan.hpp>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/diagnostics/two_digits.hpp>
#include <harmonium/framework/inference/effort.hpp>
#include <harmonium/framework/training/likelihood_at_end.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr double speed_of_energies = 4e9;  // of states, one by one: log Z alone takes them as products of matrices

/// "--effort 3": the least that is enough, in two digits; nothing where no effort is.
std::string effort_for(double seconds) {
  const double enough = up_to_two_digits(seconds / longest_energy);
  return enough <= most_effort ? fmt::format("Add --effort {:g}; ", enough) : "";
}

}  // namespace

double speed_of(const std::string& way) { return operations_in_a_second(way); }

std::string time_of_sums(double seconds, const EvaluateRequest& request) {
  std::string each = about_so_long(seconds) + " of one core";
  if (request.num_betas == 1) return each;
  return fmt::format("{} at each of {} betas, {} in all", each, request.num_betas,
                     about_so_long(seconds * static_cast<double>(request.num_betas)));
}

EnergyPlan plan_of_energy(const EnergyModel& model, const std::string& way, const EvaluateRequest& request) {
  EnergyPlan plan;
  // The order of a dense graph is looked for only where log Z is found by one.
  if (way == "variable_elimination" && !has_few_states(model.layout())) plan.limits = EliminationLimits::none();
  if (way == "variable_elimination") plan.limits.ground_state = false;  // log Z comes with it
  const EnergyMomentsWork work = energy_moments_work(model, plan.limits);
  const double seconds = work.of_states / speed_of_energies + work.of_tables / speed_of("variable_elimination");
  const double in_all = seconds * static_cast<double>(request.num_betas);
  plan.needs_effort = in_all > longest_energy;
  if (in_all > longest_energy * request.effort.value_or(1.0))
    plan.why_not = fmt::format(
        "its sum takes some {}, and is begun unasked where all take {} or less. {}'harmonium "
        "observe' measures it.",
        time_of_sums(seconds, request), about_so_long(longest_energy * request.effort.value_or(1.0)),
        effort_for(in_all));
  else if (work.table_bytes > 0.5 * machine_memory())
    plan.why_not =
        fmt::format("its tables take {} of memory. 'harmonium observe' measures it.", bytes_in_words(work.table_bytes));
  else plan.seconds = seconds;
  return plan;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
