#pragma once

#include <string>
#include <string_view>

#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The table of a component with its option `run`, where it has one that was not given, set to the folder of the run that the
/// model file `model` belongs to. Of a file that belongs to none it stays as it is.
Value with_own_run(Value spec, std::string_view kind, const std::string& model, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
