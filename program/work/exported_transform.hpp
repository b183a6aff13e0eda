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

/// An array of an archive, by row.
struct TransformArray {
  std::string name;
  std::vector<Index> shape;
  std::vector<double> values;
};

/// The same as arrays, of each observed layer but that of labels: transform.LAYER.mean and transform.LAYER.scale, a number for each column of the
/// layer; of whitened data transform.LAYER.matrix in place of the scale, a row for each column of all these layers and a column for each of
/// the layer's. None where the numbers are the same.
std::vector<TransformArray> transform_arrays(const DataUnits& units, const Layout& layout);
/// All names that such arrays of a layout can have.
std::vector<std::string> names_of_transform_arrays(const Layout& layout);
/// What formula_of_transform says, by these arrays.
std::string formula_of_arrays(const DataUnits& units, const Layout& layout);

/// What arrays of transforms begin with.
inline constexpr const char* transform_array_start = "transform.";

/// How the numbers z that a model's parameters are about come of the numbers x of a data file; empty where they are the same.
std::string formula_of_transform(const DataUnits& units);

/// Name and content of the files that the formula speaks of; none where there is no formula. Columns are called as in the data,
/// where `header` has their names; those of labels are left out.
std::vector<std::pair<std::string, std::string>> exported_transform(const DataUnits& units, const ModelHeader& header,
                                                                    const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
