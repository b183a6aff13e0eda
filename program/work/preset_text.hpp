#pragma once

#include <string>

#include <harmonium/framework/model/energy_model.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// "bias.visible 784, weight.visible.hidden 784 x 500"
std::string tensors_text(const ParameterLayout& parameters);

/// What a preset of models stands for, at the sizes of its example, some indented lines; empty for other components.
std::string preset_text(const ComponentInfo& component, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
