#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/same_rows.hpp>

namespace harmonium {
inline namespace v1 {

/// Where the other model has each column of the first, by what they are called: a table of mixed columns is ordered by their kinds.
/// By place where names do not tell, as of columns without any. Throws DataError where the columns are not the same; `option` stands in
/// front of the message.
std::vector<Index> places_of_columns(const RowsOfModel& one, const RowsOfModel& other, const std::string& option);

}  // namespace v1
}  // namespace harmonium
