#include <harmonium/program/work/meanings.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/run/experiment.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The tables of a configuration and the kinds of component that they hold; lists hold several.
constexpr std::pair<const char*, const char*> section_kinds[] = {
    {"data", "data"},           {"model", "model"},         {"initializer", "initializer"},
    {"estimator", "estimator"}, {"optimizer", "optimizer"}, {"regularizers", "regularizer"},
    {"observers", "observer"}};

std::string text_of(const OptionInfo& option) {
  return fmt::format("{} ({}{}{})", option.help, option.type, option.limit.empty() ? "" : ", " + option.limit,
                     option.fallback.empty() ? "" : "; default " + option.fallback);
}

constexpr std::string_view list_of = "list of ";

void for_each_item(const Value* list, FunctionRef<void(std::size_t, const Value&)> use) {
  const auto* items = list ? std::get_if<Value::List>(&list->data) : nullptr;
  for (std::size_t i = 0; items && i < items->size(); ++i) use(i, (*items)[i]);
}

}  // namespace

Meanings::Meanings(const Value& config, const Registries& registries) {
  const std::vector<ComponentInfo> all = registries.components();
  for (const OptionInfo& option : Experiment::general_options()) words_[option.name] = text_of(option);
  for (const OptionInfo& option : Experiment::start_options()) words_["start_from." + option.name] = text_of(option);
  words_["start_from"] = "the model whose parameters the training starts with, in place of the initializer's";
  for (const OptionInfo& option : Experiment::training_options()) words_["training." + option.name] = text_of(option);
  for (const OptionInfo& option : Experiment::picture_options()) words_["pictures." + option.name] = text_of(option);
  words_["regularizers"] =
      "what is added to the loss, each a table [[regularizers]] with a type (list of tables; default none)";
  for (const auto& [name, kind] : section_kinds) {
    const Value* section = config.find(name);
    if (!section) continue;
    if (section->is_table()) add_component(all, kind, *section, name);
    if (const auto* items = std::get_if<Value::List>(&section->data))
      for (std::size_t i = 0; i < items->size(); ++i)
        add_component(all, kind, (*items)[i], fmt::format("{}[{}]", name, i));
  }
}

std::string Meanings::operator()(const std::string& path) const {
  const auto found = words_.find(path);
  return found == words_.end() ? "" : found->second;
}

void Meanings::add_component(const std::vector<ComponentInfo>& all, const std::string& kind, const Value& table,
                             const std::string& path) {
  const Value* type = table.find("type");
  const auto* name = type ? std::get_if<std::string>(&type->data) : nullptr;
  if (!name) return;
  const auto info =
      std::ranges::find_if(all, [&](const ComponentInfo& c) { return c.kind == kind && c.name == *name; });
  if (info == all.end()) return;
  words_[path] = fmt::format("{} '{}': {}", kind, *name, info->summary);
  for (const OptionInfo& option : info->options) {
    const std::string own = path + "." + option.name;
    const Value* value = table.find(option.name);
    words_[own] = text_of(option);
    if (value && value->is_table()) add_component(all, option.type, *value, own);
    if (option.type.starts_with(list_of))
      for_each_item(value, [&](std::size_t i, const Value& item) {
        add_component(all, option.type.substr(list_of.size()), item, fmt::format("{}[{}]", own, i));
      });
    const auto dot = option.name.find("[].");  // an option of each item of a list
    if (dot == std::string::npos) continue;
    const std::string list = option.name.substr(0, dot), key = option.name.substr(dot + 3);
    for_each_item(table.find(list), [&](std::size_t i, const Value& item) {
      const std::string place = fmt::format("{}.{}[{}].{}", path, list, i, key);
      words_[place] = text_of(option);
      if (const Value* inner = item.find(key); inner && inner->is_table())
        add_component(all, option.type, *inner, place);
    });
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
