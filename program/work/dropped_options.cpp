#include <harmonium/program/work/dropped_options.hpp>

#include <algorithm>
#include <string>
#include <variant>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void drop_what_others_lack(Value& config, const Registries& registries) {
  for (const char* name : {"model", "initializer", "estimator", "optimizer"}) {
    Value* const table = config.find(name);
    const Value* const type = table ? table->find("type") : nullptr;
    if (!type || !type->is_string() || type->where.empty()) continue;
    for (const ComponentInfo& other : registries.components()) {
      if (other.kind != name || other.name != std::get<std::string>(type->data)) continue;
      std::erase_if(std::get<Value::Table>(table->data), [&](const auto& entry) {
        const bool known =
            std::ranges::any_of(other.options, [&](const OptionInfo& o) { return o.name == entry.first; });
        // A rate that is right for one optimizer is none for another. Labels that were named are not dropped but refused.
        return entry.second.where.empty() && entry.first != "num_labels" && (!known || entry.first == "learning_rate");
      });
      break;
    }
  }
}

void leave_centering_out(Value& config) {
  const Value* model = config.find("model");
  const Value* layers = model ? model->find("layers") : nullptr;
  Value* estimator = config.find("estimator");
  const Value* centering = estimator && estimator->is_table() ? estimator->find("centering") : nullptr;
  if (!layers || !layers->is_list() || !centering || centering->where.starts_with("--set")) return;
  const auto has_no_bias = [](const Value& layer) {
    const Value* bias = layer.find("bias");
    return bias && *bias == make_value(false);
  };
  const auto is_uniform_bias = [](const Value& term) {
    const Value *type = term.find("type"), *uniform = term.find("uniform");
    return type && *type == make_value("bias") && uniform && *uniform == make_value(true);
  };
  const Value* terms = model->find("terms");
  if (std::ranges::any_of(std::get<Value::List>(layers->data), has_no_bias) ||
      (terms && terms->is_list() && std::ranges::any_of(std::get<Value::List>(terms->data), is_uniform_bias)))
    estimator->erase("centering");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
