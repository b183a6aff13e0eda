#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

// The logs of a run as they are written, a line at a time. All throw FileError, which tells where a log was removed meanwhile.

/// Creates a log, empty; whatever has its name is not followed.
void begin_log(const std::filesystem::path& log);
/// Adds a line, whole or not at all.
void append_line(const std::filesystem::path& log, const std::string& line);
/// Puts the lines on the disk.
void flush_log(const std::filesystem::path& log);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
