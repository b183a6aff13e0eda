#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harmonium {
inline namespace v1 {

// Pieces of a page that is HTML and XML at once. Whatever comes from outside goes through these, and none of it is markup
// afterwards.

/// A text on one line as it shows itself: what cannot be shown is spelled out, and what would be markup escaped.
std::string html_text(std::string_view text);
/// A text of several lines, for <pre>.
std::string html_lines(std::string_view text);
/// An element of that name around a text.
std::string html_element(std::string_view name, std::string_view text);

/// A cell of a table: its text and, where that is a number, the number itself, which is kept in full precision beside it.
struct HtmlCell {
  HtmlCell() = default;
  HtmlCell(std::string shown) : text(std::move(shown)) {}  // NOLINT: a text is a cell
  HtmlCell(const char* shown) : text(shown) {}             // NOLINT
  HtmlCell(std::string shown, double number) : text(std::move(shown)), value(number) {}
  static HtmlCell flagged(std::string shown, double number);

  std::string text;
  std::optional<double> value = {};
  bool flag = false;  ///< it speaks against the run
};

/// A table with a caption: names of its columns, and rows whose first cell says what the row is.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<HtmlCell>> rows;
  /// What columns have in common, and how many do, from the second column on; none: there is no such line.
  std::vector<std::pair<std::string, std::size_t>> groups = {};
};
/// It scrolls sideways where the page has no room for it.
std::string html_table(const HtmlTable& table);

/// A PNG picture within the page, with its description.
std::string html_picture(const std::string& png, const std::string& description);
/// What stands in a frame with a line of what it is below it.
std::string html_figure(const std::string& content, const std::string& caption);

/// An SVG picture of gnuplot's as a part of the page: it takes the page's colors and font, and its names, which must be
/// single in a page, begin with `prefix`.
std::string html_drawing(std::string_view svg, const std::string& prefix, const std::string& description);

}  // namespace v1
}  // namespace harmonium
