#include <harmonium/program/compare_text.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/terminal.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/files/verdict_file.hpp>
#include <harmonium/program/best_run.hpp>
#include <harmonium/program/chosen_figures.hpp>
#include <harmonium/program/setting_words.hpp>
#include <harmonium/program/unlike_estimates.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Of the figures of all rows beside those that were measured along the runs.
std::string all_rows_words(const std::vector<ComparedFigure>& figures) {
  const auto estimated = [](const std::optional<FinalFigure>& own) {
    return own && own->band == LoggedCurve::Band::interval;
  };
  const bool exact = std::ranges::none_of(figures, [&](const ComparedFigure& figure) {
    return without_all_rows(figure.name) != figure.name && std::ranges::any_of(figure.of_runs, estimated);
  });
  return fmt::format("; all_rows: {}at the end, of all rows; else as last measured, of the observer's rows",
                     exact ? "exact, " : "");
}

constexpr std::size_t table_width = 100;

/// Half the width of the last value's band; nothing where there is none.
std::optional<double> error_of(const FinalFigure& figure) {
  const double error = 0.5 * (figure.last.high - figure.last.low);
  if (figure.band == LoggedCurve::Band::none || !std::isfinite(error)) return {};
  return error;
}

/// Decimals of a value: two digits of the error, where there is one.
int digits_of(const std::optional<double>& error) {
  return error && *error > 0.0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(*error))), 0, 9) : 4;
}

std::string number_text(double value, const std::optional<double>& error) {
  return error ? fmt::format("{:.{}f}", value, digits_of(error)) : fmt::format("{:.6g}", value);
}

/// With two digits of the error, where there is one; an interval with the error over rows besides.
std::string point_text(const FinalFigure& figure) {
  const CurvePoint& point = figure.last;
  const LoggedCurve::Band band = figure.band;
  const std::optional<double> known = error_of(figure);
  std::string value =
      std::isfinite(point.value) ? number_text(point.value, known) : unknown_figure_words(FigureState::not_agreed);
  if (!known) return value;
  const double error = *known;
  const int digits = digits_of(known);
  if (band == LoggedCurve::Band::error) return fmt::format("{} ± {:.{}f}", value, error, digits);
  std::string text = fmt::format("{} [{:.{}f}, {:.{}f}]", value, point.low, digits, point.high, digits);
  return figure.rows_error ? fmt::format("{}, rows ± {:.2g}", text, *figure.rows_error) : text;
}

std::string value_json(const Value* value) {
  if (!value || value->is_empty()) return "null";
  if (value->is_string()) return json_string(std::get<std::string>(value->data));
  if (const auto* whole = std::get_if<std::int64_t>(&value->data)) return std::to_string(*whole);
  if (const auto number = value->number()) return json_number(number);
  if (const auto* truth = std::get_if<bool>(&value->data)) return *truth ? "true" : "false";
  std::string text;
  if (const auto* list = std::get_if<Value::List>(&value->data)) {
    for (const Value& entry : *list) text += (text.empty() ? "" : ", ") + value_json(&entry);
    return "[" + text + "]";
  }
  for (const auto& [key, entry] : std::get<Value::Table>(value->data))
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_string(key), value_json(&entry));
  return "{" + text + "}";
}

std::string figure_json(const FinalFigure& figure) {
  const CurvePoint& last = figure.last;
  std::string text = fmt::format("{{\"epoch\": {}, \"value\": {}", last.epoch, json_number(last.value));
  if (!std::isfinite(last.value)) text += ", \"agreed\": false";
  if (figure.band == LoggedCurve::Band::interval)
    text += fmt::format(", \"interval\": [{}, {}]", json_number(last.low), json_number(last.high));
  if (figure.band == LoggedCurve::Band::error) text += fmt::format(", \"error\": {}", json_number(last.error));
  if (figure.band == LoggedCurve::Band::interval && figure.rows_error)
    text += fmt::format(", \"rows_error\": {}", json_number(figure.rows_error));
  if (figure.best)
    text += fmt::format(", \"best\": {{\"epoch\": {}, \"value\": {}}}", figure.best->epoch,
                        json_number(figure.best->value));
  return text + "}";
}

/// How the figures of best models are had that none was taken of; empty where there is nothing to say.
std::string note_on_best_models(const std::vector<ComparedRun>& runs, const std::vector<ComparedFigure>& figures) {
  std::string names;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const MetricSeries* epoch = runs[r].log.find("best.epoch");
    if (!epoch || epoch->values.back() == static_cast<double>(runs[r].log.epochs)) continue;
    if (std::ranges::none_of(figures, [&](const auto& f) { return f.of_runs[r] && of_best_model(f.name); }))
      names += (names.empty() ? "" : ", ") + runs[r].name;
  }
  if (names.empty()) return "";
  return fmt::format(
      "\nNote: {}: the figures are of the last model, and best.h5 is another. 'harmonium evaluate RUN/best.h5 --split "
      "test' has those of the best (or --split validation, training).\n",
      names);
}

}  // namespace

std::string unknown_figure_words(FigureState state) { return state == FigureState::not_agreed ? "not agreed" : "-"; }

std::string legend_of_unknown(bool not_agreed, bool not_measured) {
  std::string legend;
  if (not_agreed) legend += "; not agreed: estimates of log Z differ ('harmonium evaluate RUN' advises)";
  if (not_measured) legend += "; -: not measured ('harmonium report RUN... --no-diagnosis' measures and keeps it)";
  return legend;
}

