#include <harmonium/program/best_setting.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/compared_figures.hpp>
#include <harmonium/program/run_order.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// By which figure the settings that have finished runs are told better and worse.
std::optional<Judging> judging_settings(const SeedMeans& means, const std::string& asked) {
  std::vector<JudgedFigure> known;
  for (std::size_t f = 0; f < means.figures.size(); ++f) {
    known.push_back({means.figures[f], {}, !means.unlike_units.empty() && in_units_of_data(means.figures[f])});
    for (const SeedMeans::Group& group : means.groups)
      if (group.finished > 0 && !group.leaks) known.back().of.push_back(group.means[f].state());
  }
  return judging_figure(known, JudgedBy::any_rows, asked);
}

/// How many settings off the edge are no worse than the errors of both means tell.
std::size_t as_good_off_edge(const SeedMeans& means, const BestSetting& best, std::size_t setting) {
  const auto& best_group = means.groups[best.group];
  const SeedMean& own = best_group.means[best.by.figure];
  const auto as_good = [&](const SeedMeans::Group& group) {
    const SeedMean& other = group.means[best.by.figure];
    return other.count > 0 && group.numbers[setting] != best_group.numbers[setting] &&
           own.mean - other.mean <= std::hypot(own.error.value_or(0.0), other.error.value_or(0.0));
  };
  return static_cast<std::size_t>(std::ranges::count_if(means.groups, as_good));
}

std::optional<GridEdge> edge_at(const SeedMeans& means, const BestSetting& best, std::size_t setting) {
  if (means.settings[setting] == "data_seed") return {};
  std::vector<double> values;
  for (const SeedMeans::Group& group : means.groups) {
    if (!group.numbers[setting]) return {};
    values.push_back(*group.numbers[setting]);
  }
  std::optional<GridEdge> edge = edge_of_values(values, *means.groups[best.group].numbers[setting]);
  if (!edge) return {};
  edge->setting = setting;
  edge->as_good = as_good_off_edge(means, best, setting);
  return edge;
}

}  // namespace

std::optional<BestSetting> best_setting(const SeedMeans& means, const std::string& figure) {
  const std::optional<Judging> by = judging_settings(means, figure);
  if (!by) return {};
  std::optional<std::size_t> best;
  bool differ = false;
  for (std::size_t g = 0; g < means.groups.size(); ++g) {
    const SeedMean& own = means.groups[g].means[by->figure];
    if (own.count == 0 || means.groups[g].leaks) continue;
    differ |= best && own.mean != means.groups[*best].means[by->figure].mean;
    if (!best || own.mean > means.groups[*best].means[by->figure].mean) best = g;
  }
  if (!differ) return {};
  BestSetting found{*best, *by, {}};
  for (std::size_t k = 0; k < means.settings.size(); ++k)
    if (const auto edge = edge_at(means, found, k)) found.edges.push_back(*edge);
  return found;
}

std::string words_on_edge(const GridEdge& edge, const std::string& path, const std::string& value,
                          const std::string& what) {
  const std::string others =
      edge.as_good == 0 ? ""
      : edge.as_good == 1
          ? fmt::format(", though 1 {} with another value is as good within the errors", what)
          : fmt::format(", though {} {}s with other values are as good within the errors", edge.as_good, what);
  return fmt::format("Its {} = {} is the {} of {} values{}. Try {} ones too.\n", path, value,
                     edge.greatest ? "greatest" : "least", edge.values, others, edge.greatest ? "greater" : "smaller");
}

std::optional<GridEdge> edge_of_values(const std::vector<double>& values, double own) {
  constexpr std::size_t fewest = 3;  // of two values one is always the better
  const std::set<double> all(values.begin(), values.end());
  if (all.size() < fewest || (own != *all.begin() && own != *all.rbegin())) return {};
  return GridEdge{.greatest = own == *all.rbegin(), .values = all.size()};
}

std::string best_setting_text(const SeedMeans& means, const std::optional<BestSetting>& best) {
  if (!best) return "";
  const std::string of_estimators = note_on_estimators(best->by, means.settings);
  if (best->edges.empty() && best->by.asked) return of_estimators.empty() ? "" : "\n" + of_estimators;
  const std::string notes = note_on_judging(best->by, "settings") + of_estimators;
  if (best->edges.empty() && notes.empty()) return "";
  const SeedMeans::Group& group = means.groups[best->group];
  const std::string named =
      fmt::format("Best by {}{}: {}", best->by.counts.figure, among_words(best->by, "settings"), group.name);
  std::string text = "\n";
  if (best->edges.empty()) text += named + "\n";
  for (const GridEdge& edge : best->edges) {
    text += fmt::format("{}. {}", named,
                        words_on_edge(edge, means.settings[edge.setting], group.values[edge.setting], "setting"));
  }
  return text + notes;
}

std::string edges_json(const SeedMeans& means, const BestSetting& best) {
  std::string edges;
  for (const GridEdge& edge : best.edges)
    edges += fmt::format("{}{}: {{\"edge\": \"{}\", \"values\": {}, \"as_good\": {}}}", edges.empty() ? "" : ", ",
                         json_string(means.settings[edge.setting]), edge.greatest ? "greatest" : "least", edge.values,
                         edge.as_good);
  return "{" + edges + "}";
}

}  // namespace v1
}  // namespace harmonium
