#include <harmonium/program/work/first_machine.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/about_so_long.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/stacked_machines.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/due_effort.hpp>
#include <harmonium/program/work/forecast_once.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* train_the_upper =
    "The curve of each (harmonium report DIR) tells what to change: more epochs where it still rises, smaller steps "
    "where "
    "it falls or wobbles, more chains or hidden units where it rests. Else take the first machine alone.";

constexpr const char* was_trained_with_all =
    "the weights that lead down in a stack of untied weights were trained with all machines, and are no machine by "
    "themselves. 'harmonium evaluate DIR/machine1' has the figure of the first machine as it was trained alone, where "
    "DIR is the stack's folder.";

/// What is told before log Z is found, which for the machine may be much slower than for the stack; empty where that is quick.
std::string words_before(const LogZWay& way, const std::string& left_out_by) {
  constexpr double long_enough = 10.0;
  if (left_out_by.empty() || (!way.anneals() && way.seconds() < long_enough)) return "";
  return fmt::format(
      "log Z of the first machine alone is {} too, so that its log likelihood can stand beside that of the stack{}. {} "
      "leaves it out{}.",
      way.anneals() ? "annealed" : "found",
      way.anneals() ? "; where that is long it is said how long once it has begun"
                    : fmt::format(", in some {} of one core", about_so_long(way.seconds())),
      left_out_by,
      way.effort()
          ? fmt::format("; --effort {:g} takes about a tenth of the time, for a wider interval", 0.1 * *way.effort())
          : "");
}

double seconds_of_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

FirstMachine::FirstMachine(const EvaluateRequest& request, const Value& options, const EnergyModel& model,
                           const Registries& registries) {
  const StackedMachines* stack = stacked_machines(model);
  if (request.no_first_machine && !stack)
    throw ConfigError(
        fmt::format("--no-first-machine: it is for stacks of machines, and {} is none. Leave it out.", request.model));
  if (request.no_first_machine) why_not_ = "it was left out (--no-first-machine).";
  if (!stack || !request.first_machine || !request.names_rows() || request.beta != 1.0 || request.log_z == "none")
    return;
  if (stack->untied() && request.first_machine_model.empty()) {
    why_not_ = was_trained_with_all;
    return;
  }
  EvaluateRequest own = request;
  own.effort_where_any = true;
  own.why_annealed = false;  // its own words say that it is
  if (request.first_machine_model.empty()) {
    machine_ = &stack->machine(0);
  } else {
    own.model = request.first_machine_model;
    alone_ = load_model(own.model, read_model_header(own.model), registries);
    machine_ = alone_.get();
  }
  way_.emplace(with_due_effort(own, options, *machine_, registries), options, *machine_, registries);
  words_ = words_before(*way_, request.first_machine_left_out_by);
}

void FirstMachine::find_log_z(const Execution& execution) {
  if (!machine_) return;
  std::string why_not;
  const TakenTime time;
  if (!words_.empty() && execution.display) execution.display->warn(words_);
  ForecastOnce shown(execution.display, "log Z of the first machine", seconds_of_clock);
  Execution own = execution;
  own.display = &shown;
  try {
    log_z_ = way_->estimate(*machine_, 1.0, own, why_not);
    const TimeTaken taken = time.of(execution.random.seed);
    if (log_z_) advice_ = way_->advice(*log_z_, taken);
    annealed_ = way_->annealed(taken);
  } catch (const CapabilityError&) {  // what was asked for serves the stack alone
  }
}

void FirstMachine::judge(const Dataset& data, const Execution& execution, Evaluation& result) const {
  if (!why_not_.empty())
    for (const char* figure : {"first_machine_log_likelihood", "machines_above"})
      result.reasons.emplace_back(figure, why_not_);
  if (!machine_ || !log_z_) return;
  constexpr Index piece = 2000;
  double sum = 0.0;
  for (Index first = 0; first < data.rows(); first += piece) {
    std::vector<Index> which(std::min(piece, data.rows() - first));
    std::iota(which.begin(), which.end(), first);
    const Chains x = rows_of(data, machine_->layout(), which, 0);
    sum -= mean_free_energy(*machine_, x, 1.0, execution.executor) * static_cast<double>(which.size());
    execution.executor.check_stop();
  }
  const double mean = sum / static_cast<double>(data.rows());
  result.first_machine_interval = {mean - log_z_->high, mean - log_z_->low};
  result.first_machine_annealed = annealed_;
  if (log_z_->agree) result.first_machine_log_likelihood = mean - log_z_->log_z;
  result.machines_above = machines_above(result);
  if (!advice_.empty() && result.machines_above->effect == MachinesAbove::Effect::unknown)
    result.machines_above->remedy = advice_;
}

