#include <harmonium/program/work/preset_text.hpp>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string tensors_text(const ParameterLayout& parameters) {
  std::string text;
  for (const ParameterBlock& b : parameters.blocks())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", b.name,
                        b.rank() == 1 ? fmt::format("{}", b.rows) : fmt::format("{} x {}", b.rows, b.cols));
  return text;
}

bool is_model_preset(const ComponentInfo& component) {
  return component.kind == EnergyModel::kind && !component.example.is_empty();
}

std::string preset_text(const ComponentInfo& component, const Registries& registries) {
  Value effective;
  const std::unique_ptr<EnergyModel> model = registries.make<EnergyModel>(component.example, effective);
  std::string sizes;
  for (const auto& [key, value] : std::get<Value::Table>(component.example.data))
    if (key != "type") sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", key, write_toml_value(value));
  std::string text = fmt::format("\n  With {} it stands for 'layered' with\n", sizes);
  for (const Value& layer : std::get<Value::List>(effective.find("layers")->data))
    text += fmt::format("    layer    {}\n", write_toml_value(layer));
  for (const Value& term : std::get<Value::List>(effective.find("terms")->data))
    text += fmt::format("    term     {}\n", write_toml_value(term));
  return text +
         fmt::format("    energy   {}\n    tensors  {}\n", model->formula(), tensors_text(model->parameter_layout()));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
