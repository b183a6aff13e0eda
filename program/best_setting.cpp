#include <harmonium/program/best_setting.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/program/compared_figures.hpp>
#include <harmonium/program/run_order.hpp>
#include <harmonium/program/unlike_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

bool may_be_the_best(const SeedMeans::Group& group) { return group.finished > 0 && !group.leaks; }

bool settings_of_other_units(const SeedMeans& means, const std::string& figure) {
  return !means.unlike_units.empty() && in_units_of_data(figure);
}

bool settings_of_other_rows(const SeedMeans& means, const std::string& figure) {
  return std::ranges::find(means.unlike_rows, part_of_data(figure)) != means.unlike_rows.end();
}

/// By which figure the settings that have finished runs are told better and worse; `unlike`: of whatever units and rows it is.
std::optional<Judging> judging_settings(const SeedMeans& means, const std::string& asked, bool unlike = false) {
  std::vector<JudgedFigure> known;
  for (std::size_t f = 0; f < means.figures.size(); ++f) {
    const std::string& name = means.figures[f];
    known.push_back(
        {name, {}, !unlike && (settings_of_other_units(means, name) || settings_of_other_rows(means, name))});
    for (const SeedMeans::Group& group : means.groups)
      if (may_be_the_best(group)) known.back().of.push_back(group.means[f].state());
  }
  return judging_figure(known, JudgedBy::any_rows, asked);
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
  edge->as_good = static_cast<std::size_t>(std::ranges::count_if(best.as_good, [&](const AsGood& other) {
    return means.groups[other.group].numbers[setting] != means.groups[best.group].numbers[setting];
  }));
  return edge;
}

/// Settings whose mean is not told from that of the best.
std::vector<AsGood> as_good_as(const SeedMeans& means, const BestSetting& best) {
  const SeedMean& own = means.groups[best.group].means[best.by.figure];
  std::vector<AsGood> found;
  for (std::size_t g = 0; g < means.groups.size(); ++g) {
    const SeedMean& other = means.groups[g].means[best.by.figure];
    if (g == best.group || other.count == 0 || !may_be_the_best(means.groups[g])) continue;
    const AsGood as_good{g, difference_of_means(own, other)};
    if (!as_good.difference.told()) found.push_back(as_good);
  }
  std::ranges::stable_sort(found, {}, [](const AsGood& other) { return other.difference.value; });
  return found;
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
  found.as_good = as_good_as(means, found);
  for (std::size_t k = 0; k < means.settings.size(); ++k)
    if (const auto edge = edge_at(means, found, k)) found.edges.push_back(*edge);
  return found;
}

std::string words_on_no_best_setting(const SeedMeans& means, const std::string& figure) {
  const auto none = [](const std::string& why) { return fmt::format("No best setting is named: {}.", why); };
  if (means.groups.size() < 2) return none("there is one alone");
  if (std::ranges::count_if(means.groups, may_be_the_best) < 2)
    return none("fewer than two have runs that finished and set no rows aside which were trained on before");
  if (!figure.empty() && (!greatest_first(figure) || of_best_model(figure)))
    return none(
        fmt::format("{} is no figure of which more is better, such as a likelihood, of the last model", figure));
  if (const std::optional<Judging> by = judging_settings(means, figure))
    return none("all have the same " + by->counts.figure);
  if (const std::optional<Judging> by = judging_settings(means, figure, true)) {
    const std::string& name = by->counts.figure;
    return none(settings_of_other_units(means, name)
                    ? fmt::format("they {}, and so their values of {} do not compare",
                                  units_that_differ(means.unlike_units), name)
                    : fmt::format("they have different rows, and so their values of {} do not compare", name));
  }
  return none(
      fmt::format("fewer than two have {}; 'harmonium report RUN... --no-diagnosis', or of a sweep, computes "
                  "the likelihoods that are not measured",
                  figure.empty() ? "a likelihood, and no accuracy or the like is known of all" : figure));
}

std::optional<GridEdge> edge_of_values(const std::vector<double>& values, double own) {
  constexpr std::size_t fewest = 3;  // of two values one is always the better
  const std::set<double> all(values.begin(), values.end());
  if (all.size() < fewest || (own != *all.begin() && own != *all.rbegin())) return {};
  return GridEdge{.greatest = own == *all.rbegin(), .values = all.size()};
}

}  // namespace v1
}  // namespace harmonium
