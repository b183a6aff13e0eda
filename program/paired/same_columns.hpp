#pragma once

#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/program/same_rows.hpp>

namespace harmonium {
inline namespace v1 {

/// The numbers of a row that a model makes of one column of the data: of words one for each of them.
struct ColumnPlace {
  Index first = 0, width = 1;
};

/// A column of the data in the rows of two models.
struct SameColumn {
  std::string name;  ///< empty where it has none
  ColumnPlace one, other;
};

/// The columns of the first model, and where the other has them, by what they are called: a table of mixed columns is ordered by their
/// kinds, and a column of words has a number for each. By place where names do not tell, as of columns without any. Throws DataError
/// where the columns are not the same; `option` stands in front of the message.
std::vector<SameColumn> same_columns(const RowsOfModel& one, const RowsOfModel& other, const std::string& option);

/// What a row has in a column that some model takes for words: the word, or the number; empty where it is missing.
std::string text_in(const RowsOfModel& rows, const ColumnPlace& place, std::span<const double> row);

}  // namespace v1
}  // namespace harmonium
