#include <harmonium/framework/files/png_folder.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include <png.h>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/regular_file.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_points = std::uint64_t{1} << 26;  // of a picture

bool has_png_name(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" && !path.filename().string().starts_with('.');
}

/// What lies in a folder, hidden files aside, in the order of names.
struct Listing {
  std::vector<fs::path> pictures, folders;
  bool others = false;
};

Listing list_folder(const fs::path& folder) {
  Listing listing;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.filename().string().starts_with('.')) continue;
    std::error_code unknown;
    if (at->is_directory(unknown)) listing.folders.push_back(path);
    else if (has_png_name(path)) listing.pictures.push_back(path);
    else listing.others = true;
  }
  if (error) throw FileError(fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()));
  std::ranges::sort(listing.pictures);
  std::ranges::sort(listing.folders);
  return listing;
}

/// A picture that is being read; its memory is the library's, which frees it.
class PngReader {
 public:
  explicit PngReader(const fs::path& path) : name_(path.string()) {
    RegularFile file(path);
    const std::uint64_t bytes = file.size();
    stream_.reset(::fdopen(file.descriptor(), "rb"));
    if (!stream_) throw FileError(fmt::format("{}: cannot be opened: out of memory", name_));
    file.release();
    image_.version = PNG_IMAGE_VERSION;
    if (::png_image_begin_read_from_stdio(&image_, stream_.get()) == 0) fail(image_.message);
    // Deflate makes at most 1032 bytes of one, and a point takes a bit at least.
    const std::uint64_t points = std::uint64_t{image_.width} * image_.height;
    if (points > most_points || points / 8 / 1032 > bytes)
      fail(fmt::format("{} x {} points are declared, which {} bytes do not hold or which are too many", image_.width,
                       image_.height, bytes));
    image_.format = PNG_FORMAT_GRAY;
  }
  Index width() const { return image_.width; }
  Index height() const { return image_.height; }
  /// Appends its gray levels, row by row.
  void append_to(std::vector<std::uint8_t>& bytes) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + width() * height());
    const png_color black{0, 0, 0};
    if (::png_image_finish_read(&image_, &black, bytes.data() + begin, 0, nullptr) == 0) fail(image_.message);
    if ((image_.warning_or_error & PNG_IMAGE_WARNING) != 0 &&
        std::string_view(image_.message).find("CRC") != std::string::npos)
      fail(image_.message);
  }

 private:
  struct Picture : png_image {
    Picture() : png_image{} {}
    ~Picture() { ::png_image_free(this); }
    Picture(const Picture&) = delete;
    Picture& operator=(const Picture&) = delete;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail(std::string_view problem) const {
    throw DataError(fmt::format("{}: not a PNG picture that can be read: {}", name_, problem));
  }

  std::string name_;
  std::unique_ptr<std::FILE, Close> stream_;
  Picture image_;
};

/// Puts pictures of one size together.
class PictureRows {
 public:
  void add(const fs::path& path) {
    PngReader picture(path);
    if (count_ == 0) {
      first_ = path.string();
      width_ = picture.width();
      height_ = picture.height();
    }
    if (picture.width() != width_ || picture.height() != height_)
      throw DataError(fmt::format("{}: has {} x {} points, but {} has {} x {}. Bring all to one size.", path.string(),
                                  picture.width(), picture.height(), first_, width_, height_));
    picture.append_to(bytes_);
    ++count_;
  }
  Table take() { return {count_, width_ * height_, std::move(bytes_), {count_, height_, width_}}; }

 private:
  std::string first_;
  Index width_ = 0, height_ = 0, count_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

bool is_png_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  const Listing listing = list_folder(path);
  if (!listing.pictures.empty()) return true;
  return !listing.others && std::ranges::any_of(listing.folders, [](const fs::path& folder) {
    return !list_folder(folder).pictures.empty();
  });
}

PngFolder read_png_folder(const fs::path& path) {
  const Listing listing = list_folder(path);
  PngFolder folder;
  PictureRows rows;
  std::string checksums;
  const auto add = [&](const fs::path& picture) {
    rows.add(picture);
    checksums += fmt::format("{}  {}\n", sha256_of_file(picture), picture.lexically_relative(path).string());
  };
  for (const fs::path& picture : listing.pictures) add(picture);
  for (const fs::path& sub : listing.folders) {
    const Listing inner = list_folder(sub);
    if (inner.pictures.empty()) continue;
    if (!listing.pictures.empty())
      throw DataError(
          fmt::format("{}: pictures lie in it, and in its subfolder '{}' (a class). Put them all into "
                      "subfolders, or none.",
                      path.string(), sub.filename().string()));
    for (const fs::path& picture : inner.pictures) add(picture);
    folder.labels.resize(folder.labels.size() + inner.pictures.size(), static_cast<double>(folder.classes.size()));
    folder.classes.push_back(sub.filename().string());
  }
  if (checksums.empty()) throw DataError(fmt::format("{}: no PNG pictures (.png) lie in this folder", path.string()));
  folder.table = rows.take();
  folder.sha256 = sha256(checksums);
  return folder;
}

}  // namespace v1
}  // namespace harmonium
