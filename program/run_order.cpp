#include <harmonium/program/run_order.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/pictures/figure_kinds.hpp>

namespace harmonium {
inline namespace v1 {

namespace {

const std::string all_rows = "all_rows.";

/// What gives runs a likelihood that none was measured for; empty of other figures.
std::string how_to_measure(const std::string& figure) {
  const std::string_view along = without_all_rows(figure);
  if (along != "log_likelihood" && along != "validation_log_likelihood" && along != "test_log_likelihood") return {};
  return "'harmonium evaluate RUN' finds it of a run that is over, and the observer { type = \"log_likelihood\", every "
         "= N } along "
         "new ones, every N epochs. ";
}

}  // namespace

bool greatest_first(const std::string& figure) { return figure_kind(without_all_rows(figure)).more_is_better; }

std::string order_words(const std::string& figure) {
  return fmt::format("sorted by {}, the {} first; without it last", figure,
                     greatest_first(figure) ? "greatest" : "least");
}

std::vector<std::size_t> places_by(const std::string& figure, const std::vector<std::optional<double>>& values) {
  std::vector<std::size_t> places(values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const double sign = greatest_first(figure) ? -1.0 : 1.0;
  const auto rank = [&](std::size_t place) {
    const std::optional<double>& value = values[place];
    const bool there = value && std::isfinite(*value);
    return std::pair(!there, there ? sign * *value : 0.0);
  };
  std::ranges::stable_sort(places, {}, rank);
  return places;
}

std::optional<std::string> known_order(const std::string& figure, const std::vector<std::string>& known) {
  for (const std::string& name : {figure, all_rows + figure})
    if (std::ranges::find(known, name) != known.end()) return name;
  return {};
}

std::optional<std::vector<std::size_t>> places_of_runs(const std::string& figure,
                                                       const std::vector<ComparedFigure>& figures) {
  const auto found = std::ranges::find(figures, figure, &ComparedFigure::name);
  if (found == figures.end()) return {};
  std::vector<std::optional<double>> values;
  for (const std::optional<FinalFigure>& own : found->of_runs)
    values.push_back(own ? std::optional(own->last.value) : std::nullopt);
  return places_by(figure, values);
}

std::string unknown_order(const std::string& figure, const std::vector<std::string>& known) {
  if (known.empty()) return fmt::format("--sort {}: the runs have no figures. Leave --sort out.", figure);
  return fmt::format("--sort {}: no run has such a figure{}. {}Known: {}.", figure, did_you_mean(figure, known),
                     how_to_measure(figure), fmt::join(known, ", "));
}

std::vector<std::string> names_of(const std::vector<ComparedFigure>& figures) {
  std::vector<std::string> names;
  names.reserve(figures.size());
  for (const ComparedFigure& figure : figures) names.push_back(figure.name);
  return names;
}

}  // namespace v1
}  // namespace harmonium
