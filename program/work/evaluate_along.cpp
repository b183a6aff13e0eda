#include <optional>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/execution/told_once.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/each_temperature.hpp>
#include <harmonium/program/work/ground_state_file.hpp>
#include <harmonium/program/work/judge.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What is not asked for at one of several temperatures.
void leave_out(EvaluateRequest& one) {
  one.own_data = false;
  // Without weights no population looks for a state, and an exact sum has the same at any other temperature.
  if (one.beta == 0.0 && one.num_betas > 1) one.ground_state.clear();
}

/// Throws before any work where one of the temperatures has no ground state.
void check_ground_states(const EvaluateRequest& request, const std::vector<double>& betas, Display& display,
                         const Registries& builtin) {
  if (request.ground_state.empty()) return;
  at_each_temperature(request, betas, display, [&](EvaluateRequest one) {
    leave_out(one);
    const Judge judge(one, builtin);
  });
}

}  // namespace

std::vector<std::pair<double, Evaluation>> evaluate_along(const EvaluateRequest& request, const Registries& builtin) {
  const char* option = request.listed.option();
  if (!request.split.empty())
    throw ConfigError(fmt::format(
        "--split {}: {} takes the rows of --data, or none. Give --beta, or leave --split out.", request.split, option));
  if (!request.rows.empty())
    throw ConfigError(
        fmt::format("--rows {}: it has the figures at one temperature, and {} names several. Give --beta, or leave "
                    "--rows out.",
                    request.rows, option));
  const std::vector<double> betas = read_betas(request.listed);
  std::vector<std::pair<double, Evaluation>> all;
  std::optional<Evaluation> lowest;  // of those whose state was written
  ToldOnce once(request.display);
  check_ground_states(request, betas, once, builtin);
  at_each_temperature(request, betas, once, [&](EvaluateRequest one) {
    leave_out(one);
    if (lowest) one.ground_state_below = lowest->ground_state_energy;
    all.emplace_back(one.beta, evaluate(one, builtin).whole);
    const Evaluation& found = all.back().second;
    if (!one.ground_state.empty() && (!lowest || found.ground_state_energy < lowest->ground_state_energy))
      lowest = found;
    if (request.beta_done) request.beta_done(one.beta, found);
  });
  if (lowest) tell_of_ground_state(request.ground_state, *lowest, &once);
  if (request.display) request.display->finish();
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
