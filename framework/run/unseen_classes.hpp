#pragma once

#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Rows that have the columns of all observed layers but that of the classes, as rows of which these were not seen: for likelihoods,
/// which are summed over them. A copy, of what the rows are in the first epoch. Throws MemoryError where it would not fit.
Dataset with_unseen_classes(const Dataset& data, const Layout& layout);
/// The same, row r of class `classes[r]`.
Dataset with_class_columns(const Dataset& data, const Layout& layout, const std::vector<Index>& classes);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
