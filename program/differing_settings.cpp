#include <harmonium/program/differing_settings.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/program/components.hpp>
#include <harmonium/program/estimator_names.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// By what the members of a list of tables are called, such as the types of observers and the names of layers; null: by their
/// numbers.
const char* word_of_members(const Value::List& members) {
  for (const char* key : {"type", "name"}) {
    std::set<std::string> words;
    for (const Value& member : members)
      if (const Value* word = member.find(key); word && word->is_string())
        words.insert(std::get<std::string>(word->data));
    if (words.size() == members.size()) return key;
  }
  return nullptr;
}

/// Settings of one run by their paths, in order.
class RunSettings {
 public:
  /// Lists at the paths `numbered` have members that go by their numbers.
  RunSettings(const Value& config, const std::set<std::string>& numbered) { add("", config, numbered); }
  /// The paths of lists whose members can go by nothing else.
  const std::set<std::string>& without_words() const { return without_words_; }
  const std::vector<std::pair<std::string, const Value*>>& all() const { return all_; }
  const Value* find(const std::string& path) const {
    const auto found = places_.find(path);
    return found == places_.end() ? nullptr : all_[found->second].second;
  }

 private:
  void add(const std::string& path, const Value& value, const std::set<std::string>& numbered) {
    const std::string begin = path.empty() ? "" : path + ".";
    if (value.is_table()) {
      for (const auto& [key, entry] : std::get<Value::Table>(value.data)) add(begin + key, entry, numbered);
    } else if (is_list_of_tables(value)) {
      add_members(path, std::get<Value::List>(value.data), numbered);
    } else {
      places_[path] = all_.size();
      all_.emplace_back(path, &value);
    }
  }
  static bool is_list_of_tables(const Value& value) {
    return value.is_list() && !std::get<Value::List>(value.data).empty() &&
           std::ranges::all_of(std::get<Value::List>(value.data), &Value::is_table);
  }
  void add_members(const std::string& path, const Value::List& members, const std::set<std::string>& numbered) {
    const char* word = word_of_members(members);
    if (!word) without_words_.insert(path);
    const bool called = word && !numbered.contains(path);
    for (std::size_t i = 0; i < members.size(); ++i)
      add(called ? path + "." + std::get<std::string>(members[i].find(word)->data) : fmt::format("{}[{}]", path, i),
          members[i], numbered);
  }

  std::set<std::string> without_words_;
  std::vector<std::pair<std::string, const Value*>> all_;
  std::map<std::string, std::size_t> places_;
};

bool differ(const std::vector<const Value*>& values) {
  return std::ranges::any_of(
      values, [&](const Value* value) { return !value != !values[0] || (value && !(*value == *values[0])); });
}

/// Whether a setting is of a member, a component or a layer, that some run does not have at all, which its type or name tells, and
/// all runs that have it agree.
bool of_absent_component(const std::string& path, const std::vector<RunSettings>& runs) {
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    const std::string begin = path.substr(0, dot + 1);
    if (path == begin + "type" || path == begin + "name") continue;
    bool told = false;
    std::vector<const Value*> values;
    for (const RunSettings& run : runs) {
      told |= run.find(begin + "type") || run.find(begin + "name");
      if (std::ranges::any_of(run.all(), [&](const auto& setting) { return setting.first.starts_with(begin); }))
        values.push_back(run.find(path));
    }
    if (told && values.size() < runs.size() && !differ(values)) return true;
  }
  return false;
}

/// The path of a member itself in place of that of the word which tells it apart: observers.log_z, not observers.log_z.type.
std::string shown_path(const std::string& path, const Value& value) {
  if (value.is_string())
    for (const std::string key : {".type", ".name"})
      if (path.ends_with("." + std::get<std::string>(value.data) + key))
        return path.substr(0, path.size() - key.size());
  return path;
}

std::vector<RunSettings> settings_of_runs(const std::vector<ComparedRun>& runs) {
  std::set<std::string> numbered;
  for (const ComparedRun& run : runs) numbered.merge(std::set(RunSettings(run.config, {}).without_words()));
  std::vector<RunSettings> settings;
  settings.reserve(runs.size());
  for (const ComparedRun& run : runs) settings.emplace_back(run.config, numbered);
  return settings;
}

/// The defaults of all components, as a configuration would write them.
class Defaults {
 public:
  bool has(const std::string& type, const std::string& option, const Value& value) {
    if (!all_) all_ = components({});
    return std::ranges::any_of(*all_, [&](const ComponentDescription& component) {
      return component.name == type && std::ranges::any_of(component.options, [&](const OptionInfo& own) {
               return own.name == option && own.fallback == write_toml_value(value);
             });
    });
  }

