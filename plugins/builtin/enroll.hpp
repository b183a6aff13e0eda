#pragma once

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Registers everything that is built in. It acts like a plugin that is linked in.
void enroll_builtin(Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
