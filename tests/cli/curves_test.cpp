#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include <harmonium/framework/pictures/picture_index.hpp>
#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/png.hpp>
#include <harmonium/tests/support/skip.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace curves_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

bool has_gnuplot() {
  const bool found = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
  if (!found) skip_test("gnuplot is not installed, so that curves were not tested");
  return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a run leaves its curves, the same ones on any number of threads and when it goes on") {
  if (!has_gnuplot()) return;
  const CliFolder folder;
  const Words likelihood{"--set", "observers=[{type=\"log_likelihood\", every=2}, {type=\"pseudo_likelihood\"}]"};
  const auto train = [&](Words words) {
    words.insert(words.begin(), {"train", "small.toml"});
    words.insert(words.end(), likelihood.begin(), likelihood.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    return outcome.status;
  };
  CHECK(train({"--output", "run"}) == 0);
  CHECK(train({"--output", "two", "--threads", "2"}) == 0);
  CHECK(train({"--output", "parts", "--set", "training.checkpoint_every=1"}) == 0);
  for (const char* file : {"model.h5", "checkpoints/8.h5", "checkpoints/6.h5"}) fs::remove(folder / "parts" / file);
  fs::remove_all(folder / "parts/pictures");
  CHECK(run(folder, {"train", "--resume", "parts"}).status == 0);
  const std::string svg = content_of(folder / "run/pictures/curves.svg");
  for (const char* part : {"width=\"760\"", ">log likelihood (± 1 s.e.)<", ">pseudo log likelihood (± 1 s.e.)<",
                           ">nats a row<", ">epoch<"})
    CHECK_MESSAGE(has(svg, part), part);
  CHECK(svg == content_of(folder / "two/pictures/curves.svg"));
  CHECK(svg == content_of(folder / "parts/pictures/curves.svg"));
  CHECK(caption_in(folder / "run/pictures/curves.svg") ==
        "what was measured along the run, by epoch; bands: one standard error (s.e.) to either side");
  const std::string page = content_of(folder / "run/pictures/index.html");
  CHECK(has(page,
            "<figcaption>curves: what was measured along the run, by epoch; bands: one standard error (s.e.) to "
            "either side</figcaption>"));
  CHECK(has(page, "<figcaption>filters: 5 of 5 filters of weight.visible.hidden; 3x3, from"));
  CHECK(page == content_of(folder / "two/pictures/index.html"));
  CHECK(page == content_of(folder / "parts/pictures/index.html"));
}

TEST_CASE("a run of one epoch has curves, and curves change no number of a run") {
  if (!has_gnuplot()) return;
  const CliFolder folder;
  const Words one{"train", "small.toml", "--set", "training.num_epochs=1", "--output"};
  Words with = one, without = one;
  with.insert(with.end(), {"with", "--set", "pictures.which=[\"curves\"]"});
  without.insert(without.end(), {"without", "--set", "pictures.which=[]"});
  CHECK(run(folder, with).status == 0);
  CHECK(run(folder, without).status == 0);
  CHECK(files_below(folder / "with/pictures") == Words{"curves.svg", "index.html"});
  CHECK(!fs::exists(folder / "without/pictures"));
  CHECK(content_of(folder / "with/metrics.jsonl") == content_of(folder / "without/metrics.jsonl"));
  CHECK(has(content_of(folder / "with/pictures/curves.svg"), "gpPt6"));  // points
  // Where nothing is measured there is nothing to draw.
  Words bare = one;
  bare.insert(bare.end(), {"bare", "--set", "pictures.which=[\"curves\"]", "--set", "observers=[]"});
  CHECK(run(folder, bare).err == "");
  CHECK(!fs::exists(folder / "bare/pictures/curves.svg"));
}

TEST_CASE("a run that a signal stops leaves curves of what it has measured, and so does one that diverges") {
  if (!has_gnuplot()) return;
  const CliFolder folder;
  Running running({"train", "small.toml", "--output", "run", "--set", "training.num_epochs=10000000"},
                  {.folder = folder.path()});
  REQUIRE(appears(folder / "run/metrics.jsonl"));
  running.signal(SIGTERM);
  CHECK(running.wait().status == 1);
  CHECK(fs::exists(folder / "run/pictures/curves.svg"));
  CHECK(has(content_of(folder / "run/pictures/index.html"), "curves.svg"));

  // The second epoch starts from parameters beyond the limit.
  const Outcome outcome =
      run(folder, {"train", "small.toml", "--output", "lost", "--set", "training.num_epochs=1000", "--set",
                   "training.max_parameter=1.5", "--set", "optimizer={type=\"sgd\", learning_rate=0.5}"});
  CHECK(outcome.status == 1);
  CHECK(like(outcome.err, "harmonium: the run diverged at update *"));
  CHECK(fs::exists(folder / "lost/pictures/curves.svg"));
}

TEST_CASE("what a user has in ~/.gnuplot changes no curves") {
  if (!has_gnuplot()) return;
  const CliFolder folder;
  folder.trained();
  folder.write(".gnuplot", "set title 'mine'\nset logscale y 7\n");
  const std::string command = "cd " + folder.path().string() + " && HOME=" + folder.path().string() + " " +
                              program_path() + " draw run --what curves --output own.svg > out 2> err";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(content_of(folder / "own.svg") == content_of(folder / "run/pictures/curves.svg"));
}

TEST_CASE("without gnuplot a run says once that it has no curves, unless it was to have none") {
  const CliFolder folder;
  const auto train = [&](const std::string& words) {
    const std::string command = "cd " + folder.path().string() + " && PATH=/nowhere " + program_path() +
                                " train small.toml --output " + words + " > out 2> err";
    CHECK(std::system(command.c_str()) == 0);
    const std::string err = content_of(folder / "err");
    const auto end = err.find("verdict on ");
    const auto begin = std::min(err.find("harmonium: "), end);  // behind its epochs
    CHECK(end != std::string::npos);
    return err.substr(begin, end - begin);
  };
  CHECK(train("run") ==
        "harmonium: note: gnuplot is not installed: the curves of the run are left out. Install it (Debian: "
        "gnuplot-nox) and draw them with 'harmonium draw RUN', or leave 'curves' out of "
        "pictures.which.\n");
  CHECK(!fs::exists(folder / "run/pictures/curves.svg"));
  CHECK(fs::exists(folder / "run/pictures/filters.png"));
  CHECK(train("other --set 'pictures.which=[\"filters\"]'") == "");
}

TEST_CASE("what gnuplot says where it fails costs a run its curves and nothing else") {
  const CliFolder folder;
  folder.write("gnuplot", "#!/bin/sh\necho no terminal >&2\nexit 1\n");
  fs::permissions(folder / "gnuplot", fs::perms::owner_all);
  const std::string command = "cd " + folder.path().string() + " && PATH=$PWD:$PATH " + program_path() +
                              " train small.toml --output run > out 2> err";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(like(content_of(folder / "err"),
             "*harmonium: note: gnuplot could not draw */run/pictures/curves.svg: no terminal. The run goes on without "
             "pictures.\nverdict on *"));
  CHECK(files_below(folder / "run/pictures") ==
        Words{"chains.png", "data.png", "filters.png", "index.html", "reconstructions.png"});
}

TEST_CASE("a PNG file of curves has letters of the size of the SVG file, and no less room for its plots") {
  if (!has_gnuplot()) return;
  const CliFolder folder;
  folder.trained();
  for (const char* file : {"c.svg", "c.png"})
    REQUIRE(run(folder, {"draw", "run", "--what", "curves", "--output", file}).status == 0);
  const std::string svg = content_of(folder / "c.svg");
  double high = 0.0;  // the highest of the vertical axes: M x,top L x,bottom
  for (std::size_t at = svg.find("d='M"); at != std::string::npos; at = svg.find("d='M", at + 1)) {
    double x = 0.0, top = 0.0, same = 0.0, bottom = 0.0;
    if (std::sscanf(svg.c_str() + at, "d='M%lf,%lf L%lf,%lf", &x, &top, &same, &bottom) == 4 && x == same)
      high = std::max(high, bottom - top);
  }
  REQUIRE(high > 100.0);
  // That of the PNG file is the highest line of dark points in its left quarter. Fonts have lines of less than one and a half letters,
  // which the SVG terminal takes; with letters a third larger plots were a fifth lower.
  const ReadPng drawn = read_png(folder / "c.png");
  Index highest = 0;
  for (Index x = 0; x < drawn.image.width / 4; ++x) {
    Index height = 0;
    for (Index y = 0; y < drawn.image.height; ++y) {
      const Color& c = drawn.image(y, x);
      height = std::max({c.red, c.green, c.blue}) < 100 ? height + 1 : 0;
      highest = std::max(highest, height);
    }
  }
  CHECK(static_cast<double>(highest) >= 2.0 * high);
}

TEST_CASE("draw draws the curves of a run, also of one without a model") {
  if (!has_gnuplot()) return;
  const CliFolder folder;
  folder.trained();
  const Outcome outcome = run(folder, {"draw", "run", "--what", "curves", "--output", "c.svg"});
  CHECK(outcome.out ==
        "c.svg: what was measured along the run, by epoch; bands: one standard error (s.e.) to either side\n");
  CHECK(content_of(folder / "c.svg") == content_of(folder / "run/pictures/curves.svg"));
  // The same as a PNG file, whose chunks libpng holds to their checksums.
  CHECK(run(folder, {"draw", "run", "--what", "curves", "--output", "c.png"}).status == 0);
  const ReadPng drawn = read_png(folder / "c.png");
  CHECK(drawn.image.width == 2 * 760);
  CHECK(drawn.text("Description") == caption_in(folder / "c.svg"));
  CHECK(caption_in(folder / "c.png") == caption_in(folder / "c.svg"));
  CHECK(std::ranges::any_of(drawn.image.pixels, [&](const Color& c) { return c != drawn.image.pixels.front(); }));
  fs::create_directory(folder / "pages");
  CHECK(run(folder, {"draw", "run", "--what", "curves", "--output", "pages"}).out.starts_with("pages/curves.svg: "));
  CHECK(content_of(folder / "pages/curves.svg") == content_of(folder / "c.svg"));
  fs::remove(folder / "run/model.h5");
  CHECK(run(folder, {"draw", "run", "--what", "curves", "--output", "c.svg"}).status == 0);
  const auto refused = [&](const Words& words, int status, const char* why) {
    Words all{"draw"};
    all.insert(all.end(), words.begin(), words.end());
    check_refusal(run(folder, all), status, why);
  };
  refused({"small.toml", "--what", "curves", "--output", "d.svg"}, 2,
          "small.toml: curves are of a run, and this is no folder with metrics.jsonl. Name the folder of a run.");
  refused({"none", "--what", "curves", "--output", "d.svg"}, 2, "none: no such file or folder");
  refused({"run", "--what", "curves"}, 2, "draw: --output FILE.svg is missing.");
  refused({"run", "--what", "curves", "--output", "d.pdf"}, 2,
          "--output d.pdf: curves are written as .svg or .png. Give a name that ends so.");
  refused({"run", "--what", "curves", "--output", "d.svg", "--count", "3"}, 2,
          "--count: it has no meaning for curves. Leave it out.");
  refused({"run", "--what", "curves", "--output", "d.svg", "--data", "x"}, 2,
          "--data: it has no meaning for curves. *");
  folder.write("run/metrics.jsonl", "");
  refused({"run", "--what", "curves", "--output", "d.svg"}, 1,
          "run/metrics.jsonl: it holds no figures, so that there are no curves.");
  folder.write("run/metrics.jsonl", "x\n");
  refused({"run", "--what", "curves", "--output", "d.svg"}, 1,
          "run/metrics.jsonl:1: this is no line that a run writes after the one before it. Put the log back as it was, "
          "or repeat the run.");
  CHECK(!fs::exists(folder / "d.svg"));
}

TEST_CASE("all pictures of a run are not drawn over a page of somebody's own") {
  const CliFolder folder;
  folder.trained();
  fs::create_directories(folder / "site");
  folder.write("site/index.html", "my own");
  check_refusal(run(folder, {"draw", "run", "--output", "site"}), 2,
                "site/index.html: this is no page of pictures that Harmonium wrote, and drawing would replace it. Name "
                "another folder, or choose a picture by --what.");
  CHECK(files_below(folder / "site") == Words{"index.html"});
  CHECK(content_of(folder / "site/index.html") == "my own");
}

}  // namespace curves_test
