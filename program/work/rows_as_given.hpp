#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/judged_rows.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows with what each came to, and their numbers as the file has them: what two models may be compared by, whatever each makes of
/// the file. `data`: all observed columns, in the model's units, which `units` leads back; `names`: what these are called.
JudgedRows rows_as_given(std::string words, RowTable table, const Dataset& data, const DataUnits& units,
                         const Layout& layout, const std::vector<std::string>& names);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
