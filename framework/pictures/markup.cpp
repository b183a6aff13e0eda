#include <harmonium/framework/pictures/markup.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 5> entities = {
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string markup;
  for (const char c : text) {
    const auto found = std::ranges::find(entities, c, &std::pair<char, std::string_view>::first);
    if (found == entities.end()) markup += c;
    else markup += found->second;
  }
  return markup;
}

std::string unescaped_markup(std::string_view markup) {
  std::string text;
  while (!markup.empty()) {
    const auto found = std::ranges::find_if(entities, [&](const auto& e) { return markup.starts_with(e.second); });
    text += found == entities.end() ? markup[0] : found->first;
    markup.remove_prefix(found == entities.end() ? 1 : found->second.size());
  }
  return text;
}

}  // namespace v1
}  // namespace harmonium
