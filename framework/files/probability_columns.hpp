#pragma once

#include <vector>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Of each row which of the columns from `first` on is the largest (the first of several), counted from there, where these are
/// probabilities in every row: each from 0 to 1, and their sum 1 but for rounding; empty where they are not, or fewer than two.
std::vector<Index> likeliest_columns(const Table& table, Index first);

}  // namespace v1
}  // namespace harmonium
