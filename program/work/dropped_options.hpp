#pragma once

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Takes away what was proposed for a component and means nothing, or something else, to the one that `--set` names in its place.
void drop_what_others_lack(Value& config, const Registries& registries);

/// Centering moves biases: a proposal of it is dropped where a layer has none, or one for all its units.
void leave_centering_out(Value& config);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
