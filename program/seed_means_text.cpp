#include <harmonium/program/seed_means_text.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/best_setting.hpp>
#include <harmonium/program/chosen_figures.hpp>
#include <harmonium/program/compare_text.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t seed_table_width = 100;
constexpr const char* estimate_mark = "*";

using FigurePlaces = std::vector<std::size_t>;

bool is_norm(const std::string& figure) { return figure.starts_with("norm.") || figure == "gradient_norm"; }

FigurePlaces chosen_places(const SeedMeans& means, const std::vector<std::string>& chosen) {
  FigurePlaces places;
  for (std::size_t k = 0; k < means.figures.size(); ++k)
    if (is_chosen(means.figures[k], chosen)) places.push_back(k);
  return places;
}

/// With how many of its seeds finished.
TableSection counts_section(const SeedMeans& means) {
  TableSection counts{"", {{"seeds"}}};
  for (const SeedMeans::Group& group : means.groups)
    counts.rows[0].push_back(group.finished == group.runs ? std::to_string(group.runs)
                                                          : fmt::format("{} of {}", group.finished, group.runs));
  return counts;
}

TableSection settings_section(const SeedMeans& means) {
  TableSection settings{"Settings", {}};
  for (std::size_t k = 0; k < means.settings.size(); ++k) {
    settings.rows.push_back({means.settings[k]});
    for (const SeedMeans::Group& group : means.groups) settings.rows[k].push_back(group.values[k]);
  }
  if (settings.rows.empty()) settings.title = "The settings differ in nothing but the seed.";
  return settings;
}

TableSection figures_section(const SeedMeans& means, const FigurePlaces& places) {
  TableSection figures{"Means over seeds ± standard error from their scatter", {}};
  const auto any_of = [&](auto&& has) {
    return std::ranges::any_of(means.groups, [&](const SeedMeans::Group& group) {
      return std::ranges::any_of(places, [&](std::size_t k) { return has(group.means[k]); });
    });
  };
  figures.title +=
      legend_of_unknown(any_of([](const SeedMean& mean) { return mean.state() == FigureState::not_agreed; }),
                        any_of([](const SeedMean& mean) { return mean.state() == FigureState::not_measured; }));
  if (any_of([](const SeedMean& mean) { return mean.rows_error.has_value(); }))
    figures.title += "; rows: " + words_on_rows_error(means);
  for (const std::size_t k : places) {
    figures.rows.push_back({means.figures[k]});
    for (const SeedMeans::Group& group : means.groups) figures.rows.back().push_back(seed_mean_words(group.means[k]));
  }
  return figures;
}

std::vector<std::string> names_of_groups(const SeedMeans& means, bool by_number) {
  std::vector<std::string> names;
  names.reserve(means.groups.size());
  for (const SeedMeans::Group& group : means.groups)
    names.push_back(by_number ? std::to_string(group.number) : group.name);
  return names;
}

/// Takes norms out of the places; a line that says so, or empty.
std::string leave_norms_out(const SeedMeans& means, const std::string& sorted, FigurePlaces& places) {
  std::vector<std::string> left;
  std::erase_if(places, [&](std::size_t k) {
    if (!is_norm(means.figures[k]) || means.figures[k] == sorted) return false;
    left.push_back(means.figures[k]);
    return true;
  });
  if (left.empty()) return "";
  return fmt::format("Left out, to be had with --figure NAME: {}\n", fmt::join(left, ", "));
}

}  // namespace

std::string seed_mean_words(const SeedMean& mean) {
  if (mean.count == 0) return unknown_figure_words(mean.state());
  const char* mark = mean.estimated > 0 ? estimate_mark : "";
  const std::string rows =
      (mean.rows_error ? fmt::format(", rows ± {:.2g}", *mean.rows_error) : "") + epochs_words(mean.earlier) +
      (mean.count < mean.finished() ? fmt::format(" ({} of {} seeds)", mean.count, mean.finished()) : "");
  if (!mean.error) return fmt::format("{:.6g}{}{}", mean.mean, mark, rows);
  const double e = *mean.error;
  const int digits = e > 0.0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(e))), 0, 9) : 4;
  return fmt::format("{:.{}f}{} ± {:.{}f}{}", mean.mean, digits, mark, e, digits, rows);
}

std::string words_on_rows_error(const SeedMeans& means) {
  return std::string("error over the data rows of one run, ") +
         (means.own_rows ? "of which each seed sets its own aside" : "which all seeds share");
}

std::string words_on_estimates(const SeedMeans& means, const std::vector<std::size_t>& places) {
  double widest = 0.0;
  for (const SeedMeans::Group& group : means.groups)
    for (const std::size_t k : places) widest = std::max(widest, group.means[k].half_interval);
  if (widest == 0.0) return "";
  return fmt::format(
      "{}: by an estimate of log Z, whose 95 % interval in one run reaches ± {:.2g} nats at most; likelihoods without "
      "the mark are by an exact log Z.",
      estimate_mark, widest);
}

std::string words_on_estimates(const SeedMeans& means) { return words_on_estimates(means, chosen_places(means, {})); }

