#include <harmonium/program/sweep/sweep_runs.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <boost/random/sobol.hpp>
#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// The value at a share of the way from one end to the other. Six digits: another processor rounds to the same.
Value value_at(const SweepRange& range, double share) {
  const double low = range.low, high = range.high;
  if (range.integer) {
    // Each whole number has the part of the range that rounds to it.
    const double from = low - 0.5, to = high + 0.5;
    const double drawn =
        range.log ? std::max(from, 0.5) * std::pow(to / std::max(from, 0.5), share) : from + share * (to - from);
    return make_value(static_cast<std::int64_t>(std::clamp(std::round(drawn), low, high)));
  }
  const double drawn = range.log ? low * std::pow(high / low, share) : low + share * (high - low);
  const std::string digits = fmt::format("{:.6g}", drawn);
  double value = 0.0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return make_value(std::clamp(value, low, high));
}

/// The shares of a point in all dimensions.
std::vector<double> sobol_point(std::size_t dimensions, std::size_t point) {
  constexpr std::size_t most = 1000;
  if (dimensions > most)
    throw ConfigError(fmt::format("random: {} ranges, and points have at most {}. Draw fewer keys.", dimensions, most));
  boost::random::sobol_engine<std::uint32_t, 32> sequence(dimensions);
  sequence.discard(point * dimensions);
  std::vector<double> shares(dimensions);
  for (double& share : shares) share = static_cast<double>(sequence()) * 0x1p-32;
  return shares;
}

/// Keys in the order of their first appearance.
void add_key(SweepRuns& all, const std::string& key, bool drawn) {
  if (std::ranges::find(all.keys, key) != all.keys.end()) return;
  all.keys.push_back(key);
  all.drawn.push_back(drawn);
}

SweepRuns keys_of(const SweepFile& sweep) {
  SweepRuns all;
  for (const SweepPoint& point : sweep.list)
    for (const auto& setting : point) add_key(all, setting.first, false);
  for (const SweepAxis& axis : sweep.grid) add_key(all, axis.key, false);
  for (const SweepRange& range : sweep.random) add_key(all, range.key, true);
  if (!sweep.seeds.empty()) add_key(all, "seed", false);
  return all;
}

/// All points of the grid; the last key changes first.
std::vector<SweepPoint> grid_points(const std::vector<SweepAxis>& grid) {
  std::vector<SweepPoint> points{{}};
  for (const SweepAxis& axis : grid) {
    std::vector<SweepPoint> longer;
    for (const SweepPoint& point : points)
      for (const Value& value : axis.values) {
        longer.push_back(point);
        longer.back().emplace_back(axis.key, value);
      }
    points = std::move(longer);
  }
  return points;
}

/// The value that a configuration has at a dotted path; empty where it has none.
Value setting_at(const Value& config, const std::string& path) {
  const Value* node = &config;
  for (std::size_t begin = 0; node && begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    node = node->find(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return node ? *node : Value{};
}

SweepRun run_at(const SweepRuns& all, const SweepPoint& point, const Value& base) {
  SweepRun run{{}, base, std::vector<Value>(all.keys.size())};
  apply_settings(point, run.config);
  for (const auto& [key, value] : point) {
    const auto place = std::ranges::find(all.keys, key) - all.keys.begin();
    run.settings[static_cast<std::size_t>(place)] = value;
  }
  for (std::size_t k = 0; k < all.keys.size(); ++k)
    if (run.settings[k].is_empty()) run.settings[k] = setting_at(base, all.keys[k]);
  set_default_checkpoints(run.config);
  constexpr std::size_t digits = 10;
  run.name = sha256(write_toml(run.config)).substr(0, digits);
  return run;
}

void check_different(const SweepRuns& all) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t r = 0; r < all.runs.size(); ++r) {
    const auto [other, added] = seen.emplace(all.runs[r].name, r);
    if (added) continue;
    std::string settings;
    for (std::size_t k = 0; k < all.keys.size(); ++k)
      if (const Value& value = all.runs[r].settings[k]; !value.is_empty())
        settings += fmt::format("{}{} = {}", settings.empty() ? "" : ", ", all.keys[k], write_toml_value(value));
    throw ConfigError(fmt::format("runs {} and {} of the sweep are the same ({}). Say each once.", other->second + 1,
                                  r + 1, settings.empty() ? "the base" : settings));
  }
}

/// Adds each option of the command line that a value, or a part of it, was written by.
void add_assignments(const Value& value, std::set<std::string>& assignments) {
  if (value.where.starts_with("--")) assignments.insert(value.where);
  if (const auto* table = std::get_if<Value::Table>(&value.data))
    for (const auto& entry : *table) add_assignments(entry.second, assignments);
  if (const auto* list = std::get_if<Value::List>(&value.data))
    for (const Value& item : *list) add_assignments(item, assignments);
}

/// Nothing that the command line sets is replaced in every run.
void check_assignments(const SweepRuns& all, const Value& base) {
  std::set<std::string> lost, kept;
  add_assignments(base, lost);
  for (const SweepRun& run : all.runs) add_assignments(run.config, kept);
  for (const std::string& assignment : kept) lost.erase(assignment);
  if (!lost.empty())
    throw ConfigError(
        fmt::format("{}: the sweep itself sets this in each of its runs, so that it would be lost. Leave out this "
                    "option, or take the key out of the sweep's file.",
                    *lost.begin()));
}

}  // namespace

SweepPoint random_point(const std::vector<SweepRange>& ranges, std::size_t point) {
  SweepPoint settings;
  if (ranges.empty()) return settings;
  const std::vector<double> shares = sobol_point(ranges.size(), point);
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    settings.emplace_back(ranges[d].key, value_at(ranges[d], shares[d]));
    settings.back().second.where = ranges[d].where;
  }
  return settings;
}

SweepRuns runs_of(const SweepFile& sweep, const Value& base) {
  SweepRuns all = keys_of(sweep);
  const std::vector<SweepPoint> list = sweep.list.empty() ? std::vector<SweepPoint>{{}} : sweep.list;
  const std::vector<SweepPoint> grid = grid_points(sweep.grid);
  std::vector<SweepPoint> drawn;
  for (std::size_t p = 0; p < std::max<std::size_t>(sweep.num_points, 1); ++p)
    drawn.push_back(random_point(sweep.random, p));
  std::vector<SweepPoint> seeds;
  for (const Value& seed : sweep.seeds) seeds.push_back({{"seed", seed}});
  if (seeds.empty()) seeds.emplace_back();
  constexpr double most = 1e6;
  if (static_cast<double>(list.size()) * static_cast<double>(grid.size()) * static_cast<double>(drawn.size()) *
          static_cast<double>(seeds.size()) >
      most)
    throw ConfigError("the sweep has more than a million runs. Take fewer values, points or seeds.");
  for (const SweepPoint& listed : list)
    for (const SweepPoint& corner : grid)
      for (const SweepPoint& point : drawn)
        for (const SweepPoint& seed : seeds) {
          SweepPoint whole = listed;
          for (const SweepPoint* part : {&corner, &point, &seed}) whole.insert(whole.end(), part->begin(), part->end());
          all.runs.push_back(run_at(all, whole, base));
        }
  check_assignments(all, base);
  check_different(all);
  return all;
}

}  // namespace v1
}  // namespace harmonium
