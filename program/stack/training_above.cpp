#include <harmonium/program/stack/training_above.hpp>

#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/report/trend.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string advice_on(const MachineAbove& machine, const Trend& trend) {
  const std::string figure = fmt::format("The {} of machine {}", machine.curve->kind.title, machine.number);
  const auto smaller_steps = [&](const std::string& why) {
    return fmt::format("{} {}: train it with smaller steps (optimizer.learning_rate) or more chains.", figure, why);
  };
  if (trend.best_epoch)
    return smaller_steps(fmt::format("was best after epoch {:g}, and fell since", *trend.best_epoch));
  switch (trend.state) {
    case Trend::State::moves:
      if (trend.change < 0.0) return smaller_steps("was falling at the end");
      return fmt::format(
          "{} was still rising at the end, by {:.0f} % of its range over the last half of the epochs: train it longer "
          "(training.num_epochs).",
          figure, 100.0 * trend.share);
    case Trend::State::hidden: return smaller_steps("wobbled more than it rose");
    case Trend::State::rests: break;
  }
  return fmt::format("{} had come to rest: more chains, or more hidden units, may help it.", figure);
}

}  // namespace

std::optional<LoggedCurve> curve_of_run(const std::filesystem::path& folder) {
  try {
    std::vector<LoggedCurve> curves = logged_curves(read_metrics_log(folder / "metrics.jsonl"));
    for (const char* name : {"log_likelihood", "pseudo_log_likelihood"})
      for (LoggedCurve& curve : curves)
        if (curve.name == name && trend_of(curve)) return std::move(curve);
  } catch (const Error&) {  // the stack is there without it
  }
  return {};
}

std::string advice_on_machines(const std::vector<MachineAbove>& machines) {
  std::string text;
  for (const MachineAbove& machine : machines) {
    const std::optional<Trend> trend = machine.curve ? trend_of(*machine.curve) : std::nullopt;
    if (trend) text += advice_on(machine, *trend) + " ";
  }
  return text.empty() ? text : text + "Else take the first machine alone.";
}

}  // namespace v1
}  // namespace harmonium
