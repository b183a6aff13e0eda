#pragma once

#include <string>

#include <harmonium/program/work/judged_rows.hpp>

namespace harmonium {
inline namespace v1 {

/// Rows that a model was judged by, and what it is called in messages.
struct RowsOfModel {
  std::string model;
  JudgedRows judged;
};

/// Throws DataError unless both are of the same rows in the same order, with the same holes and the same classes shown, by their
/// numbers as the files have them. `option` stands in front of the message.
void check_same_rows(const RowsOfModel& one, const RowsOfModel& other, const std::string& option);

}  // namespace v1
}  // namespace harmonium
