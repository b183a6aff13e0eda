#pragma once

#include <optional>
#include <vector>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The shape of what is in front of the classes in rows that are no picture by themselves, as samples of a model with labels have them:
/// the largest square behind which all columns, two or more, are one-hot or probabilities in every row. None where the table has a
/// shape of its own or a square number of columns, where rows are so few that bits are often one-hot by chance, or where as many columns in front of these sum to 1 too: then they are states of a
/// unit like others.
std::optional<std::vector<Index>> square_before_classes(const Table& table);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
