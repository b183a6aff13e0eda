#include <harmonium/program/unlike_units.hpp>

#include <algorithm>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/program/judging_figure.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Stands among the paths for models of which some observe the class of a row and others do not.
constexpr const char* classes_differ = "classes";

/// How a [data] table changes the numbers of its file, in words that are equal where the units are, and what a row is.
struct UnitsOfData {
  std::string standardize, kinds, whiten, whiten_epsilon, scale, binarize, classes;
};

/// Whether the model observes the class of a row.
bool observes_classes(const Value& config) {
  const Value* model = subtable(config, "model");
  const Value* layers = model ? model->find("layers") : nullptr;
  return layers && layers->is_list() &&
         std::ranges::any_of(std::get<Value::List>(layers->data), [](const Value& layer) {
           const Value *name = layer.find("name"), *role = layer.find("role");
           return name && *name == make_value("label") && role && *role == make_value("observed");
         });
}

/// A setting of [data] as it is written; `fallback` where there is none.
std::string as_written(const Value* data, const char* key, const std::string& fallback) {
  const Value* value = data ? data->find(key) : nullptr;
  return value ? write_toml_value(*value) : fallback;
}

/// The columns of a table that are numbers, which alone are standardized; empty where it says nothing of its columns.
std::set<std::string> number_columns(const Value::List& kinds) {
  std::set<std::string> found;
  for (const Value& column : kinds) {
    const Value *name = column.find("column"), *kind = column.find("kind");
    if (name && kind && *kind == make_value("real")) found.insert(write_toml_value(*name));
  }
  return found;
}

UnitsOfData units_set_in(const Value& config) {
  const Value* data = config.find("data");
  if (data && !data->is_table()) data = nullptr;
  const Value* type = data ? data->find("type") : nullptr;
  const bool of_table = type && *type == make_value("table");
  UnitsOfData units;
  units.standardize = as_written(data, "standardize", of_table ? "true" : "false");
  units.whiten = as_written(data, "whiten", "\"none\"");
  if (units.whiten != "\"none\"") units.whiten_epsilon = as_written(data, "whiten_epsilon", "");
  // Bits that are made of values are so whatever these were multiplied by.
  const bool bits = as_written(data, "binarize", "\"none\"") != "\"none\"";
  units.binarize = bits ? "bits" : "values";
  if (!bits) {
    const Value* scale = data ? data->find("scale") : nullptr;
    units.scale = fmt::format("{}", scale ? scale->number().value_or(1.0) : 1.0);
  }
  const Value* kinds = data ? data->find("kinds") : nullptr;
  if (kinds && kinds->is_list() && units.standardize == "true") {
    const std::set<std::string> numbers = number_columns(std::get<Value::List>(kinds->data));
    units.kinds = fmt::format("{}", fmt::join(numbers, ", "));
    // Where there is nothing to standardize it is no other unit.
    if (numbers.empty()) units.standardize = "false";
  }
  units.classes = observes_classes(config) ? "observed" : "";
  return units;
}

/// Those that are paths.
std::vector<std::string> settings_among(std::vector<std::string> unlike) {
  std::erase(unlike, classes_differ);
  return unlike;
}

}  // namespace

std::vector<std::string> unlike_units(const std::vector<const Value*>& configs) {
  std::vector<UnitsOfData> all;
  all.reserve(configs.size());
  for (const Value* config : configs) all.push_back(units_set_in(*config));
  const auto differ = [&](std::string UnitsOfData::*part) {
    return std::ranges::any_of(all, [&](const UnitsOfData& units) { return units.*part != all[0].*part; });
  };
  std::vector<std::string> unlike;
  const auto add = [&](const char* path, std::string UnitsOfData::*part) {
    if (!differ(part)) return false;
    unlike.emplace_back(path);
    return true;
  };
  // What follows from another setting that differs is not named besides.
  if (!add("data.standardize", &UnitsOfData::standardize)) add("data.kinds", &UnitsOfData::kinds);
  if (!add("data.whiten", &UnitsOfData::whiten)) add("data.whiten_epsilon", &UnitsOfData::whiten_epsilon);
  if (!add("data.binarize", &UnitsOfData::binarize)) add("data.scale", &UnitsOfData::scale);
  add(classes_differ, &UnitsOfData::classes);
  return unlike;
}

std::vector<std::string> unlike_units(const std::vector<ComparedRun>& runs,
                                      const std::vector<ComparedFigure>& figures) {
  std::vector<const Value*> configs;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (std::ranges::any_of(figures, [&](const ComparedFigure& f) { return f.of_runs[r] && in_units_of_data(f.name); }))
      configs.push_back(&runs[r].config);
  return unlike_units(configs);
}

std::string units_that_differ(const std::vector<std::string>& unlike) {
  const std::vector<std::string> settings = settings_among(unlike);
  std::string words;
  if (!settings.empty()) words = fmt::format("take their data in different units ({})", fmt::join(settings, ", "));
  if (settings.size() < unlike.size())
    words +=
        std::string(words.empty() ? "" : ", and ") + "observe the class of a row or do not (log p(x, y), log p(x))";
  return words;
}

std::string words_on_units(const std::vector<std::string>& unlike) {
  const std::vector<std::string> settings = settings_among(unlike);
  std::string of_what, how = "compares likelihoods in the data's own units, or says why it cannot";
  if (!settings.empty())
    of_what = fmt::format("in units of each run's own data ({} differ{})", fmt::join(settings, ", "),
                          settings.size() == 1 ? "s" : "");
  if (settings.size() < unlike.size()) {
    of_what += std::string(of_what.empty() ? "" : ", and ") +
               "of a row with its class where the model observes that, log p(x, y), and else of log p(x)";
    how += "; with --data FILE of rows without classes they are of log p(x) in both";
  }
  return fmt::format(
      "likelihoods, pseudo likelihoods, bounds and squared errors are {}, and do not tell which model is better across "
      "these: 'harmonium evaluate A --against B' {}.",
      of_what, how);
}

std::string order_aside(const std::string& figure, const std::vector<std::string>& unlike) {
  return unlike.empty() || !in_units_of_data(figure) ? "" : "; the values are not all of one unit";
}

}  // namespace v1
}  // namespace harmonium
