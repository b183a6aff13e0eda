#include <harmonium/program/seed_means.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/columns.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/best_setting.hpp>
#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/run_order.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t seed_table_width = 100;

/// The group that each run is in, and the groups with their values.
std::vector<std::size_t> grouped(const std::vector<ComparedRun>& runs,
                                 const std::vector<const DifferingSetting*>& settings, SeedMeans& means) {
  std::vector<std::size_t> place, first;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto same = [&](std::size_t other) {
      return std::ranges::all_of(settings, [&](const DifferingSetting* s) {
        const Value *a = s->values[r], *b = s->values[other];
        return !a == !b && (!a || *a == *b);
      });
    };
    const auto found = std::ranges::find_if(first, same);
    place.push_back(static_cast<std::size_t>(found - first.begin()));
    if (found != first.end()) continue;
    first.push_back(r);
    SeedMeans::Group group;
    for (const DifferingSetting* s : settings) {
      group.values.push_back(setting_text(s->path, s->values[r]));
      group.numbers.push_back(s->values[r] ? s->values[r]->number() : std::nullopt);
    }
    means.groups.push_back(std::move(group));
  }
  return place;
}

/// By what was varied: the last words of the paths where these tell them apart. Names that are cut to the same are left whole.
void name_groups(SeedMeans& means) {
  constexpr std::size_t longest = 48;
  const std::vector<std::string> words = last_words_of(means.settings);
  std::map<std::string, std::size_t> cut;
  const auto short_of = [](const std::string& name) {
    return name.size() <= longest ? name : name.substr(0, longest - 3) + "...";
  };
  for (SeedMeans::Group& group : means.groups) {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < words.size(); ++k) parts.push_back(fmt::format("{} = {}", words[k], group.values[k]));
    group.name = parts.empty() ? "all" : fmt::format("{}", fmt::join(parts, ", "));
    ++cut[short_of(group.name)];
  }
  for (SeedMeans::Group& group : means.groups)
    if (cut[short_of(group.name)] == 1) group.name = short_of(group.name);
}

}  // namespace

SeedMean mean_of_seeds(const std::vector<double>& values) {
  SeedMean found{values.size(), 0.0, {}};
  const auto n = static_cast<double>(values.size());
  for (const double v : values) found.mean += v / n;
  if (values.size() < 2) return found;
  double squares = 0.0;
  for (const double v : values) squares += (v - found.mean) * (v - found.mean);
  found.error = std::sqrt(squares / (n - 1.0) / n);
  return found;
}

namespace {

/// Of a figure, over the finished runs of each group.
std::vector<SeedMean> means_of(const ComparedFigure& figure, const std::vector<ComparedRun>& runs,
                               const std::vector<std::size_t>& place, std::size_t groups) {
  std::vector<std::vector<double>> values(groups), errors(groups);
  std::vector<std::vector<std::size_t>> members(groups);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::optional<FinalFigure>& own = figure.of_runs[r];
    if (!own || runs[r].state != ComparedRun::State::finished || !std::isfinite(own->last.value)) continue;
    values[place[r]].push_back(own->last.value);
    members[place[r]].push_back(r);
    if (own->rows_error) errors[place[r]].push_back(*own->rows_error);
  }
  std::vector<SeedMean> means;
  for (std::size_t g = 0; g < groups; ++g) {
    means.push_back(mean_of_seeds(values[g]));
    means[g].earlier = earlier_epochs(figure, runs, members[g]);
    if (!errors[g].empty() && errors[g].size() == values[g].size()) means[g].rows_error = mean_of_seeds(errors[g]).mean;
  }
  return means;
}

}  // namespace

std::optional<SeedMeans> means_over_seeds(const std::vector<ComparedRun>& runs,
                                          const std::vector<DifferingSetting>& settings) {
  SeedMeans means;
  std::vector<const DifferingSetting*> others;
  for (const DifferingSetting& setting : settings) {
    if (setting.path == "seed") continue;
    others.push_back(&setting);
    means.settings.push_back(setting.path);
  }
  if (others.size() == settings.size()) return {};  // one seed
  const std::vector<std::size_t> place = grouped(runs, others, means);
  if (means.groups.size() == runs.size()) return {};
  name_groups(means);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    ++means.groups[place[r]].runs;
    if (runs[r].state == ComparedRun::State::finished) ++means.groups[place[r]].finished;
  }
  for (const ComparedFigure& figure : figures_at_end(runs)) {
    const std::vector<SeedMean> of_groups = means_of(figure, runs, place, means.groups.size());
    if (std::ranges::all_of(of_groups, [](const SeedMean& mean) { return mean.count == 0; })) continue;
    means.figures.push_back(figure.name);
    for (std::size_t g = 0; g < of_groups.size(); ++g) means.groups[g].means.push_back(of_groups[g]);
  }
  if (means.figures.empty()) return {};
  return means;
}

