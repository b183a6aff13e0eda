#pragma once

#include <span>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/survey.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether the first two columns are whole numbers, each pair of them in one row, and all pairs there: places, such as of the
/// entries of a matrix or of two sites, and no measurements.
bool begins_with_pairs(const Dataset& data, std::span<const ColumnSurvey> columns);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
