#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/judge.hpp>
#include <harmonium/program/work/row_table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

using NamedRows = std::pair<const char*, const Dataset*>;

/// The parts of a run's rows that there are.
std::vector<NamedRows> parts_of(const DataSplits& splits) {
  std::vector<NamedRows> parts{{"training", &splits.train}};
  if (splits.validation) parts.emplace_back("validation", &*splits.validation);
  if (splits.test) parts.emplace_back("test", &*splits.test);
  return parts;
}

NamedRows part_named(const DataSplits& splits, const std::string& split) {
  std::vector<std::string> names;
  for (const NamedRows& part : parts_of(splits)) {
    if (part.first == split) return part;
    names.emplace_back(part.first);
  }
  throw ConfigError(fmt::format("--split {}: the run has no such rows{}. It has: {}.", split,
                                did_you_mean(split, names), fmt::join(names, ", ")));
}

void check_split(const EvaluateRequest& request) {
  if (!request.split.empty() && !request.data.empty())
    throw ConfigError(
        fmt::format("--split {}: --data names the rows already. Leave one of the two out.", request.split));
}

}  // namespace

Evaluations evaluate(const EvaluateRequest& request, const Registries& builtin) {
  check_split(request);
  if (!request.rows.empty()) check_rows_output(request);
  Judge judge(request, builtin);
  Evaluations all;
  if (const std::optional<Dataset> data = judge.named_data()) {
    if (!request.split.empty())
      throw ConfigError(
          fmt::format("--split {}: settings of data (--set data...) name rows of their own. Leave one of the two out.",
                      request.split));
    all.whole = judge.of(*data, judge.of_model(), "rows", 0, 1);
  } else if (!request.split.empty()) {
    const DataSplits splits = judge.data_of_run();
    const auto [name, rows] = part_named(splits, request.split);
    all.whole = judge.of(*rows, judge.of_model(), fmt::format("{} rows", name), 0, 1);
  } else if (!request.rows.empty()) {
    throw ConfigError(fmt::format("--rows {}: it has the figures of one set of rows. Name that by --data{}.",
                                  request.rows, request.own_data ? ", or one of the run's own by --split" : ""));
  } else if (request.own_data) {
    const DataSplits splits = judge.data_of_run();
    const std::vector<NamedRows> parts = parts_of(splits);
    const Evaluation model = judge.of_model();
    for (Index k = 0; k < parts.size(); ++k) {
      const auto& [name, rows] = parts[k];
      all.splits.emplace_back(name, judge.of(*rows, model, fmt::format("{} rows", name), k, parts.size()));
    }
    all.whole = judge.without_data(model, Parts::yes);
  } else {
    all.whole = judge.without_data(judge.of_model(), Parts::no);
  }
  if (request.display) request.display->finish();
  return all;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
