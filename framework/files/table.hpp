#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/number_array.hpp>

namespace harmonium {
inline namespace v1 {

/// The content of a data file: rows × cols numbers in row-major order. Rows are the file's first dimension, columns the
/// product of the others (1 where there are none), so a row is a sample. Always rows, cols > 0 and
/// values.size() = rows * cols. Kept as narrow as the file: unsigned bytes and truth values as bytes, float32 as float,
/// everything else as double. Values are as the file has them: NaN and infinity included. A file whose numbers lie in it
/// as they do in memory (uncompressed, in C order, in this machine's byte order) is mapped, not read.
struct Table {
  Index rows = 0, cols = 0;
  std::variant<NumberArray<std::uint8_t>, NumberArray<float>, NumberArray<double>> values;
  std::vector<Index> shape = {};  ///< the dimensions of the file; shape[0] == rows

  bool is_bytes() const { return values.index() == 0; }
  bool mapped() const;
  double at(Index row, Index col) const;
};

/// The kinds of data file that are known.
enum class TableFormat { idx, npy, csv, hdf5, fasta, png };

/// "idx", "npy", "csv", "hdf5", "fasta" or "png".
std::string name_of(TableFormat format);

/// The kind of a file by its first bytes (of its content, where it is gzipped), or, where they say nothing, by its name
/// (.npy, .csv, .h5, .fasta, -idx3-ubyte and the like, each also with .gz), or else by a first line of numbers. A folder is one
/// of PNG pictures. Throws
/// FileError where it cannot be read, DataError listing the known kinds where neither tells.
TableFormat table_format(const std::filesystem::path& path);
/// The same, with nothing where neither tells; DataError is left to compressed content that is damaged.
std::optional<TableFormat> known_table_format(const std::filesystem::path& path);
/// What to say of a file where neither tells.
std::string unknown_table_format(const std::filesystem::path& path);

/// Reads a file of any known kind, plain or gzipped, as that kind's reader does without options; of an HDF5 file the
/// dataset `dataset`, of an archive (.npz) the array `array`, or that which the path names, FILE.npz:array=NAME. Throws FileError and DataError.
Table read_table(const std::filesystem::path& path, const std::string& dataset = "samples",
                 const std::string& array = "");
/// The same as one number a row, such as weights or labels; `what` names them in the DataError where it is none.
std::vector<double> read_vector(const std::filesystem::path& path, const char* what, const std::string& dataset,
                                const std::string& array = "");

}  // namespace v1
}  // namespace harmonium
