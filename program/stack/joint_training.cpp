#include <harmonium/program/stack/joint_training.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {
namespace {

/// The type of a component, which may be written as its name alone.
std::string type_of(const Value* component) {
  const Value* type = component && component->is_table() ? component->find("type") : component;
  return type && type->is_string() ? std::get<std::string>(type->data) : "";
}

/// The table [model] of machine `k`, which is that of an RBM without more than the deep machine has room for.
const Value& rbm_of(const Value& machine, std::size_t k) {
  const Value* model = machine.find("model");
  if (!model || type_of(model) != "rbm")
    refuse_stack(model ? *model : machine,
                 fmt::format("machine {} is no 'rbm', of which alone a deep Boltzmann machine is composed. Give it "
                             "that type, or leave out [joint].",
                             k + 1));
  for (const auto& [key, value] : std::get<Value::Table>(model->data))
    if (key != "type" && key != "num_visible" && key != "num_hidden" && key != "visible_units" && key != "hidden_units")
      refuse_stack(value,
                   fmt::format("'{}' of machine {} has no place in the deep Boltzmann machine that [joint] trains. "
                               "Leave it out.",
                               key, k + 1));
  const Value* units = model->find("hidden_units");
  if (units && type_of(units) != "binary")
    refuse_stack(*units, fmt::format("the hidden units of machine {} are not binary, which those of a deep Boltzmann "
                                     "machine are that [joint] trains. Leave 'hidden_units' out.",
                                     k + 1));
  return *model;
}

/// What a phase of the training of all layers sets.
Settings read_phase(const Value& table) {
  if (!table.is_table())
    refuse_stack(table,
                 "'joint' is a table of what the training of all layers sets, or several, a phase each. Write [joint], "
                 "or [[joint]], above the settings.");
  Settings settings = settings_of(table);
  for (const auto& [key, value] : settings)
    for (const char* own : {"data", "model", "initializer", "start_from", "seed", "precision"})
      if (key == own || key.starts_with(std::string(own) + "."))
        refuse_stack(value,
                     fmt::format("'{}' of [joint] follows from the machines. Leave it out, or set it for all.", key));
  return settings;
}

}  // namespace

void read_joint(const Value& file, const Value& joint, StackFile& stack) {
  if (const Value* start = file.find("start"); start && stack.transposed)
    refuse_stack(*start,
                 "with [joint], machines start by their initializer: one turned over has not the law that the next "
                 "one is to learn. Leave 'start' out.");
  stack.transposed = false;
  const auto* phases = std::get_if<Value::List>(&joint.data);
  if (!phases || phases->empty()) stack.joint.push_back(read_phase(joint));
  else
    for (const Value& phase : *phases) stack.joint.push_back(read_phase(phase));
}

Value doubled_estimator(const Value& config, const std::string& units, std::size_t k) {
  const Value* own = config.find("estimator");
  const std::string type = type_of(own);
  if (type != "cd" && type != "pcd")
    refuse_stack(own ? *own : config,
                 fmt::format("with [joint], machine {} is trained by chains in which one side counts twice, and the "
                             "estimator is '{}'. Take 'cd' or 'pcd'.",
                             k + 1, type));
  constexpr std::array<const char*, 3> of_chains{"gibbs_steps", "num_chains", "sampler"},
      of_both{"type", "centering", "offset_rate"};
  Value chains = make_table(
      {{"type", make_value("chains")}, {"start", make_value(std::string(type == "cd" ? "data" : "persistent"))}});
  Value doubled = make_table({{"type", make_value("doubled")}, {"units", make_value(units)}});
  if (own->is_table())
    for (const auto& [key, value] : std::get<Value::Table>(own->data)) {
      if (std::ranges::find(of_chains, key) != of_chains.end()) chains.set(key, value);
      else if (std::ranges::find(of_both, key) == of_both.end())
        refuse_stack(value,
                     fmt::format("'{}' of the estimator has no place in machine {}, whose positive phase is exact. "
                                 "Set \"estimator.{}\" in [joint].",
                                 key, k + 1, key));
      else if (key != "type") doubled.set(key, value);
    }
  doubled.set("negative", std::move(chains));
  return doubled;
}

std::vector<Value> configs_of_joint(const StackFile& stack, const Value& base, const std::vector<Value>& machines) {
  Value config = base, sizes;
  sizes.data = Value::List{};
  for (std::size_t k = 0; k < machines.size(); ++k) {
    const Value& model = rbm_of(machines[k], k);
    const Value* size = model.find("num_hidden");
    if (!size) refuse_stack(model, fmt::format("'num_hidden' of machine {} must be given.", k + 1));
    std::get<Value::List>(sizes.data).push_back(*size);
  }
  const Value& lowest = *machines.front().find("model");
  Value deep = make_table({{"type", make_value("deep")}, {"num_hidden", std::move(sizes)}});
  for (const char* key : {"num_visible", "visible_units"})
    if (const Value* given = lowest.find(key)) deep.set(key, *given);
  config.set("model", std::move(deep));
  if (const Value* data = machines.front().find("data")) config.set("data", *data);
  config.erase("start_from");
  std::vector<Value> configs;
  for (const Settings& phase : stack.joint) {
    Value& own = configs.emplace_back(config);
    own.set("seed", seed_of_part(base, machines.size() + configs.size() - 1));
    apply_settings(phase, own);
    keep_rows_of(machines.front(), own);
    set_default_checkpoints(own);
  }
  return configs;
}

}  // namespace v1
}  // namespace harmonium
