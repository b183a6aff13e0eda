#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/execution/display.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The data a command works on: the model file's own [data] with another path, or the reader that the file calls for,
/// and `--set data.…` on top. Empty where neither a file nor a setting was given.
Value data_spec(const Value& config, const std::string& file, const Value& options);
/// The same for a model of a file. Columns of a CSV file are found by their names where it and the model's data have some
/// (find_columns_by_name). Its last column, where that is called "energy", as `sample --energies` writes it, is left out where
/// the model's data had none of that name, and `display`, where there is one, is told. `columns`, where not null, receives the
/// names in the first line of a file of text.
Value data_spec(const ModelHeader& header, const Layout& layout, const std::string& file, const Value& options,
                Display* display, std::vector<std::string>* columns = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
