#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/ground_state_file.hpp>
#include <harmonium/program/work/judge.hpp>
#include <harmonium/program/work/own_parts.hpp>
#include <harmonium/program/work/row_table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

constexpr const char* one_set_of_rows = "it has the figures of one set of rows. Name that by --data";

/// What is read is not written to.
void check_outputs_spare(const EvaluateRequest& request, const Dataset& rows) {
  if (!request.rows.empty()) check_output_spares(rows, request.rows, "--rows");
  if (!request.ground_state.empty()) check_output_spares(rows, request.ground_state, "--ground-state");
}

/// The rows that would be judged, without figures.
void tell_rows_alone(const EvaluateRequest& request, Judge& judge) {
  if (const std::optional<Dataset> data = judge.named_data()) {
    check_outputs_spare(request, *data);
    judge.tell_of(*data, "rows");
  } else if (request.own_data || !request.split.empty()) {
    const DataSplits splits = judge.data_of_run();
    const std::vector<NamedRows> parts =
        request.split.empty() ? parts_of(splits) : std::vector<NamedRows>{part_named(splits, request.split)};
    for (const auto& [name, rows] : parts) {
      check_outputs_spare(request, *rows);
      judge.tell_of(*rows, fmt::format("{} rows", name));
    }
  }
}

}  // namespace

Evaluations evaluate(const EvaluateRequest& request, const Registries& builtin) {
  if (!request.rows.empty()) check_rows_output(request);
  if (!request.ground_state.empty()) check_ground_state_output(request);
  Judge judge(request, builtin);
  Evaluations all;
  if (request.rows_alone) {
    tell_rows_alone(request, judge);
    return all;
  }
  if (const std::optional<Dataset> data = judge.named_data()) {
    check_outputs_spare(request, *data);
    judge.expect_rows(data->rows());
    all.whole = judge.of(*data, judge.of_model(), "rows", 0);
  } else if (!request.split.empty()) {
    const DataSplits splits = judge.data_of_run();
    const auto [name, rows] = part_named(splits, request.split);
    check_outputs_spare(request, *rows);
    judge.expect_rows(rows->rows());
    all.whole = judge.of(*rows, judge.of_model(), fmt::format("{} rows", name), 0);
  } else if (!request.rows.empty() && !request.own_data) {
    throw ConfigError(fmt::format("--rows {}: {}.", request.rows, one_set_of_rows));
  } else if (request.own_data) {
    const DataSplits splits = judge.data_of_run();
    const std::vector<NamedRows> parts = parts_of(splits);
    if (!request.rows.empty() && parts.size() > 1)
      throw ConfigError(
          fmt::format("--rows {}: {}, or one of the run's own by --split.", request.rows, one_set_of_rows));
    Index rows_in_all = 0, before = 0;
    for (const NamedRows& part : parts) {
      check_outputs_spare(request, *part.second);
      rows_in_all += part.second->rows();
    }
    judge.expect_rows(rows_in_all);
    const Evaluation model = judge.of_model();
    for (const auto& [name, rows] : parts) {
      all.splits.emplace_back(name, judge.of(*rows, model, fmt::format("{} rows", name), before));
      before += rows->rows();
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
