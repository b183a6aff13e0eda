#pragma once

#include <string>
#include <vector>

#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/plugin/registries.hpp>
#include <harmonium/program/work/requests.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Whether a file in HDF5 says of itself what a model does; others are data.
bool says_it_is_model(const std::string& path);

/// What a picture calls the rows that `input` names: by their file, or as made rows are asked for. Throws ConfigError where it is
/// neither.
std::string name_of_rows(const std::string& input, const Registries& registries);

/// Rows and, of samples of a model with labels, the class of each, which the columns behind the values of the shape that is asked for
/// tell: they are one-hot in every row or, as in rows that were completed, probabilities, of which the likeliest is taken. No classes
/// where they are neither. Where no shape is asked for, that of a square in front of classes is taken.
struct DrawnRows {
  Table table;
  std::vector<Index> classes = {};
  bool probable = false;            ///< whether they are the likeliest ones
  std::vector<Index> guessed = {};  ///< the shape that was taken; empty where one was asked for, or there is none
};

/// The rows that `request.input` names. Of FILE or FILE:KEY=VALUE, as the file has them or, where anything of [data] is set, as that
/// makes them, with NaN where nothing was seen; else those that a source makes, as bars_and_stripes:side=4. Throws ConfigError where
/// something else is set, and as reading them does.
DrawnRows rows_to_draw(const DrawRequest& request, const Registries& registries);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
