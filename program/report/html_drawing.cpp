#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <harmonium/program/report/html.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// Colors that our scripts give gnuplot, as it writes them, and the page's names for them (page_style.cpp).
constexpr std::pair<std::string_view, std::string_view> page_colors[] = {{"rgb(  0, 114, 178)", "var(--c0)"},
                                                                         {"rgb(213,  94,   0)", "var(--c1)"},
                                                                         {"rgb(  0, 158, 115)", "var(--c2)"},
                                                                         {"rgb(204, 121, 167)", "var(--c3)"},
                                                                         {"rgb(230, 159,   0)", "var(--c4)"},
                                                                         {"rgb( 86, 180, 233)", "var(--c5)"},
                                                                         {"rgb( 85,  85,  85)", "var(--c6)"},
                                                                         {"rgb(140,  86,  75)", "var(--c7)"},
                                                                         {"rgb(221, 221, 221)", "var(--grid)"},
                                                                         {"rgb(255, 255, 255)", "var(--paper)"},
                                                                         {"#FFFFFF", "var(--paper)"},
                                                                         {"\"black\"", "\"var(--ink)\""},
                                                                         {"'black'", "'var(--ink)'"}};

/// One tag, in the page's colors and font.
std::string page_tag(std::string tag, const std::string& prefix) {
  for (const auto& [from, to] : page_colors) replace_all(tag, from, to);
  replace_all(tag, " font-family=\"sans\"", "");
  for (const std::string_view mark : {" id=\"", " id='", " xlink:href='#"})
    replace_all(tag, mark, std::string(mark) + prefix);
  return tag;
}

}  // namespace

std::string html_drawing(std::string_view svg, const std::string& prefix, const std::string& description) {
  // What is before the first group says of the file what it is; the first rectangle is its white paper.
  const auto from = [&](std::string_view mark, std::size_t at) { return std::min(svg.find(mark, at), svg.size()); };
  const std::size_t size = from("viewBox=\"", 0) + 9;
  const std::string_view view = svg.substr(std::min(size, svg.size()), from("\"", size) - std::min(size, svg.size()));
  const std::size_t paper = from("<rect", from("<g id=", 0));
  std::string_view rest = svg.substr(from("<defs>", paper));
  // The group that the paper is in.
  std::string drawing = fmt::format(
      "<svg viewBox=\"{}\" xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
      "role=\"img\" aria-label=\"{}\">\n<g>\n",
      view, html_text(description));
  while (!rest.empty()) {
    const std::size_t tag = rest.find('<'), end = rest.find('>', std::min(tag, rest.size()));
    if (tag == std::string_view::npos || end == std::string_view::npos) break;
    drawing += rest.substr(0, tag);
    drawing += page_tag(std::string(rest.substr(tag, end + 1 - tag)), prefix);
    rest.remove_prefix(end + 1);
  }
  return drawing;
}

}  // namespace v1
}  // namespace harmonium
