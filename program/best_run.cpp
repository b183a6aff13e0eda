#include <harmonium/program/best_run.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace harmonium {
inline namespace v1 {
namespace {

/// A run's value of a figure, with the error that stands beside it: over rows, where that is known.
struct Judged {
  double value, error;
  std::size_t place;
};

Judged judged(const FinalFigure& figure, std::size_t place) {
  const double half_band = 0.5 * (figure.last.high - figure.last.low);
  const bool known = figure.band != LoggedCurve::Band::none && std::isfinite(half_band);
  return {figure.last.value, figure.rows_error.value_or(known ? half_band : 0.0), place};
}

/// Of the runs that finished and have the figure.
std::vector<Judged> judged_runs(const std::vector<ComparedRun>& runs, const ComparedFigure& figure) {
  std::vector<Judged> all;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (runs[r].state == ComparedRun::State::finished && figure.of_runs[r] &&
        std::isfinite(figure.of_runs[r]->last.value))
      all.push_back(judged(*figure.of_runs[r], r));
  return all;
}

/// "; 2 others are within its error of 3.3": of runs that are not the best; empty where none is.
std::string others_within(const std::vector<Judged>& runs) {
  const double best = std::ranges::max(runs, {}, &Judged::value).value;
  double error = 0.0;
  for (const Judged& run : runs)
    if (run.value == best) error = std::max(error, run.error);
  const auto bests = std::ranges::count(runs, best, &Judged::value);
  const auto others =
      std::ranges::count_if(runs, [&](const Judged& run) { return run.value != best && best - run.value <= error; });
  if (others == 0) return "";
  return fmt::format("; {} within {} error of {}", others == 1 ? "1 other is" : fmt::format("{} others are", others),
                     bests == 1 ? "its" : "their",
                     error < 10.0 ? fmt::format("{:.2g}", error) : fmt::format("{:.0f}", error));
}

}  // namespace

std::optional<BestRun> best_run(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures) {
  std::vector<JudgedFigure> known;
  for (const ComparedFigure& figure : figures) {
    known.push_back({figure.name, {}});
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (runs[r].state == ComparedRun::State::finished) known.back().of.push_back(state_of(figures, figure, r));
  }
  const std::optional<Judging> by = judging_figure(known, JudgedBy::validation_rows);
  if (!by) return {};
  const std::vector<Judged> all = judged_runs(runs, figures[by->figure]);
  const double best = std::ranges::max(all, {}, &Judged::value).value;
  BestRun found{{}, *by};
  for (const Judged& run : all)
    if (run.value == best) found.places.push_back(run.place);
  if (found.places.size() == all.size()) return {};
  return found;
}

std::string best_run_text(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures,
                          const std::vector<DifferingSetting>& settings) {
  const std::optional<BestRun> best = best_run(runs, figures);
  if (!best) return "";
  std::vector<std::string> names, paths;
  for (const std::size_t place : best->places) names.push_back(runs[place].name);
  for (const DifferingSetting& setting : settings) paths.push_back(setting.path);
  return fmt::format("Best by {}: {}{}{}\n{}{}", best->by.counts.figure, fmt::join(names, ", "),
                     among_words(best->by, "runs"), others_within(judged_runs(runs, figures[best->by.figure])),
                     note_on_judging(best->by, "runs"), note_on_estimators(best->by, paths));
}

}  // namespace v1
}  // namespace harmonium
