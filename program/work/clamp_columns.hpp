#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/program/work/clamp_rows.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The rows of a CSV file that has some of the named columns that the model was trained on, the others being missing in all rows;
/// `options` are those of the command. Nothing where it has all of them or none, where it or the model's data have no names, or
/// where the command says which columns are meant. A display is told what is missing.
std::optional<Dataset> rows_of_some_columns(const ClampSetting& setting, const std::string& file, const Value& options);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
