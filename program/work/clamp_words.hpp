#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/clamp.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What --clamp says in the words of the data, in those of the model: label=setosa is label=0 where that is the first class, and
/// of a table of columns of several kinds species=Adelie is the unit of that column in that state; visible[4]=C, of a model of
/// sequences, is the state of that letter. A layer goes before a column of
/// its name. Throws ConfigError for a word that is no class, no letter, or no level of its column, and for a name that is no layer where the data
/// have named columns, naming those that are; for what is neither NAME=VALUE nor a file.
std::vector<ClampEntry> clamp_in_units(const std::vector<std::string>& clamp, const ModelHeader& header,
                                       const Layout& layout);

/// The columns of the data that --clamp may name beside layers, that of the classes behind the others.
std::vector<std::string> columns_to_clamp(const ModelHeader& header, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
