#include <harmonium/program/stack/stack_file.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/nearest_name.hpp>
#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/config/written_at.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/data_random.hpp>
#include <harmonium/program/stack/joint_training.hpp>
#include <harmonium/program/stack/upper_machine.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// What a file says of the stack, beside the configuration.
constexpr const char* stack_keys[] = {"base", "passed_up", "start", "machines", "fine_tune", "joint"};

/// What it may say beside a base of the configuration that this names.
constexpr const char* seed_keys[] = {"seed", "data_seed"};

std::vector<Settings> read_machines(const Value& list) {
  const auto* members = std::get_if<Value::List>(&list.data);
  if (!members || members->size() < 2)
    refuse_stack(list,
                 "a stack has two machines or more. Write [[machines]] above the settings of each, from that of "
                 "the data up.");
  std::vector<Settings> machines;
  for (const Value& member : *members) {
    if (!member.is_table()) refuse_stack(member, "a machine is a table of settings. Write [[machines]] above them.");
    machines.push_back(settings_of(member));
  }
  return machines;
}

/// What fine-tuning takes from the machines, or has no use for.
void check_fine_tuning(const std::string& key, const Value& value) {
  const std::string section = key.substr(0, key.find('.'));
  const auto refuse = [&](const char* why) { refuse_stack(value, fmt::format("'{}' of fine_tune: {}", key, why)); };
  if (section == "data" || section == "precision" || section == "plugins")
    refuse("it is that of the first machine. Set it there.");
  if (section == "model") refuse("the model is the stack of all machines. Set it in these.");
  if (section == "start_from" || section == "initializer")
    refuse("fine-tuning starts from the trained machines. Leave it out.");
  if (section == "regularizers")
    refuse(
        "they know the tensors of a machine that is trained by itself, not those of a stack. Set them in the "
        "machines.");
  const Value* type = key == "estimator" ? value.find("type") : key == "estimator.type" ? &value : nullptr;
  if (key == "estimator" && !type) refuse("it is a table. Write \"estimator.gibbs_steps\" = 3, for one.");
  if (type && !(*type == make_value("wake_sleep")))
    refuse("machines are trained at once by the estimator 'wake_sleep'. Leave its type out.");
}

Settings read_fine_tuning(const Value& table) {
  if (!table.is_table())
    refuse_stack(table,
                 fmt::format("'fine_tune' is a table of settings, as a machine's, not {}. Write [fine_tune] above "
                             "them.",
                             table.type_name()));
  Settings settings = settings_of(table);
  for (const auto& [key, value] : settings) check_fine_tuning(key, value);
  return settings;
}

/// What belongs to the machine of the data alone.
void leave_to_the_lowest(Value& config) {
  take_rbm_for_columns(config);
  for (const char* section : {"data", "pictures", "start_from"}) config.erase(section);
  if (Value* model = config.find("model"))
    for (const char* key : {"num_visible", "visible_units", "num_labels", "learn_precision", "masks"})
      model->erase(key);
}

constexpr const char* no_upper_labels =
    "a stack has no labels at its top. Leave it out, and set it in the first machine, where labels stand beside the "
    "data, or give the features that 'harmonium transform' makes to a classifier of your own.";

/// What is passed up is not to be set.
void check_passed_up(const Settings& settings, std::size_t k) {
  for (const auto& [key, value] : settings) {
    if (key == "model.num_labels")
      refuse_stack(value, fmt::format("'{}' of machine {}: {}", key, k + 1, no_upper_labels));
    for (const char* own : {"data", "model.num_visible", "model.visible_units"})
      if (key == own || key.starts_with(std::string(own) + "."))
        refuse_stack(value,
                     fmt::format("'{}' of machine {} follows from the machine below it. Leave it out, or set it in "
                                 "the first machine.",
                                 key, k + 1));
  }
}

/// With a base all that machines share is there, but for seeds.
void check_keys_beside_base(const Value& file) {
  std::vector<std::string> known(std::begin(stack_keys), std::end(stack_keys));
  known.insert(known.end(), std::begin(seed_keys), std::end(seed_keys));
  for (const auto& [key, value] : std::get<Value::Table>(file.data))
    if (std::ranges::find(known, key) == known.end())
      refuse_stack(
          value, fmt::format("a stack with a 'base' has no '{}'{}. Known: {}. What all machines share belongs into the "
                             "configuration that 'base' names.",
                             key, did_you_mean(key, known), fmt::join(known, ", ")));
}

}  // namespace

