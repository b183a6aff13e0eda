#include <harmonium/framework/files/png_folder.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/png.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace png_folder_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A picture of 3 x 2 points whose gray levels begin with `first`.
void write_gray(const std::filesystem::path& path, std::uint8_t first, Index width = 3) {
  std::filesystem::create_directories(path.parent_path());
  Image image(width, 2, {});
  for (Index i = 0; i < image.pixels.size(); ++i) {
    const auto level = static_cast<std::uint8_t>(first + i);
    image.pixels[i] = {level, level, level};
  }
  write_png(path, image);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With the checksum of the chunk that begins at `at` put right.
std::string with_checksum(std::string png, std::size_t at, std::size_t length) {
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(png.data() + at + 4), static_cast<uInt>(length + 4));
  for (int i = 0; i < 4; ++i)
    png[at + 8 + length + static_cast<std::size_t>(i)] = static_cast<char>(sum >> (24 - 8 * i));
  return png;
}

}  // namespace

TEST_CASE("pictures of a folder are rows of gray levels, in the order of their names") {
  const ScratchFolder folder;
  write_gray(folder / "p" / "b.png", 100);
  write_gray(folder / "p" / "a.PNG", 7);
  folder.write("p/.hidden.png", "no picture");
  folder.write("p/notes.txt", "no picture either");
  CHECK(is_png_folder(folder / "p"));
  const PngFolder read = read_png_folder(folder / "p");
  CHECK(read.table.shape == std::vector<Index>{2, 2, 3});
  REQUIRE(read.table.is_bytes());
  for (Index c = 0; c < 6; ++c) {
    CHECK(read.table.at(0, c) == 7 + static_cast<double>(c));
    CHECK(read.table.at(1, c) == 100 + static_cast<double>(c));
  }
  CHECK(read.classes.empty());
  CHECK(table_format(folder / "p") == TableFormat::png);
  Image color(3, 2, {255, 255, 255});
  color(0, 0) = {255, 0, 0};
  write_png(folder / "p" / "c.png", color);
  const PngFolder more = read_png_folder(folder / "p");
  CHECK(more.table.at(2, 1) == 255);
  CHECK(more.table.at(2, 0) > 0);
  CHECK(more.table.at(2, 0) < 255);
  CHECK(more.sha256 != read.sha256);
}

TEST_CASE("subfolders of pictures are classes, by the alphabet") {
  const ScratchFolder folder;
  write_gray(folder / "p" / "one" / "x.png", 1);
  write_gray(folder / "p" / "one" / "y.png", 2);
  write_gray(folder / "p" / "nil" / "x.png", 3);
  std::filesystem::create_directories(folder / "p" / "empty");
  CHECK(is_png_folder(folder / "p"));
  const PngFolder read = read_png_folder(folder / "p");
  CHECK(read.classes == std::vector<std::string>{"nil", "one"});
  CHECK(read.labels == std::vector<double>{0, 1, 1});
  CHECK(read.table.at(0, 0) == 3);
  write_gray(folder / "p" / "z.png", 4);
  CHECK(message_of<DataError>([&] { read_png_folder(folder / "p"); }) ==
        (folder / "p").string() +
            ": pictures lie in it, and in its subfolder 'nil' (a class). Put them all into subfolders, or none.");
}

TEST_CASE("a folder of other things is none of pictures") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "run" / "pictures");
  CHECK_FALSE(is_png_folder(folder / "run"));
  write_gray(folder / "run" / "pictures" / "a.png", 1);
  folder.write("run/model.h5", "a model");
  CHECK_FALSE(is_png_folder(folder / "run"));
  CHECK_FALSE(is_png_folder(folder / "run" / "model.h5"));
  CHECK_FALSE(is_png_folder(folder / "nowhere"));
}

TEST_CASE("a picture that is damaged, of another size or a bomb is refused by its name") {
  const ScratchFolder folder;
  write_gray(folder / "p" / "a.png", 1);
  const std::string whole = bytes_of(folder / "p" / "a.png");
  const auto refused = [&] { return message_of<DataError>([&] { read_png_folder(folder / "p"); }); };
  write_gray(folder / "p" / "b.png", 1, 4);
  CHECK(refused() == (folder / "p" / "b.png").string() + ": has 4 x 2 points, but " +
                         (folder / "p" / "a.png").string() + " has 3 x 2. Bring all to one size.");
  const std::string begin = (folder / "p" / "b.png").string() + ": not a PNG picture that can be read: ";
  for (std::size_t size = 0; size + 16 < whole.size(); ++size) {  // the last chunk says that it is the last
    folder.write("p/b.png", whole.substr(0, size));
    CHECK(refused().starts_with(begin));
  }
  folder.write("p/b.png", "no picture");
  CHECK(refused().starts_with(begin));
  std::string bomb = whole;
  bomb.replace(16, 8, std::string("\0\1\0\0\0\1\0\0", 8));  // 65536 x 65536
  folder.write("p/b.png", with_checksum(bomb, 8, 13));
  CHECK(refused().starts_with(begin + "65536 x 65536 points are declared"));
  bomb.replace(16, 8, std::string("\0\0\x20\0\0\0\x20\0", 8));  // 8192 x 8192, in less than a hundred bytes
  folder.write("p/b.png", with_checksum(bomb, 8, 13));
  CHECK(refused().starts_with(begin + "8192 x 8192 points are declared"));
}

}  // namespace png_folder_test
