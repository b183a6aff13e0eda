#include <harmonium/framework/pictures/gnuplot.hpp>

#include <cstdlib>

#include <doctest/doctest.h>

#include <harmonium/tests/support/scratch.hpp>
#include <harmonium/tests/support/skip.hpp>

namespace gnuplot_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

TEST_CASE("a figure is drawn into any folder, of whose name gnuplot runs nothing") {
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) return skip_test("gnuplot is not installed");
  const ScratchFolder folder;
  const fs::path mark = folder / "ran";
  ::setenv("HARMONIUM_TEST_MARK", mark.c_str(), 1);
  const std::string touch = "touch $HARMONIUM_TEST_MARK";
  for (const std::string& name : {
           std::string("plain"),
           "a\nsystem('" + touch + "')\nb",
           "a'\nsystem(\"" + touch + "\")\n'b",
           "a\"\nsystem('" + touch + "')\n\"b",
           "`" + touch + "`",
           "\\140" + touch + "\\140",
           std::string("@GPVAL_TERM #\t\x7f é $1 100%\\"),
       }) {
    CAPTURE(name);
    const fs::path below = folder / name;
    fs::create_directory(below);
    draw_figure(*gnuplot, below / name, "plot [0:1] x\n");
    for (const char* ending : {".svg", ".png", ".gp"}) CHECK(fs::file_size(below / (name + ending)) > 0);
    draw_svg(*gnuplot, below / "one.svg", "plot [0:1] x\n", {}, "a line");
    CHECK(content_of(below / "one.svg").find("a line") != std::string::npos);
    // The script that is kept, drawn by hand as its first line says.
    const std::string kept = content_of(below / (name + ".gp"));
    CHECK(kept.substr(kept.find('\n')) == "\nplot [0:1] x\n");
    CHECK_FALSE(fs::exists(mark));
  }
}

TEST_CASE("a relative name is that of a file, whatever gnuplot takes its first character for") {
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) return skip_test("gnuplot is not installed");
  const ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const std::string name : {"|touch ran", "< touch ran", "~", "-e"}) {
    CAPTURE(name);
    draw_figure(*gnuplot, name, "plot [0:1] x\n");
    CHECK(fs::exists(folder / (name + ".svg")));
    CHECK_FALSE(fs::exists(folder / "ran"));
    CHECK_FALSE(fs::exists(folder / "ran.gp"));
  }
  fs::current_path(before);
}

}  // namespace gnuplot_test
