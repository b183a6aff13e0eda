#pragma once

#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/hdf5_handle.hpp>

/// Internal to this folder.
namespace harmonium {
inline namespace v1 {

/// A dataset that is open, its type and its shape.
struct OpenDataset {
  static constexpr int most_dimensions = 8;

  Handle id, space, type;
  H5T_class_t type_class = H5T_NO_CLASS;
  std::vector<Index> shape;
  std::uint64_t count = 1;

  OpenDataset(hid_t file, const std::string& file_name, const std::string& object)
      : id(H5Dopen2(file, object.c_str(), H5P_DEFAULT), H5Dclose),
        space(id.valid() ? H5Dget_space(id) : -1, H5Sclose),
        type(id.valid() ? H5Dget_type(id) : -1, H5Tclose) {
    if (!id.valid() || !space.valid() || !type.valid()) damaged(file_name, object, library_words());
    type_class = H5Tget_class(type);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (H5Sget_simple_extent_type(space) == H5S_NULL || rank < 0) damaged(file_name, object, "it holds no values");
    if (rank > most_dimensions) {
      damaged(file_name, object, fmt::format("it has {} dimensions (at most {} expected)", rank, most_dimensions));
    }
    hsize_t dimensions[most_dimensions] = {};
    if (rank > 0 && H5Sget_simple_extent_dims(space, dimensions, nullptr) < 0)
      damaged(file_name, object, library_words());
    shape.assign(dimensions, dimensions + rank);
    for (const Index n : shape) {
      if (n != 0 && count > std::numeric_limits<std::uint64_t>::max() / n) {
        damaged(file_name, object, "its dimensions are beyond counting");
      }
      count *= n;
    }
  }
};

}  // namespace v1
}  // namespace harmonium
