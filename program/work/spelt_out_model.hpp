#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The table [model] of a configuration with what a preset stands for in its place; its masks are left as they are, since
/// their files may be gone. Throws as making the model does.
Value spelt_out_model(const Value& model, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
