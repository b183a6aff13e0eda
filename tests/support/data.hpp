#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

namespace harmonium::testing {

/// The path of a real data file, such as "mnist/train-images-idx3-ubyte.gz", under the folder that the environment
/// variable HARMONIUM_DATA names, else under shared/data beside the source tree. Where it is absent the test is skipped
/// (skip.hpp) and should return.
inline std::optional<std::filesystem::path> data_file(const std::string& name) {
  const char* const folder = std::getenv("HARMONIUM_DATA");
  const std::filesystem::path root =
      folder && *folder ? std::filesystem::path(folder) : std::filesystem::path(default_data_folder());
  std::filesystem::path path = root / name;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  skip_test("no data file " + path.string() + "; set HARMONIUM_DATA");
  return std::nullopt;
}

}  // namespace harmonium::testing
