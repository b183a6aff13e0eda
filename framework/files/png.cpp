#include <harmonium/framework/files/png.hpp>

#include <algorithm>
#include <csetjmp>
#include <new>
#include <stdexcept>

#include <png.h>

#include <harmonium/framework/files/atomic_file.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

struct Encoding {
  std::string bytes, problem;
};

// What the library calls. No C++ exception may pass through it.
void take_bytes(png_structp png, png_bytep data, std::size_t size) {
  auto* encoding = static_cast<Encoding*>(png_get_io_ptr(png));
  bool taken = true;
  try {
    encoding->bytes.append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    taken = false;
  }
  if (!taken) png_error(png, "out of memory");
}
void flush_nothing(png_structp) {}
void ignore_warning(png_structp, png_const_charp) {}
void take_error(png_structp png, png_const_charp words) {
  static_cast<Encoding*>(png_get_error_ptr(png))->problem = words;  // short enough to need no memory, or nearly
  png_longjmp(png, 1);
}

/// Everything between the library's setjmp and its errors: nothing here has a destructor. False where it failed.
bool encode(png_structp png, png_infop info, png_bytepp rows, const Image& image, bool gray, png_textp texts,
            int num_texts) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               gray ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  // Points stand in blocks, so that most rows are those above them: a tenth of the time of the library's own choice, for as many bytes or
  // a few kB more.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_compression_level(png, 3);
  if (num_texts > 0) png_set_text(png, info, texts, num_texts);
  png_set_rows(png, info, rows);
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image, const ImageTexts& texts) {
  if (image.pixels.empty() || image.pixels.size() != image.width * image.height)
    throw std::logic_error("write_png: an image without points");
  const bool gray =
      std::ranges::all_of(image.pixels, [](const Color& c) { return c.red == c.green && c.green == c.blue; });
  const Index channels = gray ? 1 : 3;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(image.pixels.size() * channels);
  for (const Color& c : image.pixels) {
    bytes.push_back(c.red);
    if (!gray) bytes.insert(bytes.end(), {c.green, c.blue});
  }
  std::vector<png_bytep> rows;
  for (Index y = 0; y < image.height; ++y) rows.push_back(bytes.data() + y * image.width * channels);
  std::vector<png_text> chunks(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    chunks[i].compression = PNG_TEXT_COMPRESSION_NONE;
    chunks[i].key = const_cast<char*>(texts[i].first.c_str());
    chunks[i].text = const_cast<char*>(texts[i].second.c_str());
  }

  Encoding encoding;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoding, take_error, ignore_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool done = false;
  if (info) {
    png_set_write_fn(png, &encoding, take_bytes, flush_nothing);
    done = encode(png, info, rows.data(), image, gray, chunks.data(), static_cast<int>(chunks.size()));
  }
  png_destroy_write_struct(&png, &info);
  if (!done && (encoding.problem.empty() || encoding.problem.find("memory") != std::string::npos))
    throw std::bad_alloc();
  if (!done) throw std::logic_error(path.string() + ": libpng refuses the picture: " + encoding.problem);
  write_file_atomically(path, encoding.bytes);
}

}  // namespace v1
}  // namespace harmonium
