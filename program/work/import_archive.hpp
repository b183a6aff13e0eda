#pragma once

#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of an archive of several arrays (.npz) that is named alone: where it holds two, called as couplings and as fields are, such as J
/// and h, these are named in its place; fields that were named besides stay. Throws ConfigError, with all arrays and how to name
/// them, where it holds others, and where other arrays or a configuration beside the couplings say that these are of no spins.
/// Warns where the archive has numbers that may be the fields, and none were named.
void take_archive(ImportRequest& request, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