 private:
  std::optional<std::vector<ComponentDescription>> all_;  ///< once they are asked for
};

/// Whether a setting is the default of a component in each run that has it, and the others have one of another type, or none, which
/// that tells.
bool default_of_other_type(const std::string& path, const std::vector<RunSettings>& runs, Defaults& defaults) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string option = path.substr(dot + 1), type_path = path.substr(0, dot) + ".type";
  std::set<std::string> having, lacking;
  for (const RunSettings& run : runs) {
    const Value *type = run.find(type_path), *own = run.find(path);
    if (type ? !type->is_string() : own != nullptr) return false;
    (own ? having : lacking).insert(type ? std::get<std::string>(type->data) : "");
  }
  if (lacking.empty() || std::ranges::any_of(having, [&](const auto& type) { return lacking.contains(type); }))
    return false;
  return std::ranges::all_of(runs, [&](const RunSettings& run) {
    const Value* value = run.find(path);
    return !value || defaults.has(std::get<std::string>(run.find(type_path)->data), option, *value);
  });
}

/// Whether all runs that have chains have as many, some by a number and some (0) by their batches' rows.
bool as_many_chains(const std::string& path, const std::vector<RunSettings>& runs) {
  if (path != "estimator.negative.num_chains") return false;
  std::set<double> numbers;
  for (const RunSettings& run : runs) {
    const Value *own = run.find(path), *batch = run.find("training.batch_size");
    if (!own) continue;
    if (!own->number()) return false;
    const Value* const said = *own->number() == 0.0 ? batch : own;
    if (!said || !said->number()) return false;
    numbers.insert(*said->number());
  }
  return numbers.size() == 1;
}

/// What a setting says that other rows have said, of which some are of the model or of the data.
bool follows_from_others(const std::string& path, const std::vector<RunSettings>& runs, bool model, bool data) {
  constexpr std::string_view observers = "observers.", size = ".size";
  if (path == "pictures.which") return model;
  if (path == "observers.pseudo_likelihood.units") return model || data;
  if (path.starts_with(observers) && path.ends_with(".type")) return model || data;
  if (!data || !path.starts_with("model.layers") || !path.ends_with(size)) return false;
  const std::string role = path.substr(0, path.size() - size.size()) + ".role";
  return std::ranges::all_of(runs, [&](const RunSettings& run) {
    const Value* own = run.find(role);
    return own && *own == make_value("observed");
  });
}

bool of_one_sweep(const std::vector<ComparedRun>& runs) {
  return std::ranges::all_of(
      runs, [&](const ComparedRun& run) { return run.swept.is_table() && run.swept.where == runs[0].swept.where; });
}

/// By the keys of the sweep that all runs belong to.
std::vector<DifferingSetting> swept_apart(const std::vector<ComparedRun>& runs) {
  std::vector<DifferingSetting> differing;
  std::set<std::string> seen;
  for (const ComparedRun& own : runs)
    for (const auto& [key, value] : std::get<Value::Table>(own.swept.data)) {
      if (!seen.insert(key).second) continue;
      DifferingSetting setting{key, {}};
      for (const ComparedRun& run : runs) setting.values.push_back(run.swept.find(key));
      if (differ(setting.values)) differing.push_back(std::move(setting));
    }
  return differing;
}

}  // namespace

std::vector<DifferingSetting> differing_settings(const std::vector<ComparedRun>& runs) {
  if (of_one_sweep(runs)) return swept_apart(runs);
  const std::vector<RunSettings> settings = settings_of_runs(runs);
  Defaults defaults;
  std::vector<std::pair<std::string, DifferingSetting>> found;  // with their whole paths
  std::set<std::string> seen;
  for (const RunSettings& own : settings)
    for (const auto& [path, value] : own.all()) {
      if (!seen.insert(path).second) continue;
      DifferingSetting setting{shown_path(path, *value), {}};
      for (const RunSettings& other : settings) setting.values.push_back(other.find(path));
      if (differ(setting.values) && !of_absent_component(path, settings) &&
          !default_of_other_type(path, settings, defaults) && !as_many_chains(path, settings))
        found.emplace_back(path, std::move(setting));
    }
  const auto any_of = [&](std::string_view section) {
    return std::ranges::any_of(found, [&](const auto& entry) { return entry.first.starts_with(section); });
  };
  const bool model = any_of("model."), data = any_of("data.");
  std::vector<DifferingSetting> differing;
  for (auto& [path, setting] : found)
    if (!follows_from_others(path, settings, model, data)) differing.push_back(std::move(setting));
  name_estimators(runs, differing);
  return differing;
}

}  // namespace v1
}  // namespace harmonium
