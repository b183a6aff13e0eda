#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a file in HDF5 says of itself what a model does; others are data.
bool says_it_is_model(const std::string& path);

/// What a picture calls the rows that `input` names: by their file, or as made rows are asked for. Throws ConfigError where it is
/// neither.
std::string name_of_rows(const std::string& input, const Registries& registries);

/// The rows that `request.input` names. Of FILE or FILE:KEY=VALUE, as the file has them or, where anything of [data] is set, as that
/// makes them, with NaN where nothing was seen; else those that a source makes, as bars_and_stripes:side=4. Throws ConfigError where
/// something else is set, and as reading them does.
Table rows_to_draw(const DrawRequest& request, const Registries& registries);

/// The class of each row of samples of a model with labels, as what is behind the values of `shape` tells: it is one-hot in every row.
/// Empty where it is not, or there is no shape.
std::vector<Index> classes_beside(const Table& table, const std::optional<std::vector<Index>>& shape);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
