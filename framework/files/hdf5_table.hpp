#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

struct Hdf5Content {
  Table table;
  std::optional<std::vector<double>> labels;
};

/// Which datasets of an HDF5 file are meant.
struct Hdf5Names {
  std::string samples = "samples";
  std::string labels;           ///< empty: "labels", where the file has it
  bool without_labels = false;  ///< labels are not looked for
};

/// Reads numbers of one dimension or more, the first of which counts the rows, and a vector of labels, from an HDF5 file
/// that is made safe to open first (see probe_hdf5). Bytes and truth values are kept as bytes, float32 as float, all
/// else as double; a dataset in one uncompressed piece is mapped. Throws FileError where it cannot be read, ConfigError
/// naming what is there where a dataset is missing, else DataError.
Hdf5Content read_hdf5(const std::filesystem::path& path, const Hdf5Names& names = {});

}  // namespace v1
}  // namespace harmonium