std::string words_on_few_seeds(const SeedMeans& means, const std::vector<std::size_t>& places) {
  const auto any_of = [&](std::size_t seeds) {
    return std::ranges::any_of(means.groups, [&](const SeedMeans::Group& group) {
      return std::ranges::any_of(places, [&](std::size_t k) { return group.means[k].count == seeds; });
    });
  };
  // By the law of chi square of the variance, with 1 and 2 degrees of freedom: of values of a normal law.
  std::vector<std::string> parts;
  if (any_of(2)) parts.emplace_back("0.45 to 32 times that of 2 seeds");
  if (any_of(3)) parts.emplace_back("0.52 to 6.3 times that of 3 seeds");
  if (parts.empty()) return "";
  return fmt::format(
      "Standard errors from few seeds are hardly known themselves: the true one is, in 95 of 100 cases, {}.",
      fmt::join(parts, ", and "));
}

std::string words_on_few_seeds(const SeedMeans& means) { return words_on_few_seeds(means, chosen_places(means, {})); }

std::string seed_means_text(const SeedMeans& means, const std::string& sorted, const std::vector<std::string>& chosen) {
  FigurePlaces places = chosen_places(means, chosen);
  std::vector<TableSection> sections{counts_section(means)};
  // Names tell the settings, unless one is cut.
  const bool named =
      std::ranges::all_of(means.groups, [](const auto& group) { return group.name == group.whole_name; });
  if (!named || means.settings.empty()) sections.push_back(settings_section(means));
  sections.push_back(figures_section(means, places));
  const bool by_number =
      !means.settings.empty() && !table_stands(names_of_groups(means, false), sections, seed_table_width);
  std::string below;
  if (by_number) {
    if (chosen.empty()) below = leave_norms_out(means, sorted, places);
    TableSection settings = settings_section(means);
    settings.title = "Settings, by number";
    settings.rows.push_back(sections[0].rows[0]);
    sections = {settings, figures_section(means, places)};
  }
  for (const std::string& line : {words_on_few_seeds(means, places), words_on_estimates(means, places)})
    if (!line.empty()) below = line + "\n" + below;
  for (const std::string& line : words_on_repeats(means.repeats())) below += line + "\n";
  return table_text(names_of_groups(means, by_number), sections, seed_table_width) + below +
         best_setting_text(means, sorted, by_number);
}

namespace {

std::string figures_json(const SeedMeans& means, const SeedMeans::Group& group,
                         const std::vector<std::string>& chosen) {
  std::string text;
  for (const std::size_t k : chosen_places(means, chosen)) {
    const SeedMean& m = group.means[k];
    if (m.state() == FigureState::not_measured) continue;
    text += fmt::format(
        "{}{}: {{\"seeds\": {}, \"not_agreed\": {}, \"not_measured\": {}, \"mean\": {}, \"error\": {}, "
        "\"rows_error\": {}{}{}}}",
        text.empty() ? "" : ", ", json_string(means.figures[k]), m.count, m.not_agreed, m.not_measured,
        m.count > 0 ? json_number(m.mean) : "null", json_number(m.error), json_number(m.rows_error),
        m.estimated == 0
            ? ""
            : fmt::format(", \"estimated\": {}, \"half_interval\": {}", m.estimated, json_number(m.half_interval)),
        m.earlier ? fmt::format(", \"epochs\": [{}, {}]", m.earlier->first, m.earlier->last) : "");
  }
  return "{" + text + "}";
}

std::string repeats_json(const SeedMeans::Group& group) {
  std::string all;
  for (const RepeatedRun& repeat : group.repeats)
    all += fmt::format("{}{{\"run\": {}, \"of\": {}, \"other_figures\": {}}}", all.empty() ? "" : ", ",
                       json_string(repeat.name), json_string(repeat.of), repeat.other_figures);
  return "[" + all + "]";
}

}  // namespace

std::string seed_means_json(const SeedMeans& means, const std::string& sorted, const std::vector<std::string>& chosen) {
  const std::optional<BestSetting> best = best_setting(means, sorted);
  const std::string none = best ? "" : words_on_no_best_setting(means, sorted);
  std::string all;
  for (std::size_t g = 0; g < means.groups.size(); ++g) {
    const SeedMeans::Group& group = means.groups[g];
    const bool is_best = best && best->group == g;
    std::string own;
    for (std::size_t k = 0; k < means.settings.size(); ++k)
      own += fmt::format("{}{}: {}", k == 0 ? "" : ", ", json_string(means.settings[k]), json_string(group.values[k]));
    all += fmt::format(
        "{}{{\"name\": {}, \"runs\": {}, \"finished\": {}, \"repeats\": {}, \"settings\": {{{}}}, \"figures\": {}, "
        "{}, \"no_best\": {}, \"edges\": {}, \"as_good\": {}}}",
        all.empty() ? "" : ",\n", json_string(group.name), group.runs, group.finished, repeats_json(group), own,
        figures_json(means, group, chosen), judging_json(is_best ? &best->by : nullptr),
        none.empty() ? "null" : json_string(none), is_best ? edges_json(means, *best) : "{}",
        is_best ? as_good_json(means, *best) : "[]");
  }
  return "[" + all + "]\n";
}

}  // namespace v1
}  // namespace harmonium
