#include <harmonium/program/best_run.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/program/best_setting.hpp>
#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/dealt_rows.hpp>
#include <harmonium/program/setting_words.hpp>
#include <harmonium/program/unlike_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// A run's value of a figure, with the error that stands beside it: over rows, where that is known.
struct Judged {
  double value, error;
  bool over_rows;  ///< whether the error is that of a mean over rows of data
  std::size_t place;
};

Judged judged(const FinalFigure& figure, std::size_t place) {
  const double half_band = 0.5 * (figure.last.high - figure.last.low);
  const bool known = figure.band != LoggedCurve::Band::none && std::isfinite(half_band);
  return {figure.last.value, figure.rows_error.value_or(known ? half_band : 0.0), figure.rows_error.has_value(), place};
}

/// Whether it may be the best: it finished, and was not trained from a model that had seen rows which it sets aside.
bool may_be_best(const ComparedRun& run) { return run.state == ComparedRun::State::finished && run.leak.empty(); }

/// Of those that may be the best and have the figure.
std::vector<Judged> judged_runs(const std::vector<ComparedRun>& runs, const ComparedFigure& figure) {
  std::vector<Judged> all;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (may_be_best(runs[r]) && figure.of_runs[r] && std::isfinite(figure.of_runs[r]->last.value))
      all.push_back(judged(*figure.of_runs[r], r));
  return all;
}

std::string error_words(double error) {
  return error < 10.0 ? fmt::format("{:.2g}", error) : fmt::format("{:.0f}", error);
}

/// Of those that are within the best one's error the nearest to it that has the rows of data that it has; null where none has them, or
/// where that error is none over rows.
const Judged* nearest_on_same_rows(const std::vector<ComparedRun>& runs, const Judged& best,
                                   const std::vector<const Judged*>& within) {
  const Judged* nearest = nullptr;
  for (const Judged* run : within)
    if (best.over_rows && (!nearest || run->value > nearest->value) &&
        have_same_rows(runs[best.place].config, runs[run->place].config))
      nearest = run;
  return nearest;
}

/// "; 2 others are within its error of 3.3", of runs that are not the best; empty where none is. Of runs on the same rows what that
/// error does not tell, and which command does.
std::string others_within(const std::vector<ComparedRun>& runs, const std::vector<Judged>& all,
                          const std::string& figure) {
  const double value = std::ranges::max(all, {}, &Judged::value).value;
  const Judged* best = nullptr;  // the one whose error is the largest
  for (const Judged& run : all)
    if (run.value == value && (!best || run.error > best->error)) best = &run;
  std::vector<const Judged*> within;
  for (const Judged& run : all)
    if (run.value != value && value - run.value <= best->error) within.push_back(&run);
  if (within.empty()) return "";
  const Judged* nearest = nearest_on_same_rows(runs, *best, within);
  std::string begin = fmt::format("; {} within {} error{} of {}",
                                  within.size() == 1 ? "1 other is" : fmt::format("{} others are", within.size()),
                                  std::ranges::count(all, value, &Judged::value) == 1 ? "its" : "their",
                                  nearest ? " over rows" : "", error_words(best->error));
  if (!nearest) return begin;
  return fmt::format("{}, but on the same rows differences are known better: harmonium evaluate {} --against {}{}",
                     begin, runs[best->place].path, runs[nearest->place].path, split_option(figure));
}

/// " (learning_rate = 0.1, num_hidden = 64)", what its sweep set in a run whose name does not tell; empty of others.
std::string settings_words(const ComparedRun& run, std::size_t place, const std::vector<DifferingSetting>& settings) {
  if (!run.swept.is_table() || settings.empty()) return "";
  std::vector<std::string> paths, words;
  for (const DifferingSetting& setting : settings) paths.push_back(setting.path);
  const std::vector<std::string> names = last_words_of(paths);
  for (std::size_t k = 0; k < settings.size(); ++k)
    words.push_back(fmt::format("{} = {}", names[k], setting_texts(settings[k])[place]));
  return fmt::format(" ({})", fmt::join(words, ", "));
}

/// Where the best of `all` has the least or the greatest value of a setting.
std::optional<GridEdge> edge_of_run(const std::vector<Judged>& all, const Judged& best,
                                    const DifferingSetting& setting) {
  if (setting.path == "seed" || setting.path == "data_seed") return {};
  std::vector<std::optional<double>> numbers;
  for (const Value* value : setting.values) numbers.push_back(value ? value->number() : std::nullopt);
  std::vector<double> values;
  for (const auto& number : numbers) {
    if (!number) return {};
    values.push_back(*number);
  }
  std::optional<GridEdge> edge = edge_of_values(values, values[best.place]);
  if (!edge) return {};
  for (const Judged& run : all)
    if (values[run.place] != values[best.place] && best.value - run.value <= std::hypot(best.error, run.error))
      ++edge->as_good;
  return edge;
}

