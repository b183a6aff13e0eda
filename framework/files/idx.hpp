#pragma once

#include <filesystem>

#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Reads an IDX file, the container of MNIST, plain or gzipped: magic 00 00 type ndim, then ndim dimensions of 32 bits,
/// then the numbers, all big-endian. Types: 08 uint8, 09 int8, 0B int16, 0C int32, 0D float32, 0E float64.
/// Throws FileError where it cannot be read; DataError, with the byte offset, where it is not such a file, has no rows
/// or no columns, or is shorter or longer than it declares. Memory is asked for as bytes arrive, never on the header's
/// word.
Table read_idx(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
