#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);
/// Of a file as it lies on disk (compressed, where it is). Throws FileError.
std::string sha256_of_file(const std::filesystem::path& path);

/// The file beside `path` that holds its checksum, NAME.sha256, in the format that `sha256sum -c` reads.
std::filesystem::path checksum_path(const std::filesystem::path& path);
/// Writes it. Throws FileError.
void write_checksum(const std::filesystem::path& path);

enum class Checksum { absent, matches };
/// Throws DataError where the file's content is not the one the checksum was written for, or the checksum file is
/// malformed; FileError where either cannot be read.
Checksum check_checksum(const std::filesystem::path& path);

}  // namespace v1
}  // namespace harmonium
