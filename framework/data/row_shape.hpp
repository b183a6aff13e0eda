#pragma once

#include <string>

#include <harmonium/framework/data/dataset.hpp>

namespace harmonium {
inline namespace v1 {

/// What to do with data of another number of columns than the `columns` that are wanted, where its shape tells: rows in one
/// dimension, or rows that are columns; else `otherwise`.
std::string remedy_of_shape(const Dataset& data, Index columns, const std::string& otherwise);

}  // namespace v1
}  // namespace harmonium
