#include <harmonium/program/report/html.hpp>

#include <algorithm>
#include <cmath>

#include <openssl/evp.h>

#include <fmt/format.h>

#include <harmonium/cli/terminal.hpp>
#include <harmonium/framework/pictures/markup.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::string cell_markup(const HtmlCell& cell) {
  std::string shown = html_text(cell.text);
  if (cell.value && std::isfinite(*cell.value))
    shown = fmt::format("<data value=\"{:.17g}\">{}</data>", *cell.value, shown);
  if (cell.flag) shown = fmt::format("<strong class=\"against\">{}</strong>", shown);
  return shown;
}

std::string head_of(const HtmlTable& table) {
  std::string head;
  if (!table.groups.empty()) {
    head += "<tr><td></td>";
    for (const auto& [name, count] : table.groups)
      if (count > 0)
        head += fmt::format("<th scope=\"colgroup\" colspan=\"{}\" class=\"group\">{}</th>", count, html_text(name));
    head += "</tr>\n";
  }
  if (std::ranges::all_of(table.columns, &std::string::empty)) return "";
  head += "<tr>";
  for (const std::string& column : table.columns)
    head += column.empty() ? "<td></td>" : fmt::format("<th scope=\"col\">{}</th>", html_text(column));
  return "<thead>\n" + head + "</tr>\n</thead>\n";
}

}  // namespace

HtmlCell HtmlCell::flagged(std::string shown, double number) {
  HtmlCell cell(std::move(shown), number);
  cell.flag = true;
  return cell;
}

std::string html_text(std::string_view text) { return escaped_markup(printable(text)); }

std::string html_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += html_text(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string html_element(std::string_view name, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>\n", name, html_text(text));
}

std::string html_table(const HtmlTable& table) {
  std::string body;
  for (const auto& row : table.rows) {
    body += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      body += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", cell_markup(row[c]))
                     : fmt::format("<td{}>{}</td>", row[c].value ? " class=\"number\"" : "", cell_markup(row[c]));
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table>\n<caption><span>{0}</span></caption>\n{1}"
      "<tbody>\n{2}</tbody>\n</table></div>\n",
      html_text(table.caption), head_of(table), body);
}

std::string html_picture(const std::string& png, const std::string& description) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\" />", html_text(description), base64(png));
}

std::string html_figure(const std::string& content, const std::string& caption) {
  return fmt::format("<figure>\n{}\n<figcaption>{}</figcaption>\n</figure>\n", content, html_text(caption));
}

}  // namespace v1
}  // namespace harmonium
