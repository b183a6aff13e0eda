#pragma once

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Registers the studies of this folder, which there are in double precision only: what they measure is exact.
void enroll_studies(Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
