#include <harmonium/program/sweep/sweep_file.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/config/written_at.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

[[noreturn]] void refuse_entry(const Value& at, const std::string& problem) {
  throw ConfigError(written_at(at) + problem);
}

const Value::Table& table_in(const Value& value, const std::string& name, const char* example) {
  if (!value.is_table())
    refuse_entry(value, fmt::format("'{}' is {}, not a table. Write {}.", name, value.type_name(), example));
  return std::get<Value::Table>(value.data);
}

struct RangeOptions {
  double low = 0.0, high = 1.0;
  std::string scale = "linear";
  bool integer = false;
  void bind(OptionBinder& o) {
    o.option("low", low, "the least value", finite());
    o.option("high", high, "the greatest value", finite());
    o.option("scale", scale, "linear or log: what is even over the range, the value or its logarithm");
    o.option("integer", integer, "whole numbers alone");
  }
};

SweepRange range_of(const std::string& key, const Value& value) {
  if (!value.is_table())
    refuse_entry(value, fmt::format("random '{}': {} is no range. Write {{ low = 1e-4, high = 0.1, scale = \"log\" }}.",
                                    key, value.type_name()));
  RangeOptions options;
  read_options(value, fmt::format("random '{}'", key), options);
  const auto refuse = [&](const std::string& problem) {
    refuse_entry(value, fmt::format("random '{}': {}", key, problem));
  };
  for (const char* end : {"low", "high"})
    if (!value.find(end)) refuse(fmt::format("'{}' is missing. A range has both ends.", end));
  if (options.scale != "linear" && options.scale != "log")
    refuse(fmt::format("'scale' is \"{}\". Write \"linear\" or \"log\".", options.scale));
  if (!(options.low < options.high))
    refuse(fmt::format("'low' is {}, and 'high' {}. Give a 'high' above it.", options.low, options.high));
  if (options.scale == "log" && options.low <= 0.0)
    refuse(fmt::format("'low' is {}, which has no logarithm. Give one above 0, or scale = \"linear\".", options.low));
  constexpr double most = 9e15;  // what a double counts
  if (options.integer && (options.low != std::floor(options.low) || options.high != std::floor(options.high) ||
                          std::max(std::abs(options.low), std::abs(options.high)) > most))
    refuse("with integer = true both ends are whole numbers of at most 15 digits. Round them.");
  return {key, value.where, options.low, options.high, options.scale == "log", options.integer};
}

void read_random(const Value& table, SweepFile& sweep) {
  table_in(table, "random", "[random] with points = 20 and a range for each key");
  const Value* points = table.find("points");
  const auto* number = points ? std::get_if<std::int64_t>(&points->data) : nullptr;
  if (!number || *number < 1 || *number > 1'000'000)
    refuse_entry(points ? *points : table, "random: 'points' says how many are drawn, from 1 to a million. Give it.");
  sweep.num_points = static_cast<std::size_t>(*number);
  Value ranges = table;
  ranges.erase("points");
  const auto is_range = [](const Value& value) { return value.find("low") || value.find("high"); };
  for_each_key(ranges, "", is_range,
               [&](const std::string& key, const Value& value) { sweep.random.push_back(range_of(key, value)); });
  if (sweep.random.empty()) refuse_entry(table, "random: there is no range. Name a key and its ends.");
}

void read_grid(const Value& table, SweepFile& sweep) {
  table_in(table, "grid", "[grid] with a list of values for each key");
  // Leaves are lists, so that a table leads on even where it has a 'type', as estimator.type = ["cd", "pcd"] makes one.
  const auto never = [](const Value&) { return false; };
  for_each_key(table, "", never, [&](const std::string& key, const Value& value) {
    const auto* values = std::get_if<Value::List>(&value.data);
    if (!values || values->empty())
      refuse_entry(value, fmt::format("grid '{}': {}. Write the values that it takes, as in \"{}\" = [100, 500].", key,
                                      values ? "the list is empty" : "it has one value, not a list", key));
    sweep.grid.push_back({key, *values});
  });
}

