#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Names of the columns of some layers side by side: "hidden[0]"; of a unit of several columns "hidden[0]=2", and of a layer
/// of one such unit "label=2".
std::vector<std::string> names_of_units(const Layout& layout, LayerSet layers);

/// Names of one column for each observed unit but those of classes as names of the columns that these have: "site" of a unit of
/// three "site=0" to "site=2". Empty where the names are not as many.
std::vector<std::string> names_of_states(const std::vector<std::string>& sites, const Layout& layout);
/// The names that these were made of; empty where they are no such.
std::vector<std::string> names_of_sites(const std::vector<std::string>& columns, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
