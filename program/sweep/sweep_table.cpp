#include <harmonium/program/sweep/sweep_table.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/files/leak_file.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/files/verdict_file.hpp>
#include <harmonium/program/figure_epochs.hpp>
#include <harmonium/program/kept_likelihoods.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

using Band = LoggedCurve::Band;

/// A line of CSV, with quotation marks where a cell needs them.
std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += cell.find_first_of("\",;\n\r") == std::string::npos ? cell : csv_quoted(cell);
  }
  return line + "\n";
}

std::string number_cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

/// Whether any run has a band of that kind.
bool has_band(const ComparedFigure& figure, Band band) {
  return std::ranges::any_of(figure.of_runs, [&](const auto& own) { return own && own->band == band; });
}

/// Whether any run has an error of it, beside an interval or alone.
bool has_error(const ComparedFigure& figure) {
  return std::ranges::any_of(figure.of_runs, [](const auto& own) { return own && std::isfinite(own->last.error); });
}

/// Whether any run went on after its last value of it, so that the runs' values may be of several epochs.
bool has_epoch(const ComparedFigure& figure, const std::vector<ComparedRun>& runs) {
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (taken_earlier(figure, runs[r], r)) return true;
  return false;
}

void add_names(std::vector<std::string>& line, const ComparedFigure& figure, bool epoch) {
  line.push_back(figure.name);
  if (has_error(figure)) line.push_back(figure.name + "_error");
  if (has_band(figure, Band::interval)) line.insert(line.end(), {figure.name + "_low", figure.name + "_high"});
  if (epoch) line.push_back(figure.name + "_epoch");
}

void add_cells(std::vector<std::string>& line, const ComparedFigure& figure, std::size_t run, bool epoch) {
  const std::optional<FinalFigure>& own = figure.of_runs[run];
  const CurvePoint last = own ? own->last : CurvePoint{};
  line.push_back(own ? number_cell(last.value) : "");
  const auto add = [&](bool there, double value) { line.push_back(own && there ? number_cell(value) : ""); };
  if (has_error(figure)) add(true, last.error);
  const bool interval = own && own->band == Band::interval;
  if (has_band(figure, Band::interval)) add(interval, last.low), add(interval, last.high);
  if (epoch) add(true, last.epoch);
}

}  // namespace

std::string text_of_setting(const Value& value) {
  if (value.is_empty()) return "";
  return value.is_string() ? std::get<std::string>(value.data) : write_toml_value(value);
}

std::size_t SweepResults::count(SweepEnd::State state) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ends, [&](const auto& end) { return end && end->state == state; }));
}

std::size_t SweepResults::unfinished() const {
  return static_cast<std::size_t>(std::ranges::count_if(ends, [](const auto& end) { return !end; }));
}

SweepResults results_of(const SweepRuns& runs, const SweepFolder& folder) {
  SweepResults results;
  for (const SweepRun& run : runs.runs) {
    results.ends.push_back(folder.end(run.name));
    ComparedRun compared;
    compared.name = run.name;
    std::error_code unknown;
    // What a run that was broken off has measured depends on when that was.
    if (folder.over(run.name)) compared.log = read_metrics_log(folder.run(run.name) / "metrics.jsonl");
    const auto& end = results.ends.back();
    if (folder.over(run.name) && std::filesystem::exists(folder.run(run.name) / "config.toml", unknown))
      compared.config = read_toml(folder.run(run.name) / "config.toml");
    const bool finished = end && end->state == SweepEnd::State::finished;
    if (finished) {
      compared.state = ComparedRun::State::finished;
      const std::filesystem::path likelihoods = folder.run(run.name) / "final.jsonl";
      if (std::filesystem::exists(likelihoods, unknown)) compared.final = read_metrics_log(likelihoods);
      add_kept_likelihoods(folder.run(run.name).string(), compared);
    }
    compared.leak = leak_in(folder.run(run.name));
    results.verdicts.push_back(finished ? verdict_in(folder.run(run.name)) : "");
    results.logs.push_back(std::move(compared));
  }
  results.figures = figures_at_end(results.logs);
  return results;
}

std::string table_of_sweep(const SweepRuns& runs, const SweepResults& results, const std::vector<std::size_t>& order) {
  std::vector<std::string> names{"run"};
  names.insert(names.end(), runs.keys.begin(), runs.keys.end());
  names.insert(names.end(), {"status", "epochs", "updates"});
  for (const ComparedFigure& figure : results.figures) add_names(names, figure, has_epoch(figure, results.logs));
  const bool leaks = std::ranges::any_of(results.logs, [](const ComparedRun& run) { return !run.leak.empty(); });
  if (leaks) names.emplace_back("leak");
  names.insert(names.end(), {"verdict", "error"});
  std::string table = line_of(names);
  for (const std::size_t r : order) {
    const SweepRun& run = runs.runs[r];
    const auto& end = results.ends[r];
    std::vector<std::string> line{"runs/" + run.name};
    for (const Value& setting : run.settings) line.push_back(text_of_setting(setting));
    const MetricsLog& log = results.logs[r].log;
    line.insert(line.end(), {end ? name_of(end->state) : "unfinished", log.epochs ? std::to_string(log.epochs) : "",
                             log.epochs ? std::to_string(log.updates) : ""});
    for (const ComparedFigure& figure : results.figures) add_cells(line, figure, r, has_epoch(figure, results.logs));
    if (leaks) line.push_back(results.logs[r].leak);
    line.insert(line.end(), {results.verdicts[r], end ? end->error : ""});
    table += line_of(line);
  }
  return table;
}

}  // namespace v1
}  // namespace harmonium