void read_list(const Value& list, SweepFile& sweep) {
  const auto* members = std::get_if<Value::List>(&list.data);
  if (!members) refuse_entry(list, "'list' is no list of tables. Write [[list]] above each.");
  for (const Value& member : *members) {
    table_in(member, "list", "[[list]] above the settings of each");
    sweep.list.push_back(settings_of(member));
  }
}

void check_seed(const Value& seed, const char* key, const char* example) {
  const auto* number = std::get_if<std::int64_t>(&seed.data);
  if (!number || *number < 0)
    refuse_entry(seed, fmt::format("'{}' is {}. Seeds are whole numbers from 0 on, as in {}.", key,
                                   number ? std::to_string(*number) : std::string(seed.type_name()), example));
}

void read_seeds(const Value& given, SweepFile& sweep) {
  Value::List seeds{given};
  if (given.is_list()) seeds = std::get<Value::List>(given.data);
  if (seeds.empty()) refuse_entry(given, "'seed' is an empty list. Give one seed or more, or leave it out.");
  for (const Value& seed : seeds) {
    check_seed(seed, "seed", "seed = [1, 2, 3]");
    sweep.seeds.push_back(seed);
  }
}

/// No key is set in two places, where one would hide the other.
void check_keys(const SweepFile& sweep, const Value& file) {
  std::vector<std::string> keys;
  for (const SweepAxis& axis : sweep.grid) keys.push_back(axis.key);
  for (const SweepRange& range : sweep.random) keys.push_back(range.key);
  std::vector<std::string> listed;
  for (const SweepPoint& point : sweep.list)
    for (const auto& setting : point)
      if (std::ranges::find(listed, setting.first) == listed.end()) listed.push_back(setting.first);
  keys.insert(keys.end(), listed.begin(), listed.end());
  if (!sweep.seeds.empty()) keys.emplace_back("seed");
  if (!sweep.data_seed.is_empty()) keys.emplace_back("data_seed");
  std::ranges::sort(keys);
  if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
    refuse_entry(file, fmt::format("'{}' is set in two places. Leave it in one.", *twice));
}

}  // namespace

SweepFile read_sweep(const std::string& path) {
  const Value file = read_toml(path);
  static const std::vector<std::string> known{"base", "seed", "data_seed", "grid", "random", "list", "slurm"};
  for (const auto& [key, value] : std::get<Value::Table>(file.data))
    if (std::ranges::find(known, key) == known.end())
      refuse_entry(
          value,
          fmt::format(
              "a sweep has no '{}'{}. Known: base, seed, data_seed, grid, random, list, slurm. What all runs share "
              "belongs into the configuration that 'base' names.",
              key, did_you_mean(key, known)));
  const Value* base = file.find("base");
  if (!base || !base->is_string() || std::get<std::string>(base->data).empty())
    refuse_entry(base ? *base : Value{{}, path},
                 "'base' names the configuration that the runs share. Write base = \"CONFIG.toml\".");
  SweepFile sweep;
  sweep.base = (std::filesystem::absolute(path).parent_path() / std::get<std::string>(base->data)).string();
  if (const Value* list = file.find("list")) read_list(*list, sweep);
  if (const Value* grid = file.find("grid")) read_grid(*grid, sweep);
  if (const Value* random = file.find("random")) read_random(*random, sweep);
  if (const Value* seeds = file.find("seed")) read_seeds(*seeds, sweep);
  if (const Value* seed = file.find("data_seed")) {
    check_seed(*seed, "data_seed", "data_seed = 1");
    sweep.data_seed = *seed;
  }
  if (const Value* slurm = file.find("slurm")) {
    table_in(*slurm, "slurm", "[slurm] with sbatch's options, as in time = \"02:00:00\"");
    sweep.slurm = *slurm;
  }
  check_keys(sweep, Value{{}, path});
  return sweep;
}

}  // namespace v1
}  // namespace harmonium
