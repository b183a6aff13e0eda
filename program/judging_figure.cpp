#include <harmonium/program/judging_figure.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/run_order.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t fewest_judged = 2;  // of one there is nothing to tell

/// Takes a beginning away where it is there.
bool take_begin(std::string_view& name, std::string_view begin) {
  if (!name.starts_with(begin)) return false;
  name.remove_prefix(begin.size());
  return true;
}

bool of_validation_rows(std::string_view name) { return without_all_rows(name).starts_with("validation_"); }

/// The name without the rows that it is of.
std::string_view without_rows(std::string_view name) {
  name = without_all_rows(name);
  if (!take_begin(name, "validation_")) take_begin(name, "test_");
  return name;
}

bool is_likelihood(const std::string& name) { return without_rows(name) == "log_likelihood"; }
bool is_pseudo(const std::string& name) { return without_rows(name) == "pseudo_log_likelihood"; }
/// What is taken where there is no likelihood, and may order models otherwise.
bool stands_in(const std::string& name) { return is_pseudo(name) || without_rows(name) == "posterior_bound"; }

FigureCounts counts_of(const JudgedFigure& figure) {
  const auto count = [&](FigureState state) { return static_cast<std::size_t>(std::ranges::count(figure.of, state)); };
  return {figure.name, count(FigureState::known), count(FigureState::not_agreed), count(FigureState::not_measured)};
}

/// Of the figures at `places`, in their order.
std::optional<Judging> chosen_of(const std::vector<JudgedFigure>& figures, const std::vector<std::size_t>& places) {
  std::optional<Judging> of_all, likelihood;
  for (const std::size_t place : places) {
    const FigureCounts counts = counts_of(figures[place]);
    if (!of_all && counts.known == counts.all()) of_all = Judging{place, counts};
    if (!is_likelihood(counts.figure)) continue;
    const auto more = [](const FigureCounts& one, const FigureCounts& other) {
      return one.known != other.known ? one.known > other.known : one.not_agreed > other.not_agreed;
    };
    if (!likelihood || more(counts, likelihood->counts)) likelihood = Judging{place, counts};
  }
  if (of_all && !stands_in(of_all->counts.figure)) return of_all;
  if (likelihood && likelihood->counts.known >= fewest_judged) return likelihood;
  if (of_all && likelihood && likelihood->counts.known + likelihood->counts.not_agreed > 0)
    of_all->passed_over = likelihood->counts;
  return of_all;
}

/// "1 not agreed, 2 not measured".
std::string unknown_words(const FigureCounts& counts) {
  std::string words;
  if (counts.not_agreed > 0) words = fmt::format("{} not agreed", counts.not_agreed);
  if (counts.not_measured > 0)
    words += fmt::format("{}{} not measured", words.empty() ? "" : ", ", counts.not_measured);
  return words;
}

/// What to do where a likelihood is not known.
std::string how_to_measure(const FigureCounts& counts) {
  return fmt::format(
      "'harmonium evaluate RUN{}' finds it, and advises where log Z is not agreed; 'harmonium report "
      "RUN... --no-diagnosis' does so of all runs at once, or of a sweep, and keeps it for 'harmonium compare'.",
      of_validation_rows(counts.figure) ? " --split validation" : "");
}

std::string counts_json(const FigureCounts& counts) {
  return fmt::format("{{\"figure\": {}, \"known\": {}, \"not_agreed\": {}, \"not_measured\": {}}}",
                     json_string(counts.figure), counts.known, counts.not_agreed, counts.not_measured);
}

}  // namespace

std::optional<Judging> judging_figure(const std::vector<JudgedFigure>& figures, JudgedBy rows,
                                      const std::string& asked) {
  std::vector<std::size_t> of_validation, of_any;
  for (std::size_t f = 0; f < figures.size(); ++f) {
    const std::string& name = figures[f].name;
    if (!greatest_first(name) || of_best_model(name) || figures[f].unlike || figures[f].of.size() < fewest_judged)
      continue;
    if (name == asked) {
      Judging found{f, counts_of(figures[f]), {}, true};
      return found.counts.known >= fewest_judged ? std::optional(found) : std::nullopt;
    }
    of_any.push_back(f);
    if (of_validation_rows(name)) of_validation.push_back(f);
  }
  if (!asked.empty()) return {};
  const std::optional<Judging> found = chosen_of(figures, of_validation);
  return found || rows == JudgedBy::validation_rows ? found : chosen_of(figures, of_any);
}

bool in_units_of_data(const std::string& figure) {
  std::string_view name = without_all_rows(figure);
  take_begin(name, "best.");
  const std::string own(without_rows(name));
  return is_likelihood(own) || stands_in(own) || own == "reconstruction_error" || own == "loss";
}

std::string part_of_data(const std::string& figure) {
  const std::string_view name = without_all_rows(figure);
  for (std::string part : {"validation", "test"})
    if (name.starts_with(part + "_")) return part;
  return "";
}

std::string split_option(const std::string& figure) {
  const std::string part = part_of_data(figure);
  return part.empty() ? "" : " --split " + part;
}

std::string among_words(const Judging& judging, const std::string& what) {
  if (judging.of_all()) return "";
  return fmt::format(", of the {} of {} {} that have it", judging.counts.known, judging.counts.all(), what);
}

std::string note_on_judging(const Judging& judging, const std::string& what) {
  const FigureCounts& own = judging.counts;
  if (judging.passed_over) {
    const FigureCounts& over = *judging.passed_over;
    return fmt::format("Note: {} was passed over: {} of {} {} {} it ({}), and to compare takes two. {}\n", over.figure,
                       over.known == 0 ? "none" : std::to_string(over.known), over.all(), what,
                       over.known < 2 ? "has" : "have", unknown_words(over), how_to_measure(over));
  }
  if (judging.of_all()) return "";
  const std::size_t left = own.all() - own.known;
  return fmt::format("Note: {} of {} {} {} left out, for {} is not known of {} ({}). {}\n", left, own.all(), what,
                     left == 1 ? "is" : "are", own.figure, left == 1 ? "it" : "them", unknown_words(own),
                     is_likelihood(own.figure) ? how_to_measure(own) : "'harmonium evaluate RUN' may have it.");
}

std::string note_on_estimators(const Judging& judging, const std::vector<std::string>& settings) {
  const bool differ = std::ranges::any_of(
      settings, [](const std::string& path) { return path == "estimator" || path.starts_with("estimator."); });
  if (!is_pseudo(judging.counts.figure) || !differ) return "";
  return "Note: the estimators differ, and a pseudo likelihood does not tell CD from PCD: it is local, and a model may "
         "have a good one and spurious modes far from the data. A log likelihood tells them: 'harmonium "
         "evaluate RUN', or 'harmonium report RUN... --no-diagnosis' of all at once, or of a sweep, which keeps it for "
         "'harmonium "
         "compare'.\n";
}

std::string judging_json(const Judging* judging) {
  if (!judging) return "\"best_by\": null, \"best_among\": null, \"passed_over\": null";
  return fmt::format("\"best_by\": {}, \"best_among\": {}, \"passed_over\": {}", json_string(judging->counts.figure),
                     counts_json(judging->counts), judging->passed_over ? counts_json(*judging->passed_over) : "null");
}

}  // namespace v1
}  // namespace harmonium
