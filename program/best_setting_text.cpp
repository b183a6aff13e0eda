// How the best of several settings is told.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/text.hpp>
#include <harmonium/program/best_setting.hpp>
#include <harmonium/program/dealt_rows.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Two runs of two settings that have the same rows of data, with the same seed if there are such.
struct PairOfRuns {
  const ComparedRun *one = nullptr, *other = nullptr;
};

PairOfRuns pair_on_same_rows(const SeedMeans::Group& group, const SeedMeans::Group& other) {
  PairOfRuns found;
  for (const ComparedRun* a : group.members)
    for (const ComparedRun* b : other.members) {
      if (!have_same_rows(a->config, b->config)) continue;
      const Value *seed = a->config.find("seed"), *other_seed = b->config.find("seed");
      if (seed && other_seed && *seed == *other_seed) return {a, b};
      if (!found.one) found = {a, b};
    }
  return found;
}

using Others = std::vector<AsGood>;

/// "settings 2, 5", or their names.
std::string names_of_others(const SeedMeans& means, const Others& others, bool by_number) {
  std::vector<std::string> names;
  for (const AsGood& other : others)
    names.push_back(by_number ? std::to_string(means.groups[other.group].number) : means.groups[other.group].name);
  const std::string number = by_number ? (names.size() == 1 ? "setting " : "settings ") : "";
  return number + fmt::format("{}", fmt::join(names, by_number ? ", " : "; "));
}

/// "; 2 others are not told from it by their scatter over seeds (Welch's t, 95 %): settings 2, 5"; empty of none.
std::string words_on_not_told(const SeedMeans& means, const Others& others, bool by_number) {
  if (others.empty()) return "";
  return fmt::format("; {} not told from it by the scatter over seeds (Welch's t, 95 %): {}",
                     others.size() == 1 ? "1 other is" : fmt::format("{} others are", others.size()),
                     names_of_others(means, others, by_number));
}

/// "; all 2 others are told from it by ...", where scatter over seeds is known; empty where it is not.
std::string words_on_told(const BestSetting& best) {
  if (!best.as_good.empty() || best.by.counts.known < 2) return "";
  const std::size_t others = best.by.counts.known - 1;
  return fmt::format("; {} told from it by the scatter over seeds (Welch's t, 95 %)",
                     others == 1 ? "the other is" : fmt::format("all {} others are", others));
}

/// A line on the settings that have a single seed, and so an unknown scatter; empty if there are none.
std::string words_on_single_seeds(const SeedMeans& means, const BestSetting& best, const Others& others,
                                  bool by_number) {
  if (others.empty()) return "";
  if (means.groups[best.group].means[best.by.figure].count == 1)
    return "Its mean is of one seed, so that nothing is known of its scatter, and no other is told from it.\n";
  return fmt::format("{} of one seed, so that nothing is known of the scatter, and not told from it: {}.\n",
                     others.size() == 1 ? "1 other is" : fmt::format("{} others are", others.size()),
                     names_of_others(means, others, by_number));
}

/// A line on what tells the best from the nearest of those that are not told from it; empty of none.
std::string words_on_what_settles(const SeedMeans& means, const BestSetting& best) {
  if (best.as_good.empty()) return "";
  const std::string text = "More seeds tell them apart";
  const PairOfRuns runs = pair_on_same_rows(means.groups[best.group], means.groups[best.as_good[0].group]);
  if (!runs.one || !in_units_of_data(best.by.counts.figure)) return text + ".\n";
  return text + fmt::format(", or of two of their runs on the same rows: harmonium evaluate {} --against {}{}\n",
                            runs.one->path, runs.other->path, split_option(best.by.counts.figure));
}

}  // namespace

std::string words_on_edge(const GridEdge& edge, const std::string& path, const std::string& value,
                          const std::string& what, const std::string& alike) {
  const std::string others = edge.as_good == 0 ? ""
                             : edge.as_good == 1
                                 ? fmt::format(", though 1 {} with another value is {}", what, alike)
                                 : fmt::format(", though {} {}s with other values are {}", edge.as_good, what, alike);
  return fmt::format("Its {} = {} is the {} of {} values{}. Try {} ones too.\n", path, value,
                     edge.greatest ? "greatest" : "least", edge.values, others, edge.greatest ? "greater" : "smaller");
}

std::string best_setting_text(const SeedMeans& means, const std::string& figure, bool by_number) {
  const std::optional<BestSetting> best = best_setting(means, figure);
  if (!best) return means.groups.size() < 2 ? "" : "\n" + words_on_no_best_setting(means, figure) + "\n";
  const SeedMeans::Group& group = means.groups[best->group];
  const std::string name = by_number ? fmt::format("setting {} ({})", group.number, group.whole_name) : group.name;
  Others not_told, of_one_seed;
  for (const AsGood& other : best->as_good) (other.difference.error ? not_told : of_one_seed).push_back(other);
  std::string text =
      fmt::format("\nBest by {}: {}{}{}\n", best->by.counts.figure, name, among_words(best->by, "settings"),
                  words_on_told(*best) + words_on_not_told(means, not_told, by_number)) +
      words_on_single_seeds(means, *best, of_one_seed, by_number) + words_on_what_settles(means, *best);
  for (const GridEdge& edge : best->edges)
    text +=
        words_on_edge(edge, means.settings[edge.setting], group.values[edge.setting], "setting", "not told from it");
  return text + note_on_judging(best->by, "settings") + note_on_estimators(best->by, means.settings);
}

std::string edges_json(const SeedMeans& means, const BestSetting& best) {
  std::string edges;
  for (const GridEdge& edge : best.edges)
    edges += fmt::format("{}{}: {{\"edge\": \"{}\", \"values\": {}, \"as_good\": {}}}", edges.empty() ? "" : ", ",
                         json_string(means.settings[edge.setting]), edge.greatest ? "greatest" : "least", edge.values,
                         edge.as_good);
  return "{" + edges + "}";
}

std::string as_good_json(const SeedMeans& means, const BestSetting& best) {
  std::string all;
  for (const AsGood& other : best.as_good)
    all += fmt::format(
        "{}{{\"name\": {}, \"difference\": {}, \"error\": {}, \"degrees_of_freedom\": {}, \"least_told\": {}}}",
        all.empty() ? "" : ", ", json_string(means.groups[other.group].name), json_number(other.difference.value),
        json_number(other.difference.error), json_number(other.difference.degrees),
        json_number(other.difference.least_told));
  return "[" + all + "]";
}

}  // namespace v1
}  // namespace harmonium
