#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/table_schema.hpp>
#include <harmonium/framework/files/text_table.hpp>
#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The columns of a table of text. `kinds`: what a configuration says of some of them.
std::vector<InspectedColumn> inspected_columns(const TextTable& table, const std::vector<ColumnOptions>& kinds);
/// The columns of rows of numbers; without `names` they are called by their numbers from 1. `units` take all of them.
std::vector<InspectedColumn> inspected_columns(const Dataset& data, const std::vector<std::string>& names,
                                               const std::string& units);
/// The classes of rows, called `name`; `words`: what they are called, empty where they are numbers.
InspectedColumn inspected_classes(const std::vector<double>& classes, const std::vector<std::string>& words,
                                  const std::string& name);
/// Whether entries are missing that have no finite number of states.
bool lacks_numbers(const std::vector<InspectedColumn>& columns);
/// What is to be warned of: columns that are constant, empty, or none of units.
std::vector<std::string> column_warnings(const std::vector<InspectedColumn>& columns, const char* remedy = "");
/// That a number such as -999 may stand for what was not seen, and how to say so.
std::vector<std::string> stand_in_warnings(const TextTable& table);
/// The same of one-hot columns, of which each site of sequences has so many: sites that have one letter throughout.
std::vector<std::string> site_warnings(const std::vector<InspectedColumn>& columns, Index letters);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
