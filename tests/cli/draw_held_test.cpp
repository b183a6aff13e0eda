#include <algorithm>
#include <cmath>
#include <set>

#include <harmonium/framework/pictures/tiles.hpp>
#include <harmonium/tests/support/png.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace draw_held_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

ReadPng drawn(const ScratchFolder& folder, const Words& words, const std::string& output = "p.png") {
  Words all{"draw", "m.h5"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--output", output});
  const Outcome outcome = run(folder, all);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err == "");
  return read_png(folder / output);
}

/// The gray value of a cell of an item, of tiles of one line of three.
int gray(const ReadPng& png, const Grid& grid, Index item, Index cell) {
  return png.image(grid.top(item, 0), grid.left(item) + cell * grid.scale_x).red;
}

/// The gray values that E[v_i | h] has over the states of the hidden units.
std::set<int> grays_of_means(unsigned unit) {
  std::set<int> grays;
  for (unsigned h = 0; h < 4; ++h) {
    const double odds = std::exp(foreign_energy(0, h) - foreign_energy(1u << unit, h));
    for (const int rounding : {-1, 0, 1})
      grays.insert(static_cast<int>(std::lround(255.0 * odds / (1.0 + odds))) + rounding);
  }
  return grays;
}

}  // namespace

TEST_CASE("samples of units that go through their states have a row a state, and free units show their means") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const ReadPng png = drawn(folder, {"--what", "samples", "--clamp", "visible[1]=each", "--steps", "20"});
  CHECK(png.text("Description") ==
        "20 samples after 20 transitions, means of the visible units given the hidden ones and no draws, held: "
        "visible[1]=each, a row a "
        "state; 1x3, from 0 (black) to 1 (white)");
  const Grid grid = plan_grid(20, {1, 3}, 10);
  REQUIRE(png.image.width == grid.width());
  REQUIRE(png.image.height == grid.height());
  const std::set<int> means = grays_of_means(2);
  for (Index item = 0; item < 20; ++item) {
    CHECK(gray(png, grid, item, 1) == (item < 10 ? 0 : 255));
    CHECK(means.contains(gray(png, grid, item, 2)));
  }
  CHECK(gray(png, grid, 3, 2) > 0);  // and no bits
  CHECK(gray(png, grid, 3, 2) < 255);
}

TEST_CASE("samples of a model without hidden units are draws, and are said to be no means") {
  const ScratchFolder folder;
  write_torus(folder, 3);
  const Outcome outcome = run(folder, {"draw", "ising.h5", "--what", "samples", "--steps", "5", "--output", "s.png"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(like(outcome.out, "s.png: * samples after 5 transitions; 3x3, *"));
}

TEST_CASE("the number of samples a state follows what is asked for") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto said = [&](const Words& words) {
    Words all{"--what", "samples", "--clamp", "hidden[0]=each", "--steps", "5"};
    all.insert(all.end(), words.begin(), words.end());
    const ReadPng png = drawn(folder, all);
    return png.text("Description").substr(0, 3) + std::to_string(png.image.width);
  };
  const auto expected = [](Index items, Index columns) {
    return (std::to_string(items) + " s").substr(0, 3) + std::to_string(plan_grid(items, {1, 3}, columns).width());
  };
  CHECK(said({"--count", "7"}) == expected(6, 3));
  CHECK(said({"--columns", "4"}) == expected(8, 4));
  CHECK(said({"--columns", "4", "--count", "100"}) == expected(8, 4));
}

TEST_CASE("held units and rows are drawn as samples and chains, the same ones on any number of threads") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("rows.csv", "1,nan,0\nnan,1,nan\n");
  for (const char* what : {"samples", "chains"}) {
    CAPTURE(what);
    const Words words{"--what", what, "--clamp", "rows.csv", "--count", "6", "--columns", "6", "--steps", "10"};
    Words two = words;
    two.insert(two.end(), {"--threads", "2"});
    const ReadPng png = drawn(folder, words);
    drawn(folder, two, "q.png");
    CHECK(content_of(folder / "p.png") == content_of(folder / "q.png"));
    CHECK(png.text("Description").find(", held: rows.csv") != std::string::npos);
    const bool chains = std::string(what) == "chains";
    const Grid grid = plan_grid(chains ? 36 : 6, {1, 3}, 6);
    for (Index item = 0; item < grid.items; ++item) {
      const Index row = (chains ? item / 6 : item) % 2;
      if (row == 0) CHECK(gray(png, grid, item, 0) == 255);
      if (row == 0) CHECK(gray(png, grid, item, 2) == 0);
      if (row == 1) CHECK(gray(png, grid, item, 1) == 255);
    }
  }
  // All pictures of a run take it, too.
  const CliFolder other;
  other.trained();
  const Outcome all = run(other, {"draw", "run", "--clamp", "visible[0:3]=1", "--output", "held"});
  CHECK(all.status == 0);
  for (const char* name : {"samples", "chains"})
    CHECK(
        read_png(other / ("held/" + std::string(name) + ".png")).text("Description").find(", held: visible[0:3]=1;") !=
        std::string::npos);
}

