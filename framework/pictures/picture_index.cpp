#include <harmonium/framework/pictures/picture_index.hpp>

#include <cstdint>
#include <fstream>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/pictures/markup.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

constexpr const char* page_mark = "<meta name=\"generator\" content=\"Harmonium\">";
constexpr const char* page_head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}\n<title>Pictures of a "
    "run</title>\n<style>\n"
    "body {{ font-family: sans-serif; max-width: 60em; margin: 1em auto; padding: 0 1em; }}\n"
    "figure {{ margin: 2em 0; }}\nimg {{ max-width: 100%; }}\nfigcaption {{ margin-top: 0.5em; color: #333; }}\n"
    "</style>\n</head>\n<body>\n<h1>Pictures of a run</h1>\n";

/// The beginning of a file, where both formats have their captions.
std::string beginning_of(const fs::path& file) {
  const RegularFile readable(file);
  std::string text(1 << 16, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// The text "Description" of a PNG file: chunks of length, type, content and checksum behind a mark of 8 bytes.
std::string description_in(std::string_view png) {
  constexpr std::string_view keyword("Description\0", 12);
  for (std::size_t at = 8; at + 12 <= png.size();) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(png[at + i]);
    const std::string_view type = png.substr(at + 4, 4), content = png.substr(at + 8, length);
    if (type == "tEXt" && content.starts_with(keyword)) return std::string(content.substr(keyword.size()));
    at += 12 + static_cast<std::size_t>(length);
  }
  return "";
}

}  // namespace

std::string caption_in(const fs::path& picture) {
  const std::string text = beginning_of(picture);
  if (picture.extension() == ".png") return description_in(text);
  constexpr std::string_view begin = "<desc>";
  const std::size_t from = text.find(begin), to = text.find("</desc>");
  if (from == std::string::npos || to == std::string::npos || to < from) return "";
  return unescaped_markup(std::string_view(text).substr(from + begin.size(), to - from - begin.size()));
}

void write_picture_index(const fs::path& folder) {
  std::string figures;
  for (const char* name : picture_files) {
    std::error_code error;
    if (!fs::is_regular_file(folder / name, error)) continue;
    const std::string caption = escaped_markup(caption_in(folder / name));
    figures += fmt::format(
        "<figure>\n<a href=\"{0}\"><img src=\"{0}\" alt=\"{1}\"></a>\n<figcaption>{2}: {1}</figcaption>\n</figure>\n",
        name, caption, fs::path(name).stem().string());
  }
  if (figures.empty()) return;
  write_file_atomically(folder / "index.html", fmt::format(page_head, page_mark) + figures + "</body>\n</html>\n");
}

void check_picture_index(const fs::path& folder) {
  const fs::path index = folder / "index.html";
  std::error_code error;
  if (!fs::exists(index, error)) return;
  if (fs::is_regular_file(index, error) && beginning_of(index).find(page_mark) != std::string::npos) return;
  throw ConfigError(fmt::format(
      "{}: this is no page of pictures that Harmonium wrote, and drawing would replace it. Name another folder, or "
      "choose a picture by --what.",
      index.string()));
}

}  // namespace v1
}  // namespace harmonium
