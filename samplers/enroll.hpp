#pragma once

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Registers the samplers of this folder.
void enroll_samplers(Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
