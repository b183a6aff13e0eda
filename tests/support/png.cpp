#include <harmonium/tests/support/png.hpp>

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <png.h>

namespace harmonium::testing {
namespace {

[[noreturn]] void refuse(png_structp, png_const_charp words) { throw std::runtime_error(words); }

}  // namespace

std::string ReadPng::text(const std::string& keyword) const {
  for (const auto& [key, value] : texts)
    if (key == keyword) return value;
  return {};
}

ReadPng read_png(const std::filesystem::path& path) {
  // The texts need the long interface, the points the short one.
  ReadPng result;
  {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path.c_str())) throw std::runtime_error(image.message);
    image.format = PNG_FORMAT_RGB;
    result.image = Image(image.width, image.height, {});
    static_assert(sizeof(Color) == 3);
    if (!png_image_finish_read(&image, nullptr, result.image.pixels.data(), 0, nullptr))
      throw std::runtime_error(image.message);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, refuse, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  result.channels = png_get_channels(png, info);
  result.bits = png_get_bit_depth(png, info);
  result.has_time = png_get_valid(png, info, PNG_INFO_tIME) != 0;
  png_textp texts = nullptr;
  const int count = png_get_text(png, info, &texts, nullptr);
  for (int i = 0; i < count; ++i) result.texts.emplace_back(texts[i].key, texts[i].text);
  png_destroy_read_struct(&png, &info, nullptr);
  return result;
}

}  // namespace harmonium::testing
