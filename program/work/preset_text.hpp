#pragma once

#include <string>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// "bias.visible 784, weight.visible.hidden 784 x 500"
std::string tensors_text(const ParameterLayout& parameters);

/// Whether a component is a preset of models that has an example.
bool is_model_preset(const ComponentInfo& component);
/// What such a one stands for, at the sizes of its example: some indented lines.
std::string preset_text(const ComponentInfo& component, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
