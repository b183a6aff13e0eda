#pragma once

#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>
#include <harmonium/program/work/data_units.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What export writes of that which was made of the data: the mean and scale of each column, and the matrix of whitened data.
inline constexpr const char* transform_file = "transform.csv";
inline constexpr const char* whitening_file = "whitening.csv";

/// How the numbers z that a model's parameters are about come of the numbers x of a data file; empty where they are the same.
std::string formula_of_transform(const DataUnits& units);

/// Name and content of the files that the formula speaks of; none where there is no formula. Columns are called as in the data,
/// where `header` has their names; those of labels are left out.
std::vector<std::pair<std::string, std::string>> exported_transform(const DataUnits& units, const ModelHeader& header,
                                                                    const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