namespace {

/// What is known by how much, with what to change where that is a loss.
MachinesAbove by_amount(MachinesAbove::Effect effect, const char* before, double nats, const std::string& behind) {
  const std::string amount = fmt::format("{:.4f}", nats);
  const char* const training = effect == MachinesAbove::Effect::lower ? train_the_upper : "";
  return {effect, before + amount + behind, "", training, amount};
}

/// Where ways to log Z do not agree: what even the ends of all that was measured tell that favor it the least. Nothing where they do not.
std::optional<MachinesAbove> decided_by_ends(const Evaluation& stack, const char* whose) {
  using Effect = MachinesAbove::Effect;
  const bool bound = !stack.log_likelihood_interval;
  const std::optional<Interval>&own = bound ? stack.variational_bound_interval : stack.log_likelihood_interval,
        &alone = stack.first_machine_interval;
  if (!own || !alone) return {};
  const std::string measured =
      fmt::format("by all that was measured, though the ways to log Z of {} do not agree", whose);
  if (own->low > alone->high)
    return by_amount(Effect::raise, "The machines above the first raise the log likelihood by at least ",
                     own->low - alone->high, fmt::format(" nats a row, {}.", measured));
  if (own->high >= alone->low) return {};
  const double loss = alone->low - own->high;
  return bound ? by_amount(Effect::lower, "The bound is at least ", loss,
                           fmt::format(" nats a row below the log likelihood of the first machine alone, {}: the "
                                       "machines above it may do harm.",
                                       measured))
               : by_amount(Effect::lower, "The machines above the first lower the log likelihood by at least ", loss,
                           fmt::format(" nats a row, {}.", measured));
}

}  // namespace

MachinesAbove machines_above(const Evaluation& stack) {
  using Effect = MachinesAbove::Effect;
  const std::string unknown = "Whether the machines above the first raise the likelihood is not known: ";
  const auto& first = stack.first_machine_log_likelihood;
  if (!first || !stack.log_z || !stack.log_z_interval) {
    const char* whose = first ? "the stack" : "the first machine";
    if (const std::optional<MachinesAbove> decided = decided_by_ends(stack, whose)) return *decided;
    return {Effect::unknown, fmt::format("{}the ways to log Z of {} do not agree.", unknown, whose),
            "Give more --effort."};
  }
  const bool bound = !stack.log_likelihood;
  const std::optional<double> figure = bound ? stack.variational_bound : stack.log_likelihood;
  if (!figure) return {Effect::unknown, unknown + "the stack has no figure of these rows."};
  const Interval alone = stack.first_machine_interval.value_or(Interval{*first, *first});
  const double gain = *figure - *first;
  const Interval own =
      (bound ? stack.variational_bound_interval : stack.log_likelihood_interval).value_or(Interval{*figure, *figure});
  constexpr double told = 5e-5;  // half of the last digit
  if (!bound && own.low == own.high && alone.low == alone.high && std::abs(gain) < told)
    return {Effect::unknown,
            "The machines above the first leave the log likelihood as it is, to less than 0.0001 nats a row."};
  if (own.low > alone.high) {
    const char* const sure = own.low < own.high || alone.low < alone.high ? " (95 %)" : "";
    return bound ? by_amount(Effect::raise, "The machines above the first raise the log likelihood by at least ",
                             own.low - alone.high, fmt::format(" nats a row{}.", sure))
                 : by_amount(Effect::raise, "The machines above the first raise the log likelihood by ", gain,
                             " nats a row.");
  }
  if (own.high < alone.low)
    return bound ? by_amount(Effect::lower, "The bound is ", -gain,
                             " nats a row below the log likelihood of the first machine alone: the machines above it "
                             "may do harm.")
                 : by_amount(Effect::lower, "The machines above the first lower the log likelihood by ", -gain,
                             " nats a row.");
  return {Effect::unknown, fmt::format("{}the {} lies within the errors of the first machine's log likelihood.",
                                       unknown, bound ? "bound" : "stack's log likelihood")};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
