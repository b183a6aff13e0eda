// harmonium study cd-bias; of the other studies, who makes them
#include <atomic>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/unfinished.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/framework/run/cd_bias_report.hpp>
#include <harmonium/framework/run/cd_bias_run.hpp>
#include <harmonium/framework/run/cd_bias_tables.hpp>
#include <harmonium/framework/run/commands.hpp>
#include <harmonium/framework/run/estimator_study.hpp>
#include <harmonium/framework/run/study_parts.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* no_curves =
    "gnuplot is not installed: the study has its tables, but no figures. Install it (Debian: gnuplot-nox) and give the "
    "same "
    "command once more: what was computed is kept.";

}  // namespace

std::vector<OptionInfo> study_options(const std::string& name) {
  if (name == "estimators") return describe_options([](OptionBinder& binder) { EstimatorStudyOptions().bind(binder); });
  return describe_options([](OptionBinder& binder) { CdBiasOptions().bind(binder); });
}

StudyOutcome study(const StudyRequest& request, const Registries& registries) {
  if (request.name == "estimators") return study_estimators(request, registries);
  if (!request.plugins.empty())
    throw ConfigError(
        fmt::format("--plugin {}: this study takes nothing from plugins. Leave it out.", request.plugins.front()));
  CdBiasOptions options;
  Value config = request.config;
  if (request.seed) config.set("seed", make_value(static_cast<std::int64_t>(*request.seed)));
  const Value effective = read_options(config, fmt::format("study '{}'", request.name), options);
  const auto gnuplot = find_gnuplot();
  const UnfinishedWork unfinished;
  const StudyFolder folder(request, effective);
  const std::vector<CdBiasCell> cells = cells_of(options);
  std::vector<std::string> names;
  for (const CdBiasCell& cell : cells) names.push_back(cell.name());
  StudyParts parts(request, folder, names, "runs");
  // What takes longest first, so that no thread is left with a long one at the end.
  parts.begin_by([&](Index a, Index b) {
    return std::pair(cells[a].data_set, cells[a].size) > std::pair(cells[b].data_set, cells[b].size);
  });
  StudyOutcome outcome{.folder = folder.path().string(), .text = {}, .done = 0, .total = parts.total()};
  if (request.display && !gnuplot) request.display->warn(no_curves);
  parts.announce();
  std::atomic<std::uint64_t> updates{0};
  try {
    parts.make([&](Index part) {
      return to_value(run_cd_bias(cells[part], options, registries, request.stop, [&](std::uint64_t more) {
        updates += more;
        parts.show_progress(fmt::format(", {:.1f} million updates", static_cast<double>(updates) * 1e-6));
      }));
    });
  } catch (const Stopped&) {
    outcome.done = parts.done();
    return outcome;
  }
  outcome.done = parts.done();

  std::vector<CdBiasRun> runs;
  for (Index i = 0; i < cells.size(); ++i) runs.push_back(from_value(cells[i], parts.read(i)));
  const std::vector<CdBiasClaim> claims = cd_bias_claims(options, runs);
  std::vector<CdBiasFigure> figures;
  if (gnuplot) figures = cd_bias_figures(options, runs);
  for (const CdBiasFigure& figure : figures) draw_figure(*gnuplot, folder.path() / figure.name, figure.script);
  write_file_atomically(folder.path() / "trace.csv", trace_csv(runs));
  write_file_atomically(folder.path() / "fixed_updates.csv", fixed_updates_csv(runs));
  write_file_atomically(folder.path() / "runs.csv", runs_csv(runs));
  write_file_atomically(folder.path() / "report.md", cd_bias_report(options, runs, claims, figures));
  write_file_atomically(folder.path() / "cd_bias.csv", cd_bias_csv(runs));
  outcome.text = cd_bias_summary(options, runs, claims) + fmt::format("{}/report.md\n", folder.path().string());
  return outcome;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