bool sort_means(SeedMeans& means, const std::string& figure) {
  const auto found = std::ranges::find(means.figures, figure);
  if (found == means.figures.end()) return false;
  const auto place = static_cast<std::size_t>(found - means.figures.begin());
  std::vector<std::optional<double>> values;
  for (const SeedMeans::Group& group : means.groups) {
    const SeedMean& mean = group.means[place];
    values.push_back(mean.count > 0 ? std::optional(mean.mean) : std::nullopt);
  }
  means.groups = reordered(std::move(means.groups), places_by(figure, values));
  return true;
}

std::string seed_mean_words(const SeedMean& mean) {
  if (mean.count == 0) return "-";
  const std::string rows =
      (mean.rows_error ? fmt::format(", rows ± {:.2g}", *mean.rows_error) : "") + epochs_words(mean.earlier);
  if (!mean.error) return fmt::format("{:.6g}{}", mean.mean, rows);
  const double e = *mean.error;
  const int digits = e > 0.0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(e))), 0, 9) : 4;
  return fmt::format("{:.{}f} ± {:.{}f}{}", mean.mean, digits, e, digits, rows);
}

std::string seed_means_text(const SeedMeans& means, const std::string& sorted) {
  TableSection counts{"", {{"seeds"}}}, settings{"Settings", {}},
      figures{"Means over seeds ± standard error from their scatter", {}};
  std::vector<std::string> names;
  for (const std::string& path : means.settings) settings.rows.push_back({path});
  for (const std::string& name : means.figures) figures.rows.push_back({name});
  for (std::size_t g = 0; g < means.groups.size(); ++g) {
    const SeedMeans::Group& group = means.groups[g];
    names.push_back(group.name);
    counts.rows[0].push_back(group.finished == group.runs ? std::to_string(group.runs)
                                                          : fmt::format("{} of {}", group.finished, group.runs));
    for (std::size_t k = 0; k < settings.rows.size(); ++k) settings.rows[k].push_back(group.values[k]);
    for (std::size_t k = 0; k < figures.rows.size(); ++k) figures.rows[k].push_back(seed_mean_words(group.means[k]));
  }
  const auto unmeasured = [](const SeedMeans::Group& group) {
    return std::ranges::any_of(group.means, [](const SeedMean& mean) { return mean.count == 0; });
  };
  if (std::ranges::any_of(means.groups, unmeasured)) figures.title += "; -: not measured ('harmonium evaluate RUN')";
  const auto shares_rows = [](const SeedMeans::Group& group) {
    return std::ranges::any_of(group.means, [](const SeedMean& mean) { return mean.rows_error.has_value(); });
  };
  if (std::ranges::any_of(means.groups, shares_rows)) figures.title += "; rows: error over the data rows of one run";
  if (settings.rows.empty()) settings.title = "The settings differ in nothing but the seed.";
  return table_text(names, {counts, settings, figures}, seed_table_width) +
         edges_text(means, best_setting(means, sorted));
}

std::string seed_means_json(const SeedMeans& means, const std::string& sorted) {
  const std::optional<BestSetting> best = best_setting(means, sorted);
  std::string all;
  for (std::size_t g = 0; g < means.groups.size(); ++g) {
    const SeedMeans::Group& group = means.groups[g];
    const bool is_best = best && best->group == g;
    std::string own, measured;
    for (std::size_t k = 0; k < means.settings.size(); ++k)
      own += fmt::format("{}{}: {}", k == 0 ? "" : ", ", json_string(means.settings[k]), json_string(group.values[k]));
    for (std::size_t k = 0; k < means.figures.size(); ++k)
      if (const SeedMean& m = group.means[k]; m.count > 0)
        measured +=
            fmt::format("{}{}: {{\"seeds\": {}, \"mean\": {}, \"error\": {}, \"rows_error\": {}{}}}",
                        measured.empty() ? "" : ", ", json_string(means.figures[k]), m.count, json_number(m.mean),
                        json_number(m.error), json_number(m.rows_error),
                        m.earlier ? fmt::format(", \"epochs\": [{}, {}]", m.earlier->first, m.earlier->last) : "");
    all += fmt::format(
        "{}{{\"name\": {}, \"runs\": {}, \"finished\": {}, \"settings\": {{{}}}, \"figures\": {{{}}}, "
        "\"best_by\": {}, \"edges\": {}}}",
        all.empty() ? "" : ",\n", json_string(group.name), group.runs, group.finished, own, measured,
        is_best ? json_string(means.figures[best->figure]) : "null", is_best ? edges_json(means, *best) : "{}");
  }
  return "[" + all + "]\n";
}

}  // namespace v1
}  // namespace harmonium
