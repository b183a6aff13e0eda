#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Takes away what was proposed for a component and means nothing, or something else, to the one that `--set` names in its place.
void drop_what_others_lack(Value& config, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
