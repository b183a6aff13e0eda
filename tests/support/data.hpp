#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <doctest/doctest.h>

namespace harmonium::testing {

/// The path of a real data file, such as "mnist/train-images-idx3-ubyte.gz", under the folder that the environment
/// variable HARMONIUM_DATA names, else under shared/data beside the source tree. Where it is absent the test says that
/// it is skipped and should return; under the environment variable CI that is a failure, so that nothing is skipped
/// unseen.
inline std::optional<std::filesystem::path> data_file(const std::string& name) {
  const char* const folder = std::getenv("HARMONIUM_DATA");
  const std::filesystem::path root = folder && *folder ? std::filesystem::path(folder)
                                                       : std::filesystem::path(HARMONIUM_SOURCE_DIR) / "../shared/data";
  std::filesystem::path path = root / name;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  if (std::getenv("CI")) FAIL("no data file " << path << ": set HARMONIUM_DATA");
  MESSAGE("skipped: no data file " << path << "; set HARMONIUM_DATA");
  return std::nullopt;
}

}  // namespace harmonium::testing
