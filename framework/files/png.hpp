#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Color&) const = default;
};

/// A picture in memory: height × width points, row by row from the top left. pixels.size() == width * height.
struct Image {
  Index width = 0, height = 0;
  std::vector<Color> pixels;

  Image() = default;
  Image(Index w, Index h, Color fill) : width(w), height(h), pixels(w * h, fill) {}
  Color& operator()(Index y, Index x) { return pixels[y * width + x]; }
  const Color& operator()(Index y, Index x) const { return pixels[y * width + x]; }
  bool operator==(const Image&) const = default;
};

/// What a picture says of itself, as keyword and text: Latin-1, keywords of 1 to 79 characters.
using ImageTexts = std::vector<std::pair<std::string, std::string>>;

/// Writes a PNG file of 8 bits a channel: gray where every point is, else RGB, with one tEXt chunk a text. The file
/// appears whole or not at all, and equal pictures give equal bytes: no time is kept. Throws FileError where it cannot be
/// written; std::logic_error for an image without points, or with more than 1,000,000 on a side.
void write_png(const std::filesystem::path& path, const Image& image, const ImageTexts& texts = {});

}  // namespace v1
}  // namespace harmonium