TEST_CASE("a class a row, of a model with labels") {
  const ScratchFolder folder;
  folder.write("rows.csv", "0,0,0,1,0\n0,0,1,1,0\n1,1,0,0,1\n1,1,1,0,1\n0,1,1,0,2\n1,0,0,1,2\n");
  folder.write("c.toml",
               "data = { type = \"csv\", path = \"rows.csv\", label_column = \"last\" }\n"
               "model = { type = \"rbm\", num_visible = 4, num_hidden = 6, num_labels = 3 }\n"
               "estimator = { type = \"cd\" }\ntraining = { num_epochs = 2 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  fs::rename(folder / "run/model.h5", folder / "m.h5");
  CHECK(drawn(folder, {"--what", "samples", "--clamp", "label=each", "--count", "12"}).text("Description") ==
        "12 samples after 1000 transitions, means of the visible units given the hidden ones and no draws, held: "
        "label=each, a row a "
        "state; 2x2, from 0 (black) to 1 (white)");
}

TEST_CASE("draw refuses what cannot be held") {
  const CliFolder folder;
  folder.trained();
  write_foreign_model(folder / "m.h5");
  folder.write("g.toml",
               "data = { type = \"bars_and_stripes\", side = 3 }\n"
               "model = { type = \"rbm\", num_visible = 9, num_hidden = 2, hidden_units = \"gaussian\" }\n"
               "estimator = { type = \"cd\" }\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "g.toml", "--output", "g", "--quiet"}).status == 0);
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  const auto refused = [&](Words words, std::string_view pattern) {
    words.insert(words.begin(), "draw");
    words.insert(words.end(), {"--output", "p.png"});
    check_refusal(run(folder, words), 2, pattern);
    CHECK(!fs::exists(folder / "p.png"));
  };
  refused({"m.h5", "--clamp", "visible=1"},
          "--clamp: it has no meaning for filters. Leave it out, or draw samples or chains of a model.");
  refused({"d.npy", "--clamp", "visible=1"}, "--clamp: it has no meaning for a file of data. *");
  refused({"m.h5", "--what", "samples", "--clamp", "visable=1"},
          "--clamp visable=1: the model has no layer 'visable' *");
  refused({"m.h5", "--what", "samples", "--clamp", "visible=each", "--count", "1"},
          "--count 1: units are held in each of 2 states, and each has a row of samples. Ask for 2 or more.");
  refused({"g", "--what", "samples", "--clamp", "hidden=each"},
          "--clamp hidden=each: a gaussian unit of layer 'hidden' has no states to go through. Give a number.");
  refused({"m.h5", "--what", "samples", "--clamp", "none.csv"}, "*none.csv*no such file*");
  refused({"m.h5", "--what", "samples", "--clamp", "visible=1", "--set", "data.binarize=threshold"},
          "*this command takes settings of sampler only.");
  refused({"m.h5", "--what", "samples", "--clamp", "visible[0]=1", "--sampler", "exact", "--set", "sampler.max_bits=0"},
          "sampler 'exact': enumeration of the units that are free *");
}

}  // namespace draw_held_test
