#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Reads an array saved by numpy.save (format versions 1.0 to 3.0), plain or gzipped: bool, integers of 8 to 64 bits,
/// floats of 16, 32 and 64 bits, either byte order; Fortran order is transposed. Other dtypes are refused by name,
/// as are 64-bit integers beyond 2^53, which a double cannot hold.
/// Of an archive by numpy.savez or numpy.savez_compressed (.npz) the array `array` is read; empty: the only one.
/// Throws FileError where it cannot be read; DataError, with the byte offset, where it is not such a file, has no rows
/// or no columns, or is shorter or longer than it declares. Memory is asked for as bytes arrive, never on the header's
/// word.
Table read_npy(const std::filesystem::path& path, const std::string& array = "");

/// Writes rows × cols numbers as a two-dimensional array in C order, version 1.0. The file appears whole or not at all.
/// Throws FileError.
void write_npy(const std::filesystem::path& path, MatrixView<const float> values);
void write_npy(const std::filesystem::path& path, MatrixView<const double> values);
void write_npy(const std::filesystem::path& path, MatrixView<const std::uint8_t> values);

}  // namespace v1
}  // namespace harmonium