std::string last_value_words(const FinalFigure& figure, std::uint64_t epochs) {
  std::string text = point_text(figure);
  if (figure.last.epoch != static_cast<double>(epochs)) text += fmt::format(" at {}", figure.last.epoch);
  return text;
}

std::string best_words(const FinalFigure& figure) {
  if (!figure.best) return "";
  const std::optional<double> error = error_of(figure);
  const double last = figure.last.value, best = figure.best->value;
  const std::string text = number_text(best, error);
  if (std::isfinite(last) && (text == number_text(last, error) || (error && std::abs(best - last) < 0.1 * *error)))
    return "";
  return fmt::format(" ({} at {})", text, figure.best->epoch);
}

std::string comparison_text(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings,
                            const std::string& below, const std::vector<std::string>& chosen_names) {
  TableSection state{"", {{"run"}, {"epochs"}}}, differing{"Settings that differ", {}}, measured{"Figures", {}};
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) {
    names.push_back(run.name);
    state.rows[0].push_back(state_name(run.state));
    state.rows[1].push_back(std::to_string(run.log.epochs));
  }
  if (std::ranges::any_of(runs, [](const ComparedRun& run) { return !run.verdict.empty(); })) {
    state.rows.push_back({"Gibbs chains"});
    for (const ComparedRun& run : runs)
      state.rows.back().push_back(run.verdict.empty() ? "-" : verdict_words(run.verdict));
  }
  for (const DifferingSetting& setting : settings) {
    differing.rows.push_back({setting.path});
    for (const std::string& text : setting_texts(setting)) differing.rows.back().push_back(text);
  }
  bool bests = false, chosen = false, not_agreed = false, absent = false;
  std::vector<ComparedFigure> figures = figures_once(runs);
  std::erase_if(figures, [&](const ComparedFigure& figure) { return !is_chosen(figure.name, chosen_names); });
  for (const ComparedFigure& figure : figures) {
    measured.rows.push_back({figure.name});
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const FigureState known = state_of(figures, figure, r);
      not_agreed |= known == FigureState::not_agreed, absent |= known == FigureState::not_measured;
      const std::optional<FinalFigure>& own = figure.of_runs[r];
      const std::string best = own ? best_words(*own) : "";
      measured.rows.back().push_back(own ? last_value_words(*own, runs[r].log.epochs) + best
                                         : unknown_figure_words(known));
      if (!best.empty()) (of_test_rows(figure.name) ? chosen : bests) = true;
    }
  }
  measured.title = "Figures after the last epoch";
  if (bests) measured.title += " (the best, at its epoch)";
  if (chosen) measured.title += " (of test rows, at the epoch that validation rows chose)";
  if (stand_twice(figures)) measured.title += all_rows_words(figures);
  if (std::ranges::any_of(figures, [](const ComparedFigure& figure) { return of_best_model(figure.name); }))
    measured.title += "; best: of best.h5, the others of model.h5";
  measured.title += legend_of_unknown(not_agreed, absent);
  if (differing.rows.empty()) differing.title = "The settings do not differ.";
  if (measured.rows.empty()) measured.title = "The runs have no figures.";
  return table_text(names, {state, differing, measured}, table_width) + (below.empty() ? "" : "\n" + below) +
         note_on_unlike_estimates(runs, figures) + note_on_best_models(runs, figures);
}

std::string comparison_json(const std::vector<ComparedRun>& runs, const std::vector<DifferingSetting>& settings,
                            const std::vector<std::string>& chosen) {
  const std::vector<ComparedFigure> figures = compared_figures(runs);
  const std::vector<ComparedFigure> once = figures_once(runs);
  const std::optional<BestRun> best = best_run(runs, once);
  const std::string none = best ? "null" : json_string(words_on_no_best_run(runs, once));
  std::string all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const bool is_best = best && std::ranges::find(best->places, r) != best->places.end();
    std::string own, measured;
    for (const DifferingSetting& setting : settings)
      own += fmt::format("{}{}: {}", own.empty() ? "" : ", ", json_string(setting.path), value_json(setting.values[r]));
    for (const ComparedFigure& figure : figures)
      if (figure.of_runs[r] && is_chosen(figure.name, chosen))
        measured += fmt::format("{}{}: {}", measured.empty() ? "" : ", ", json_string(figure.name),
                                figure_json(*figure.of_runs[r]));
    all += fmt::format(
        "{}{{\"run\": {}, \"state\": {}, \"epochs\": {}, \"updates\": {}, \"verdict\": {}, \"leak\": {}, "
        "\"settings\": {{{}}}, \"figures\": {{{}}}, {}, \"no_best\": {}}}",
        r == 0 ? "" : ",\n", json_string(runs[r].path), json_string(state_name(runs[r].state)), runs[r].log.epochs,
        runs[r].log.updates, runs[r].verdict.empty() ? "null" : json_string(runs[r].verdict),
        runs[r].leak.empty() ? "null" : json_string(runs[r].leak), own, measured,
        judging_json(is_best ? &best->by : nullptr), none);
  }
  return "[" + all + "]\n";
}

std::vector<std::string> last_words_of(const std::vector<std::string>& paths) {
  const auto last_word = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  std::vector<std::string> words;
  for (const std::string& path : paths) {
    const bool unique = std::ranges::count(paths, last_word(path), last_word) == 1;
    words.push_back(unique ? last_word(path) : path);
  }
  return words;
}

}  // namespace v1
}  // namespace harmonium
