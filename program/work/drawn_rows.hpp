#pragma once

#include <string>

#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a file in HDF5 says of itself what a model does; others are data.
bool says_it_is_model(const std::string& path);

/// The rows of the file of data that `request.input` names, FILE or FILE:KEY=VALUE: as the file has them or, where anything of
/// [data] is set, as that makes them, with NaN where nothing was seen. Throws ConfigError where something else is set, and as
/// reading them does.
Table rows_to_draw(const DrawRequest& request, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
