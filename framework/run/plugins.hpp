#pragma once

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// `registries` and what a command's plugins provide: those that it was given, then those that `config` names. Throws
/// PluginError.
Registries with_plugins(const Registries& registries, const CommonRequest& request, const Value& config);

/// The same for a model file. A run may have had plugins that its model does not need, so one that is not there is a
/// warning where the model can be made without it.
Registries with_plugins(const Registries& registries, const CommonRequest& request, const ModelHeader& header);

/// Their names, as a configuration has them.
Value plugin_names(const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
