#pragma once

#include <vector>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Of each row which of the columns from `first` on is 1, counted from there, where all others of these are 0 in every row; empty
/// where they are not, or fewer than two.
std::vector<Index> one_hot_columns(const Table& table, Index first);

}  // namespace v1
}  // namespace harmonium
