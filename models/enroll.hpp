#pragma once

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Registers the models and units of this folder.
void enroll_models(Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
