#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of rows of so many columns that are one for each unit of the observed layers, those of classes among them or not, and no row
/// as it is observed: how many columns each stands for, q of a unit of q states, whose state it is. Else empty, as where all
/// units but those of classes have one column.
std::vector<Index> widths_of_states(Index columns, const Layout& layout);

/// The data with its columns of states, where it has such, as the columns that are observed. Throws ConfigError at a value
/// that is no state, and where the columns look like those of fewer units already.
Dataset with_states_read(const Dataset& data, const Layout& layout);

/// "columns are read as states 0 to 2 of 9 sites", of data that `with_states_read` read so; else empty.
std::string states_remark(const Dataset& data, const Layout& layout);

/// " (9 units of 3 states: 27 columns with these one-hot, or 9 with one column of states from 0 for each unit)", behind the number
/// of columns that a model observes; empty where every unit has one column. Units of classes are left out.
std::string words_of_states(const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
