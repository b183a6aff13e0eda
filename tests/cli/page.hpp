#pragma once

#include <map>
#include <string>
#include <vector>

namespace harmonium::testing {

/// A page that was read as XML.
struct Page {
  struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;  ///< entities resolved
    std::string text;                               ///< all that is in it, entities resolved
  };
  std::vector<Element> elements;  ///< in the order of their beginnings
  std::string fault;              ///< what is not well formed; empty: nothing

  std::vector<Element> named(const std::string& name) const;
  /// Whether any element of that name has exactly this text.
  bool says(const std::string& name, const std::string& text) const;
  /// All numbers that <data> elements keep.
  std::vector<double> numbers() const;
};

Page read_page(const std::string& text);

/// What a page would load from elsewhere or run: each as "img src=http:...".
std::vector<std::string> loaded_by(const Page& page, const std::string& text);

}  // namespace harmonium::testing
