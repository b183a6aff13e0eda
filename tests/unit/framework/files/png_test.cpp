#include <harmonium/framework/files/png.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/png.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace png_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Image some_colors(Index width, Index height) {
  Image image(width, height, {});
  for (Index i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = {static_cast<std::uint8_t>(7 * i), static_cast<std::uint8_t>(i * i),
                       static_cast<std::uint8_t>(255 - i)};
  return image;
}

}  // namespace

TEST_CASE("a picture is read back point by point, with its texts") {
  const ScratchFolder folder;
  for (const auto& [width, height] : {std::pair<Index, Index>{1, 1}, {3, 2}, {5, 31}, {300, 1}}) {
    const Image image = some_colors(width, height);
    write_png(folder / "p.png", image, {{"Title", "some colors"}, {"Description", "w = 1"}});
    const ReadPng read = read_png(folder / "p.png");
    CHECK(read.image == image);
    CHECK(read.channels == 3);
    CHECK(read.bits == 8);
    CHECK(read.text("Title") == "some colors");
    CHECK(read.text("Description") == "w = 1");
    CHECK(!read.has_time);
  }
}

TEST_CASE("a picture that is all gray is kept in one channel") {
  const ScratchFolder folder;
  Image image(16, 16, {});
  for (Index i = 0; i < 256; ++i) {
    const auto level = static_cast<std::uint8_t>(i);
    image.pixels[i] = {level, level, level};
  }
  write_png(folder / "p.png", image);
  CHECK(read_png(folder / "p.png").channels == 1);
  CHECK(read_png(folder / "p.png").image == image);
  CHECK(read_png(folder / "p.png").texts.empty());
  image(15, 0).blue = 0;
  write_png(folder / "p.png", image);
  CHECK(read_png(folder / "p.png").channels == 3);
  CHECK(read_png(folder / "p.png").image == image);
}

TEST_CASE("equal pictures are equal files") {
  const ScratchFolder folder;
  write_png(folder / "a.png", some_colors(40, 30), {{"Title", "t"}});
  write_png(folder / "b.png", some_colors(40, 30), {{"Title", "t"}});
  CHECK(content_of(folder / "a.png") == content_of(folder / "b.png"));
}

TEST_CASE("a picture that cannot be written leaves the older one, and no part of itself") {
  const ScratchFolder folder;
  CHECK(message_of<FileError>([&] { write_png(folder / "none/p.png", some_colors(2, 2)); }) ==
        (folder / "none/p.png").string() + ": cannot be created: No such file or directory");
  std::filesystem::create_directories(folder / "p.png");
  CHECK_THROWS_AS(write_png(folder / "p.png", some_colors(2, 2)), FileError);
  CHECK(!std::filesystem::exists(folder / "p.png.partial"));
}

TEST_CASE("what is no picture is the caller's mistake") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(write_png(folder / "p.png", Image{}), std::logic_error);
  Image wrong = some_colors(2, 2);
  wrong.width = 3;
  CHECK_THROWS_AS(write_png(folder / "p.png", wrong), std::logic_error);
  CHECK_THROWS_AS(write_png(folder / "p.png", some_colors(1'000'001, 1)), std::logic_error);
  CHECK(!std::filesystem::exists(folder / "p.png"));
}

}  // namespace png_test
