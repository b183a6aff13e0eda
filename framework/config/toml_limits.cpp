#include <harmonium/framework/config/toml_limits.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

/// Reads a document as far as brackets, dots and strings go, and counts how deep it is at each character.
class DepthCounter {
 public:
  DepthCounter(std::string_view text, std::string_view source_name) : text_(text), source_(source_name) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        line_begins_ = false;
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      take(c);
      ++at_;
    }
  }

 private:
  void take(char c) {
    if (c == '\n') {
      end_line();
      return;
    }
    if (c == ' ' || c == '\t' || c == '\r') return;
    if (c == '[' && line_begins_ && open_.empty()) {
      header_ = true;
      depth_ = 1;
    } else if (c == '.') {
      deepen();
    } else if (header_) {  // the brackets of [a.b] and [[a.b]] are no lists
    } else if (c == '[' || c == '{') {
      deepen();
      open_.push_back(depth_);
    } else if (c == ',' && !open_.empty()) {
      depth_ = open_.back();
    } else if ((c == ']' || c == '}') && !open_.empty()) {
      open_.pop_back();
      depth_ = open_.empty() ? section_ : open_.back();
    }
    line_begins_ = false;
  }

  void end_line() {
    ++line_;
    line_at_ = at_ + 1;
    line_begins_ = true;
    if (header_) section_ = depth_;
    header_ = false;
    depth_ = open_.empty() ? section_ : open_.back();
  }

  void deepen() {
    if (++depth_ > deepest_toml)
      throw ConfigError(
          fmt::format("{}:{}:{}: more than {} levels (tables, lists and parts of a dotted key inside one "
                      "another). Write it with fewer.",
                      source_, line_, at_ - line_at_ + 1, deepest_toml));
  }

  /// Past the end of a string; of one that is not closed, past its line.
  void skip_string(char quote) {
    const std::string_view rest = text_.substr(at_);
    const bool many = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    const std::string closing(many ? 3 : 1, quote);
    at_ += closing.size();
    while (at_ < text_.size() && text_.substr(at_, closing.size()) != closing) {
      if (text_[at_] == '\n') {
        if (!many) return;
        ++line_;
        line_at_ = at_ + 1;
      }
      const bool escapes = quote == '"' && text_[at_] == '\\' && text_.substr(at_ + 1, 1) != "\n";
      at_ += escapes ? 2 : 1;
    }
    at_ = std::min(at_ + closing.size(), text_.size());
  }

  std::string_view text_, source_;
  std::size_t at_ = 0, line_ = 1, line_at_ = 0;
  std::size_t section_ = 0, depth_ = 0;  // of the present [section]; of what stands here
  std::vector<std::size_t> open_;        // the depth inside each bracket that is open
  bool line_begins_ = true, header_ = false;
};

}  // namespace

void check_toml_limits(std::string_view text, std::string_view source_name) {
  if (text.size() > longest_toml)
    throw ConfigError(
        fmt::format("{}: longer than {} MiB, the most that a configuration may have. Name the TOML file that is meant.",
                    source_name, longest_toml >> 20));
  DepthCounter(text, source_name).check();
}

}  // namespace v1
}  // namespace harmonium
