#pragma once

#include <string>

#include <harmonium/program/same_rows.hpp>

namespace harmonium {
inline namespace v1 {

/// Of the same rows, the columns that one model gives a density and the other a probability, a sentence or two; empty where there are
/// none. A density times a width is a probability: a difference of their logarithms takes that width to be 1.
std::string words_on_densities(const RowsOfModel& one, const RowsOfModel& other);

}  // namespace v1
}  // namespace harmonium
