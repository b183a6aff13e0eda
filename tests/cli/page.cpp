#include "page.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

namespace harmonium::testing {
namespace {

/// A reader of well-formed XML without a document type of its own; it stops at the first fault.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  Page read() {
    if (text_.starts_with("<!DOCTYPE html>\n")) at_ = 16;
    while (at_ < text_.size() && page_.fault.empty()) step();
    if (page_.fault.empty() && !open_.empty()) fail("not closed: " + page_.elements[open_.back()].name);
    return page_;
  }

 private:
  void fail(const std::string& why) {
    if (page_.fault.empty()) page_.fault = why + " before: " + text_.substr(at_, 60);
  }

  void step() {
    if (text_[at_] != '<') return take_text();
    const bool closing = text_.compare(at_, 2, "</") == 0;
    at_ += closing ? 2 : 1;
    const std::string name = take_name();
    if (name.empty()) return fail("a tag without a name");
    if (closing) {
      if (open_.empty() || page_.elements[open_.back()].name != name) return fail("</" + name + "> closes nothing");
      if (!text_.substr(at_).starts_with(">")) return fail("a closing tag with more");
      ++at_;
      open_.pop_back();
      return;
    }
    take_tag(name);
  }

  void take_tag(const std::string& name) {
    Page::Element element{name, {}, ""};
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) {
      skip_space();
      if (text_[at_] == '/' || text_[at_] == '>') break;
      const std::string attribute = take_name();
      skip_space();
      if (text_[at_] != '=') return fail("an attribute without a value: " + attribute);
      ++at_;
      skip_space();
      const char quote = text_[at_];
      const std::size_t end = text_.find(quote, at_ + 1);
      if ((quote != '"' && quote != '\'') || end == std::string::npos) return fail("a value without quotes");
      const std::string value = text_.substr(at_ + 1, end - at_ - 1);
      if (value.find('<') != std::string::npos) return fail("a < in a value");
      if (!element.attributes.emplace(attribute, resolved(value)).second) return fail("twice: " + attribute);
      at_ = end + 1;
    }
    const bool alone = text_.compare(at_, 2, "/>") == 0;
    if (!alone && text_.compare(at_, 1, ">") != 0) return fail("a tag without an end: " + name);
    at_ += alone ? 2 : 1;
    page_.elements.push_back(std::move(element));
    if (!alone) open_.push_back(page_.elements.size() - 1);
  }

  void take_text() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string shown = resolved(text_.substr(at_, end - at_));
    if (open_.empty() && shown.find_first_not_of(" \n") != std::string::npos) return fail("text outside");
    for (const std::size_t e : open_) page_.elements[e].text += shown;
    at_ = end;
  }

  std::string resolved(const std::string& markup) {
    static const std::map<std::string, std::string> known = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
    std::string text;
    for (std::size_t i = 0; i < markup.size(); ++i) {
      if (markup[i] != '&') {
        text += markup[i];
        continue;
      }
      const std::size_t end = markup.find(';', i);
      const auto found = known.find(end == std::string::npos ? "" : markup.substr(i, end + 1 - i));
      if (found == known.end()) return fail("an & that is none: " + markup.substr(i, 12)), "";
      text += found->second;
      i = end;
    }
    return text;
  }

  std::string take_name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' ||
                                  text_[at_] == ':' || text_[at_] == '_'))
      ++at_;
    return text_.substr(from, at_ - from);
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Page page_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<Page::Element> Page::named(const std::string& name) const {
  std::vector<Element> found;
  std::ranges::copy_if(elements, std::back_inserter(found), [&](const Element& e) { return e.name == name; });
  return found;
}

bool Page::says(const std::string& name, const std::string& text) const {
  return std::ranges::any_of(elements, [&](const Element& e) { return e.name == name && e.text == text; });
}

std::vector<double> Page::numbers() const {
  std::vector<double> found;
  for (const Element& e : named("data")) found.push_back(std::strtod(e.attributes.at("value").c_str(), nullptr));
  return found;
}

Page read_page(const std::string& text) { return Reader(text).read(); }

std::vector<std::string> loaded_by(const Page& page, const std::string& text) {
  static const std::set<std::string> running = {"script", "iframe", "object", "embed", "link", "base", "foreignObject"};
  std::vector<std::string> found;
  for (const Page::Element& e : page.elements) {
    if (running.contains(e.name)) found.push_back(e.name);
    for (const auto& [name, value] : e.attributes) {
      const bool inside = value.starts_with("#") || value.starts_with("data:image/png;base64,");
      const bool loads =
          name == "src" || name == "href" || name == "xlink:href" || name == "srcset" || name == "action";
      if ((loads && !inside) || name.starts_with("on")) found.push_back(e.name + " " + name + "=" + value);
    }
  }
  for (const char* words : {"@import", "url(http", "url('http", "url(\"http"})
    if (text.find(words) != std::string::npos) found.emplace_back(words);
  return found;
}

}  // namespace harmonium::testing