/// Lines on the settings whose edge the run at `place` is at, the best of `all`.
std::string edges_text(const std::vector<Judged>& all, std::size_t place,
                       const std::vector<DifferingSetting>& settings) {
  // Of runs that go on from others neither a length nor a rate is a setting that can be read alone.
  if (std::ranges::any_of(settings, [](const DifferingSetting& s) { return s.path.starts_with("start_from"); }))
    return "";
  const Judged& best = *std::ranges::find(all, place, &Judged::place);
  std::string text;
  for (const DifferingSetting& setting : settings)
    if (const auto edge = edge_of_run(all, best, setting))
      text += words_on_edge(*edge, setting.path, setting_texts(setting)[place], "run", "within the error of both");
  return text;
}

/// The configurations of those that the figure tells better and worse.
std::vector<const Value*> judged_configs(const std::vector<ComparedRun>& runs, const ComparedFigure& figure) {
  std::vector<const Value*> configs;
  for (const Judged& run : judged_runs(runs, figure)) configs.push_back(&runs[run.place].config);
  return configs;
}

bool of_other_units(const std::vector<ComparedRun>& runs, const ComparedFigure& figure) {
  return in_units_of_data(figure.name) && !unlike_units(judged_configs(runs, figure)).empty();
}

bool of_other_rows(const std::vector<ComparedRun>& runs, const ComparedFigure& figure) {
  return have_other_rows(judged_configs(runs, figure), part_of_data(figure.name));
}

/// What is known of each figure of the runs that may be the best.
std::vector<JudgedFigure> known_figures(const std::vector<ComparedRun>& runs,
                                        const std::vector<ComparedFigure>& figures) {
  std::vector<JudgedFigure> known;
  for (const ComparedFigure& figure : figures) {
    known.push_back({figure.name, {}, of_other_units(runs, figure) || of_other_rows(runs, figure)});
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (may_be_best(runs[r])) known.back().of.push_back(state_of(figures, figure, r));
  }
  return known;
}

/// Why none is the best where values of other units or rows would tell one; empty where they would not either.
std::string words_on_none(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures,
                          const std::string& asked) {
  std::vector<JudgedFigure> known = known_figures(runs, figures);
  for (JudgedFigure& figure : known) figure.unlike = false;
  const std::optional<Judging> by = judging_figure(known, JudgedBy::validation_rows, asked);
  if (!by) return "";
  const ComparedFigure& figure = figures[by->figure];
  const std::string begin = fmt::format("No best run is named by {}: ", figure.name);
  if (of_other_units(runs, figure))
    return fmt::format("{}the runs {}.\n", begin, units_that_differ(unlike_units(judged_configs(runs, figure))));
  if (!of_other_rows(runs, figure)) return "";
  const std::string part = part_of_data(figure.name);
  if (have_other_data(judged_configs(runs, figure), part))
    return fmt::format(
        "{}the {} rows are of different data. 'harmonium evaluate A --against B' compares models of the same data, and "
        "a "
        "stack as a whole by its folder.\n",
        begin, part.empty() ? "training" : part);
  return fmt::format(
      "{}the runs have different {} rows. Give all the same data_seed and data.{}; --sort FIGURE names the best by a "
      "figure of rows that all share, such as test rows of one file.\n",
      begin, part.empty() ? "training" : part, part.empty() ? "validation, data.test and data.rows" : part);
}

}  // namespace

std::optional<BestRun> best_run(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures,
                                const std::string& asked) {
  const std::optional<Judging> by = judging_figure(known_figures(runs, figures), JudgedBy::validation_rows, asked);
  if (!by) return {};
  const std::vector<Judged> all = judged_runs(runs, figures[by->figure]);
  const double best = std::ranges::max(all, {}, &Judged::value).value;
  BestRun found{{}, *by};
  for (const Judged& run : all)
    if (run.value == best) found.places.push_back(run.place);
  if (found.places.size() == all.size()) return {};
  return found;
}

std::string words_on_no_best_run(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures) {
  if (const std::string unlike = words_on_none(runs, figures, ""); !unlike.empty())
    return unlike.substr(0, unlike.size() - 1);
  if (std::ranges::count_if(runs, may_be_best) < 2)
    return "No best run is named: fewer than two finished and set no rows aside which were trained on before.";
  if (const auto by = judging_figure(known_figures(runs, figures), JudgedBy::validation_rows))
    return fmt::format("No best run is named: all have the same {}.", by->counts.figure);
  return "No best run is named: fewer than two have a likelihood of validation rows, and no accuracy or the like of "
         "these is known of all.";
}

std::string best_run_text(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures,
                          const std::vector<DifferingSetting>& settings, const BestAsked& asked) {
  const std::optional<BestRun> best = best_run(runs, figures, asked.figure);
  if (!best) return words_on_none(runs, figures, asked.figure);
  const std::vector<Judged> all = judged_runs(runs, figures[best->by.figure]);
  std::vector<std::string> names, paths;
  for (const std::size_t place : best->places)
    names.push_back(runs[place].name + settings_words(runs[place], place, settings));
  for (const DifferingSetting& setting : settings) paths.push_back(setting.path);
  return fmt::format("Best by {}: {}{}{}\n{}{}{}", best->by.counts.figure, fmt::join(names, ", "),
                     among_words(best->by, "runs"), others_within(runs, all, best->by.counts.figure),
                     asked.one_seed && best->places.size() == 1 ? edges_text(all, best->places[0], settings) : "",
                     note_on_judging(best->by, "runs"), note_on_estimators(best->by, paths));
}

}  // namespace v1
}  // namespace harmonium
