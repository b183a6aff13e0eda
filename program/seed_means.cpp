#include <harmonium/program/seed_means.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/program/compare_text.hpp>
#include <harmonium/program/dealt_rows.hpp>
#include <harmonium/program/run_order.hpp>
#include <harmonium/program/setting_words.hpp>
#include <harmonium/program/unlike_units.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The group that each run is in, and the groups with their values.
std::vector<std::size_t> grouped(const std::vector<ComparedRun>& runs,
                                 const std::vector<const DifferingSetting*>& settings, SeedMeans& means) {
  std::vector<std::size_t> place, first;
  std::vector<std::vector<std::string>> texts;
  texts.reserve(settings.size());
  for (const DifferingSetting* s : settings) texts.push_back(setting_texts(*s));
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
    group.number = means.groups.size() + 1;
    for (std::size_t k = 0; k < settings.size(); ++k) {
      const Value* value = settings[k]->values[r];
      group.values.push_back(texts[k][r]);
      group.numbers.push_back(value ? value->number() : std::nullopt);
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
    group.whole_name = group.name;
    ++cut[short_of(group.name)];
  }
  for (SeedMeans::Group& group : means.groups)
    if (cut[short_of(group.name)] == 1) group.name = short_of(group.name);
}

}  // namespace

FigureState SeedMean::state() const {
  return count > 0 ? FigureState::known : not_agreed > 0 ? FigureState::not_agreed : FigureState::not_measured;
}

std::vector<RepeatedRun> SeedMeans::repeats() const {
  std::vector<RepeatedRun> all;
  for (const Group& group : groups) all.insert(all.end(), group.repeats.begin(), group.repeats.end());
  return all;
}

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

/// Which of the runs are of which group, and count.
struct Grouping {
  std::vector<std::size_t> place, counted;

  bool counts(std::size_t run) const { return counted[run] == run; }
  std::size_t counted_runs() const {
    std::size_t count = 0;
    for (std::size_t r = 0; r < counted.size(); ++r) count += counts(r);
    return count;
  }
};

/// Of the figure at that place, over the finished runs of each group.
std::vector<SeedMean> means_of(const std::vector<ComparedFigure>& figures, std::size_t which,
                               const std::vector<ComparedRun>& runs, const Grouping& grouping, std::size_t groups) {
  const std::vector<std::size_t>& place = grouping.place;
  const ComparedFigure& figure = figures[which];
  std::vector<std::vector<double>> values(groups), errors(groups);
  std::vector<std::vector<std::size_t>> members(groups);
  std::vector<std::size_t> not_agreed(groups), not_measured(groups), estimated(groups);
  std::vector<double> half_interval(groups);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].state != ComparedRun::State::finished || !grouping.counts(r)) continue;
    const FigureState state = state_of(figures, figure, r);
    if (state == FigureState::not_agreed) ++not_agreed[place[r]];
    if (state == FigureState::not_measured) ++not_measured[place[r]];
    if (state != FigureState::known) continue;
    const FinalFigure& own = *figure.of_runs[r];
    values[place[r]].push_back(own.last.value);
    members[place[r]].push_back(r);
    if (own.rows_error) errors[place[r]].push_back(*own.rows_error);
    if (own.band != LoggedCurve::Band::interval || own.last.high == own.last.low) continue;
    ++estimated[place[r]];
    half_interval[place[r]] = std::max(half_interval[place[r]], 0.5 * (own.last.high - own.last.low));
  }
  std::vector<SeedMean> means;
  for (std::size_t g = 0; g < groups; ++g) {
    means.push_back(mean_of_seeds(values[g]));
    means[g].not_agreed = not_agreed[g], means[g].not_measured = not_measured[g];
    means[g].estimated = estimated[g], means[g].half_interval = half_interval[g];
    means[g].earlier = earlier_epochs(figure, runs, members[g]);
    if (!errors[g].empty() && errors[g].size() == values[g].size()) means[g].rows_error = mean_of_seeds(errors[g]).mean;
  }
  return means;
}

/// In which part of the data runs with the same seed have other rows.
std::vector<std::string> unlike_rows(const std::vector<const Value*>& configs) {
  std::map<std::string, std::vector<const Value*>> by_seed;
  for (const Value* config : configs) by_seed[value_text(config->find("seed"))].push_back(config);
  std::vector<std::string> unlike;
  for (const char* part : {"validation", "test", ""})
    if (std::ranges::any_of(by_seed, [&](const auto& of_seed) { return have_other_rows(of_seed.second, part); }))
      unlike.emplace_back(part);
  return unlike;
}

/// Counts the runs of each group; the configurations of those that finished.
std::vector<const Value*> fill_groups(const std::vector<ComparedRun>& runs, const Grouping& grouping,
                                      SeedMeans& means) {
  std::vector<const Value*> finished;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    SeedMeans::Group& group = means.groups[grouping.place[r]];
    group.leaks |= !runs[r].leak.empty();
    if (!grouping.counts(r)) continue;
    ++group.runs;
    if (runs[r].state != ComparedRun::State::finished) continue;
    ++group.finished;
    group.members.push_back(&runs[r]);
    finished.push_back(&runs[r].config);
  }
  return finished;
}

}  // namespace

std::optional<SeedMeans> means_over_seeds(const std::vector<ComparedRun>& runs,
                                          const std::vector<DifferingSetting>& settings) {
  SeedMeans means;
  std::vector<const DifferingSetting*> others;
  const auto seeds = std::ranges::find(settings, "seed", &DifferingSetting::path);
  if (seeds == settings.end()) return {};  // one seed
  for (const DifferingSetting& setting : settings) {
    if (setting.path == "seed") continue;
    others.push_back(&setting);
    means.settings.push_back(setting.path);
  }
  Grouping grouping{grouped(runs, others, means), {}};
  grouping.counted = counted_runs(runs, grouping.place, *seeds);
  if (means.groups.size() == grouping.counted_runs()) return {};
  name_groups(means);
  const std::vector<const Value*> finished = fill_groups(runs, grouping, means);
  means.unlike_units = unlike_units(finished);
  means.unlike_rows = unlike_rows(finished);
  means.own_rows = first_of_unlike_deals(finished).has_value();
  const std::vector<ComparedFigure> figures = figures_at_end(runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (!grouping.counts(r))
      means.groups[grouping.place[r]].repeats.push_back(repeated_run(runs, r, grouping.counted[r], figures));
  for (std::size_t f = 0; f < figures.size(); ++f) {
    const std::vector<SeedMean> of_groups = means_of(figures, f, runs, grouping, means.groups.size());
    const auto unknown = [](const SeedMean& mean) { return mean.state() == FigureState::not_measured; };
    if (std::ranges::all_of(of_groups, unknown)) continue;
    means.figures.push_back(figures[f].name);
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

}  // namespace v1
}  // namespace harmonium
