#pragma once

#include <span>
#include <string>

namespace harmonium {
inline namespace v1 {

/// Levels or classes in a message: one that holds a comma stands in quotation marks, as in its file.
std::string listed_levels(std::span<const std::string> levels);

}  // namespace v1
}  // namespace harmonium
