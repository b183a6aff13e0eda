#include <harmonium/cli/text.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {

void write_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw NobodyReads();
  throw FileError(fmt::format("cannot write to standard output: {}.", std::strerror(errno)));
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out, line;
  const auto end_line = [&] { out += std::string(indent, ' ') + line + "\n"; };
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    if (!line.empty() && indent + line.size() + 1 + (to - from) > width) {
      end_line();
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text.substr(from, to - from);
    from = to + 1;
  }
  end_line();
  return out;
}

std::string reasons_text(const std::vector<std::pair<std::string, std::string>>& reasons) {
  std::string text;
  for (auto first = reasons.begin(); first != reasons.end(); ++first) {
    const auto same = [&](const auto& other) { return other.second == first->second; };
    if (std::find_if(reasons.begin(), first, same) != first) continue;
    std::string names;
    for (const auto& [name, why] : reasons)
      if (why == first->second) names += (names.empty() ? "" : ", ") + name;
    text += wrapped(fmt::format("No {}: {}", names, first->second), 0, 110);
  }
  return text.empty() ? text : "\n" + text;
}

std::string fixed_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string json_number(const std::optional<double>& v) {
  return v && std::isfinite(*v) ? fmt::format("{:.17g}", *v) : std::string("null");
}

std::string json_string(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else out += c;
  }
  return out + "\"";
}

}  // namespace v1
}  // namespace harmonium
