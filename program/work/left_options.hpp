#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The configuration without options of component types that `--set SECTION.type=NAME`, or a sweep's or a stack's file, has left:
/// those that the base gives and the new type does not know. Each is told, in `remarks` or to `display`, which may be null.
Value without_left_options(Value config, const Registries& registries, std::vector<std::string>& remarks);
Value without_left_options(Value config, const Registries& registries, Display* display);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