void refuse_stack(const Value& at, const std::string& problem) { throw ConfigError(written_at(at) + problem); }

Value seed_of_part(const Value& base, std::size_t k) {
  const Value* seed = base.find("seed");
  const auto* first = seed ? std::get_if<std::int64_t>(&seed->data) : nullptr;
  return make_value((first ? *first : 1) + static_cast<std::int64_t>(k));
}

void keep_rows_of(const Value& first, Value& config) {
  if (config.find("data_seed") || !rows_depend_on_seed(first)) return;
  config.set("data_seed", make_value(static_cast<std::int64_t>(data_seed(first))));
}

void apply_seeds(const StackFile& stack, const std::vector<std::string>& set, Value& config) {
  for (const auto& [key, value] : stack.seeds) {
    const std::string assigned = key + "=";
    if (std::ranges::none_of(set, [&](const std::string& one) { return one.starts_with(assigned); }))
      config.set(key, value);
  }
}

Value shared_configuration(Value file) {
  for (const char* key : stack_keys) file.erase(key);
  return file;
}

StackFile stack_of(const Value& file, const std::string& path) {
  StackFile stack;
  if (const Value* base = file.find("base")) {
    if (!base->is_string() || std::get<std::string>(base->data).empty())
      refuse_stack(*base, "'base' names the configuration that the machines share. Write base = \"CONFIG.toml\".");
    stack.base = (std::filesystem::absolute(path).parent_path() / std::get<std::string>(base->data)).string();
    check_keys_beside_base(file);
    for (const char* key : seed_keys)
      if (const Value* seed = file.find(key)) stack.seeds.emplace_back(key, *seed);
  }
  const auto one_of = [&](const char* key, const char* first, const char* second) {
    const Value* value = file.find(key);
    if (!value || *value == make_value(first)) return true;
    if (*value == make_value(second)) return false;
    refuse_stack(*value, fmt::format("'{}' is \"{}\" or \"{}\". Write one of them.", key, first, second));
  };
  stack.draws = one_of("passed_up", "draws", "means");
  stack.transposed = one_of("start", "transposed", "initializer");
  const Value* machines = file.find("machines");
  stack.machines = read_machines(machines ? *machines : Value{{}, path});
  const Value* fine_tune = file.find("fine_tune");
  const Value* joint = file.find("joint");
  if (fine_tune && joint)
    refuse_stack(
        *joint,
        "[fine_tune] trains a stack and [joint] a deep Boltzmann machine, and machines make one of them. Leave "
        "one out.");
  if (fine_tune) stack.fine_tune = read_fine_tuning(*fine_tune);
  if (joint) read_joint(file, *joint, stack);
  return stack;
}

Value config_of_machine(const StackFile& stack, const Value& base, std::size_t k) {
  Value config = base;
  if (k > 0) {
    check_passed_up(stack.machines[k], k);
    leave_to_the_lowest(config);
    config.set("seed", seed_of_part(base, k));
  }
  apply_settings(stack.machines[k], config);
  if (!stack.joint.empty() && (k == 0 || k + 1 == stack.machines.size()))
    config.set("estimator", doubled_estimator(config, k == 0 ? "observed" : "latent", k));
  set_default_checkpoints(config);
  return config;
}

Value config_of_fine_tuning(const StackFile& stack, const Value& base) {
  const Value first = config_of_machine(stack, base, 0);
  Value config = base;
  for (const char* section : {"data", "precision", "plugins"}) {
    config.erase(section);
    if (const Value* own = first.find(section)) config.set(section, *own);
  }
  for (const char* section : {"model", "estimator", "initializer", "regularizers", "pictures", "start_from"})
    config.erase(section);
  config.set("seed", seed_of_part(base, stack.machines.size()));
  config.set("estimator", make_table({{"type", make_value("wake_sleep")}}));
  apply_settings(*stack.fine_tune, config);
  keep_rows_of(first, config);
  set_default_checkpoints(config);
  return config;
}

}  // namespace v1
}  // namespace harmonium
