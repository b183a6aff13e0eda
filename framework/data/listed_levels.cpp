#include <harmonium/framework/data/listed_levels.hpp>

namespace harmonium {
inline namespace v1 {

std::string listed_levels(std::span<const std::string> levels) {
  std::string text, between;
  for (const std::string& level : levels) {
    const char* mark = level.find(',') == std::string::npos ? "" : "\"";
    text += between + mark + level + mark;
    between = ", ";
  }
  return text;
}

}  // namespace v1
}  // namespace harmonium
