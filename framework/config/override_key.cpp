#include <harmonium/framework/config/override_key.hpp>

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/config/toml_limits.hpp>
#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Reads the key of an assignment from its beginning up to the '='.
class KeyReader {
 public:
  explicit KeyReader(std::string_view assignment) : text_(assignment) {}

  std::vector<KeyStep> read() {
    std::vector<KeyStep> steps;
    do {
      steps.push_back(key());
      while (peek() == '[' && steps.size() <= deepest_toml) steps.push_back(index());
      if (steps.size() > deepest_toml) {
        constexpr std::size_t shown = 60;
        throw ConfigError(fmt::format("--set {}...: the key has more than {} parts. Write one with fewer.",
                                      text_.substr(0, shown), deepest_toml));
      }
    } while (skip('.'));
    if (peek() == '\0') fail("there is no '='");
    if (!skip('=')) fail(odd_part);
    return steps;
  }

  /// What stands behind the '='.
  std::string_view rest() const { return trimmed(text_.substr(at_)); }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(
        fmt::format("--set {}: {}. Write KEY=VALUE, as in sampler.tile=8, observers[0].every=10 or "
                    "\"odd key\".x=1.",
                    text_, problem));
  }

  /// The next character that is no blank; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool skip(char c) {
    if (at_ == text_.size() || peek() != c) return false;
    ++at_;
    return true;
  }

  KeyStep step(std::string key, std::optional<std::size_t> index) const {
    return {std::move(key), index, std::string(trimmed(text_.substr(0, at_)))};
  }

  KeyStep key() {
    const char first = peek();
    if (first == '"' || first == '\'') return step(quoted_part(first), std::nullopt);
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_bare(text_[at_])) ++at_;
    if (at_ == begin) {
      const bool ends = at_ == text_.size() || first == '.' || first == '=' || first == '[';
      fail(ends ? "a part of the key is empty" : odd_part);
    }
    return step(std::string(text_.substr(begin, at_ - begin)), std::nullopt);
  }

  std::string quoted_part(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) fail("a quote in the key is not closed");
    ++at_;
    try {
      const Value parsed = parse_toml(fmt::format("k = {}", text_.substr(begin, at_ - begin)), "");
      return std::get<std::string>(parsed.find("k")->data);
    } catch (const ConfigError&) {
      fail("a quoted part of the key is no TOML string");
    }
  }

  KeyStep index() {
    skip('[');
    peek();
    std::size_t value = 0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) fail("an index is a whole number from 0");
    at_ = static_cast<std::size_t>(stop - text_.data());
    if (!skip(']')) fail("an index is a whole number from 0, closed by ']'");
    return step({}, value);
  }

  static constexpr const char* odd_part = "a part with other characters than letters, digits, '_' and '-' needs quotes";
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Assignment read_assignment(std::string_view text) {
  KeyReader reader(text);
  std::vector<KeyStep> steps = reader.read();
  return {std::move(steps), reader.rest()};
}

}  // namespace v1
}  // namespace harmonium
