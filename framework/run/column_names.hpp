#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Names of the columns of some layers side by side: "hidden[0]"; of a unit of several columns "hidden[0]=2", and of a layer
/// of one such unit "label=2".
std::vector<std::string> names_of_units(const Layout& layout, LayerSet layers);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
