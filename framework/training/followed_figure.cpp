#include <harmonium/framework/training/followed_figure.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/training/figure_observer.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void FollowOptions::bind(OptionBinder& o, std::string_view metric_help) {
  o.option("metric", metric, metric_help);
  static constexpr OptionBinder::Choice<Goal> goals[] = {
      {"automatic", Goal::automatic}, {"greater", Goal::greater}, {"less", Goal::less}};
  o.choice("goal", goal, goals, "which way that figure is better; automatic: as is known of it");
}

void FollowOptions::validate() const {
  if (!metric && goal != Goal::automatic)
    throw ConfigError("'goal' is given, and no figure that it is of. Set metric.");
}

void KeepBestOptions::bind(OptionBinder& o) {
  follow.bind(o, "figure of metrics.jsonl whose best model is kept as best.h5");
}

void StopEarlyOptions::bind(OptionBinder& o) {
  follow.bind(o, "figure of metrics.jsonl that ends the run when it has not become better for long");
  o.option("patience", patience,
           "values of that figure in a row, none of them better, that end the run; 5 unless given", at_least(1));
}

void StopEarlyOptions::validate() const {
  follow.validate();
  if (!follow.metric && patience) throw ConfigError("'patience' is given, and no figure that it is of. Set metric.");
}

namespace {

/// Of a figure of validation or test rows that a run without them would have: what such rows are; else empty.
std::string without_rows(const std::string& name, const std::vector<MeasuredFigure>& measured) {
  for (const std::string part : {"validation", "test"}) {
    const std::string prefix = part + "_";
    const auto of_part = [&](const MeasuredFigure& f) { return f.name.starts_with(prefix); };
    if (!name.starts_with(prefix) || std::ranges::any_of(measured, of_part)) continue;
    if (std::ranges::find(measured, name.substr(prefix.size()), &MeasuredFigure::name) == measured.end()) continue;
    return fmt::format(
        "is a figure of {0} rows, and this run has none. Set data.{0}=N, which sets N rows aside (below 1: that share "
        "of them), or data.{0}_path to a file of them.",
        part);
  }
  return "";
}

}  // namespace

MeasuredFigure followed(const FollowOptions& asked, const char* option, const std::vector<MeasuredFigure>& measured,
                        std::uint64_t epochs) {
  const std::string& name = *asked.metric;
  const auto found = std::ranges::find_if(measured, [&](const MeasuredFigure& f) { return f.name == name; });
  if (found == measured.end()) {
    if (const std::string why = without_rows(name, measured); !why.empty())
      throw ConfigError(fmt::format("'{}' is '{}', which {}", option, name, why));
    std::vector<std::string> names;
    names.reserve(measured.size());
    for (const MeasuredFigure& figure : measured) names.push_back(figure.name);
    throw ConfigError(
        fmt::format("'{}' is '{}', which this run does not measure{}. Measured: {}. Take one of these, or add its "
                    "observer; figures of validation and test rows take such rows (data.validation, data.test).",
                    option, name, did_you_mean(name, names),
                    names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "))));
  }
  MeasuredFigure figure = *found;
  if (asked.goal != Goal::automatic) figure.goal = asked.goal;
  if (figure.goal == Goal::automatic)
    throw ConfigError(fmt::format(
        "'{}' is '{}', and neither more nor less of it is better as such. Set goal = \"greater\" or \"less\".", option,
        name));
  if (figure.every > epochs)
    throw ConfigError(fmt::format(
        "'{}' is '{}', which is due once in {} epochs, and the run has {}. Set its observer's 'every', "
        "as in {}, or train longer.",
        option, name, figure.every, epochs, setting_of_every(name, std::max<std::uint64_t>(1, epochs / 10))));
  return figure;
}

bool better(Goal goal, double value, double than, double margin) {
  return goal == Goal::greater ? value - than > margin : than - value > margin;
}

std::optional<double> value_of(const MetricRecord& record, const std::string& name) {
  const auto found = std::ranges::find_if(record, [&](const auto& entry) { return entry.first == name; });
  if (found == record.end()) return {};
  return found->second;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
