#pragma once

#include <string>
#include <string_view>

namespace harmonium {
inline namespace v1 {

/// What stands before the numbers of an .npy file, version 1.0. `descr` and `shape` are as Python writes them: "'<f8'" and
/// "(3, 4)".
std::string npy_start(std::string_view descr, std::string_view shape);

}  // namespace v1
}  // namespace harmonium
