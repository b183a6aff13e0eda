#pragma once

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Registers the phases, gradient estimators and estimators of log Z of this folder.
void enroll_estimators(Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
