#include <harmonium/framework/pictures/picture_index.hpp>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/png.hpp>
#include <harmonium/framework/pictures/markup.hpp>
#include <harmonium/tests/support/scratch.hpp>

#include <doctest/doctest.h>

namespace picture_index_test {

using namespace harmonium;
using namespace harmonium::testing;

TEST_CASE("text in markup reads back as it was") {
  const std::string text = "a < b & \"c\" > 'd' &lt;";
  CHECK(escaped_markup(text) == "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39; &amp;lt;");
  CHECK(unescaped_markup(escaped_markup(text)) == text);
}

TEST_CASE("a picture's caption is read from the picture") {
  const ScratchFolder folder;
  write_png(folder / "p.png", Image(40, 30, {1, 2, 3}), {{"Software", "x"}, {"Description", "tiles, a < b"}});
  CHECK(caption_in(folder / "p.png") == "tiles, a < b");
  write_png(folder / "none.png", Image(4, 3, {1, 2, 3}));
  CHECK(caption_in(folder / "none.png") == "");
  CHECK(caption_in(folder.write("c.svg", "<svg><desc>by &lt;epoch&gt;</desc></svg>")) == "by <epoch>");
  CHECK(caption_in(folder.write("d.svg", "<svg/>")) == "");
  CHECK_THROWS_AS(caption_in(folder / "absent.png"), FileError);
  // Of files that others wrote: whatever they hold, nothing beyond it is read.
  std::string png = content_of(folder / "p.png");
  for (std::size_t size = 0; size < png.size(); ++size) {
    const std::string caption = caption_in(folder.write("cut.png", std::string_view(png).substr(0, size)));
    CHECK(std::string("tiles, a < b").starts_with(caption));
  }
  png[8] = png[9] = png[10] = png[11] = '\xff';  // a chunk longer than any file
  CHECK(caption_in(folder.write("long.png", png)) == "");
}

TEST_CASE("the page shows what is there, in its order, with captions, and needs nothing else") {
  const ScratchFolder folder;
  write_picture_index(folder.path());
  CHECK(!std::filesystem::exists(folder / "index.html"));
  write_png(folder / "filters.png", Image(4, 3, {1, 2, 3}), {{"Description", "filters of <w>"}});
  folder.write("curves.svg", "<svg><desc>by epoch</desc></svg>");
  folder.write("other.png", "not ours");
  write_picture_index(folder.path());
  const std::string page = content_of(folder / "index.html");
  const auto curves = page.find("<img src=\"curves.svg\" alt=\"by epoch\">");
  const auto filters = page.find("<figcaption>filters: filters of &lt;w&gt;</figcaption>");
  REQUIRE(curves != std::string::npos);
  REQUIRE(filters != std::string::npos);
  CHECK(curves < filters);
  for (const char* never : {"other.png", "<script", "http", "data.png"})
    CHECK_MESSAGE(page.find(never) == std::string::npos, never);
}

TEST_CASE("a page that is somebody's own is not replaced") {
  const ScratchFolder folder;
  CHECK_NOTHROW(check_picture_index(folder.path()));
  folder.write("index.html", "<html>my own</html>");
  CHECK_THROWS_WITH_AS(
      check_picture_index(folder.path()),
      ((folder / "index.html").string() +
       ": this is no page of pictures that Harmonium wrote, and drawing would replace it. Name another "
       "folder, or choose a picture by --what.")
          .c_str(),
      ConfigError);
  folder.write("curves.svg", "<svg/>");
  write_picture_index(folder.path());
  CHECK_NOTHROW(check_picture_index(folder.path()));
}

}  // namespace picture_index_test
