// Pictures of tables with columns of several kinds, of rows with holes, and of samples with labels.
#include <cmath>

#include <harmonium/framework/pictures/tiles.hpp>
#include <harmonium/tests/support/png.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"

namespace draw_table_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index num_rows = 12;
constexpr const char* all_layers =
    "layers binary (1), real (1), categorical3 (3) side by side; 1x5, each cell from the least (black) to the "
    "greatest (white) value that its unit takes or, where that has no bound, that is drawn in it";

/// A run on a table of a number, a word of two and a word of three, each of which follows from the row.
class Mixed : public ScratchFolder {
 public:
  explicit Mixed(bool holes) {
    std::string text = "height,sick,kind\n";
    for (Index i = 0; i < num_rows; ++i)
      text += fmt::format("{},{},{}\n", holes && i == 0 ? "" : fmt::format("{}.5", i * i), i % 2 == 0 ? "no" : "yes",
                          "abc"[i % 3]);
    write("t.csv", text);
    write("t.toml",
          "data = { type = \"table\", path = \"t.csv\", missing = \"nan\" }\n"
          "model = { type = \"mixed\", num_hidden = 4 }\nestimator = { type = \"pcd\", num_chains = 12 }\n"
          "training = { num_epochs = 2, batch_size = 12 }\n");
    REQUIRE(run(*this, {"train", "t.toml", "--output", "run", "--quiet"}).status == 0);
  }
  ReadPng drawn(const Words& more) const {
    Words words{"draw", "run", "--output", "p.png", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(*this, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return read_png(*this / "p.png");
  }
};

/// The gray value of a cell of an item.
int gray(const ReadPng& png, Index item, Index cell) {
  const Grid grid = plan_grid(num_rows, {1, 5});
  REQUIRE(png.image.width == grid.width());
  return png.image(grid.top(item, 0), grid.left(item) + cell * grid.scale_x).red;
}

}  // namespace

TEST_CASE("of a table of several kinds all observed columns of a row are drawn in one strip") {
  const Mixed folder(false);
  const ReadPng data = folder.drawn({"--what", "data"});
  CHECK(data.text("Description") == std::string("12 of 12 rows of the data, ") + all_layers);
  CHECK(content_of(folder / "p.png") == content_of(folder / "run/pictures/data.png"));
  for (Index i = 0; i < num_rows; ++i) {
    CAPTURE(i);
    CHECK(gray(data, i, 0) == (i % 2 == 0 ? 0 : 255));
    CHECK(gray(data, i, 1) == std::lround(255.0 * static_cast<double>(i * i) / 121.0));
    for (Index k = 0; k < 3; ++k) CHECK(gray(data, i, 2 + k) == (i % 3 == k ? 255 : 0));
  }
  for (const char* what : {"samples", "chains", "reconstructions"}) {
    CAPTURE(what);
    CHECK(like(folder.drawn({"--what", what}).text("Description"), std::string("*, ") + all_layers));
  }
  CHECK(
      like(folder.drawn({"--what", "filters"}).text("Description"),
           "4 of 4 filters of weight.categorical3.hidden (of other layers: weight.binary.hidden, weight.real.hidden); "
           "1x3, from -* (blue) to * (red)"));
}

TEST_CASE("one layer of several is drawn where the shape has its size, and named") {
  const Mixed folder(false);
  CHECK(folder.drawn({"--what", "data", "--shape", "3"}).text("Description") ==
        "12 of 12 rows of the data, layer 'categorical3' alone; 1x3, from 0 (black) to 1 (white)");
  check_refusal(
      run(folder, {"draw", "run", "--what", "data", "--shape", "2x2", "--output", "q.png"}), 2,
      "--shape 2x2: that is 4 values, but a vector here has 5. Give two numbers whose product is 5, or 5 alone "
      "for lines.");
}

TEST_CASE("a run on rows with holes is drawn, with the column's mean in each") {
  const Mixed folder(true);
  const std::string trained = content_of(folder / "run/pictures/data.png");
  const Outcome all = run(folder, {"draw", "run"});
  REQUIRE_MESSAGE(all.status == 0, all.err);
  for (const char* name : {"data", "filters", "reconstructions", "samples", "chains"})
    CHECK(all.out.find(fmt::format("run/pictures/{}.png: ", name)) != std::string::npos);
  CHECK(content_of(folder / "run/pictures/data.png") == trained);
  const ReadPng data = read_png(folder / "run/pictures/data.png");
  CHECK(data.text("Description") ==
        std::string("12 of 12 rows of the data with column means for what is missing, ") + all_layers);
  // The others are i² + 0.5, i from 1 to 11.
  CHECK(gray(data, 0, 1) == std::lround(255.0 * (46.5 - 1.5) / 120.0));
  CHECK(gray(data, 0, 2) == 255);
}

TEST_CASE("a table of words is no picture, and what shows it is told") {
  const ScratchFolder folder;
  folder.write("people.csv", "id,height\np0,1.5\np1,2.5\n");
  check_refusal(
      run(folder, {"draw", "people.csv", "--output", "p.png"}), 1,
      "people.csv:2: field 1 ('id'): 'p0' is no number. Pictures are of numbers; a table with words is shown by "
      "'harmonium inspect people.csv', and its rows as a model takes them by 'harmonium draw RUN --what data'.");
}

TEST_CASE("samples of a model with labels are drawn without these as data of their run, or with their classes told") {
  const ScratchFolder folder;
  folder.write("rows.csv", "0,0,0,1,0\n0,0,1,1,0\n1,1,0,0,1\n1,1,1,0,1\n0,1,1,0,2\n1,0,0,1,2\n");
  folder.write("c.toml",
               "data = { type = \"csv\", path = \"rows.csv\", label_column = \"last\" }\n"
               "model = { type = \"rbm\", num_visible = 4, num_hidden = 6, num_labels = 3 }\n"
               "estimator = { type = \"cd\" }\ntraining = { num_epochs = 2 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  for (const char* file : {"s.npy", "s.csv"}) {
    CAPTURE(file);
    REQUIRE(run(folder, {"sample", "run", "--num-samples", "5", "--steps", "3", "--output", file}).status == 0);
    CHECK(run(folder, {"draw", "run", "--what", "data", "--data", file, "--output", "p.png"}).out ==
          "p.png: 5 of 5 rows of the data; 2x2, from 0 (black) to 1 (white)\n");
    const Outcome drawn = run(folder, {"draw", file, "--shape", "2x2", "--output", "q.png"});
    CHECK(like(drawn.out, fmt::format("q.png: 5 of 5 rows of {}; 2x2, from 0 (black) to 1 (white); classes from the "
                                      "top left: *\n",
                                      file)));
    CHECK(drawn.err == fmt::format("harmonium: note: {}: the last 3 columns hold one class a row, which the line of "
                                   "the picture tells.\n",
                                   file));
    CHECK(read_png(folder / "q.png").image == read_png(folder / "p.png").image);
    const Outcome unasked = run(folder, {"draw", file, "--output", "r.png"});
    CHECK(like(unasked.out, fmt::format("r.png: 5 of 5 rows of {}; 2x2, *; classes from the top left: *\n", file)));
    CHECK(unasked.err == fmt::format("harmonium: note: {}: the last 3 columns hold one class a row, which the line of "
                                     "the picture tells. --shape 7 draws them as pixels, too.\n",
                                     file));
    CHECK(read_png(folder / "r.png").image == read_png(folder / "q.png").image);
    CHECK(run(folder, {"draw", file, "--shape", "1x7", "--output", "p.png"}).err.empty());
    check_refusal(run(folder, {"draw", file, "--shape", "6", "--output", "p.png"}), 2,
                  "--shape 6: that is 6 values, but a vector here has 7. *");
  }
}

TEST_CASE(
    "what is behind the values of a shape is taken for classes where it is one-hot in every row, and there alone") {
  const ScratchFolder folder;
  std::vector<double> values{0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0};
  folder.write("s.npy", npy_bytes(3, 7, values));
  CHECK(run(folder, {"draw", "s.npy", "--shape", "2x2", "--columns", "2", "--output", "p.png"}).out ==
        "p.png: 3 of 3 rows of s.npy; 2x2, from 0 (black) to 1 (white); classes from the top left: 2 0, 1\n");
  folder.write("first.npy", npy_bytes(3, 4, {0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0}));
  CHECK(run(folder, {"draw", "first.npy", "--shape", "2x2", "--columns", "2", "--output", "q.png"}).status == 0);
  CHECK(read_png(folder / "p.png").image == read_png(folder / "q.png").image);
  values[13] = 1.0;  // the second row has two
  folder.write("t.npy", npy_bytes(3, 7, values));
  check_refusal(
      run(folder, {"draw", "t.npy", "--shape", "2x2", "--output", "p.png"}), 2,
      "--shape 2x2: that is 4 values, but a vector here has 7. Give two numbers whose product is 7, or 7 alone "
      "for lines. Of samples of a model with labels, 'harmonium draw RUN --what data --data t.npy' leaves these "
      "out.");
}

TEST_CASE(
    "without a shape no classes are looked for in states of units, nor in few bits, nor in what is no class in some "
    "row") {
  const ScratchFolder folder;
  // Four units of three states: the last three columns are one-hot, and so are the three in front of them.
  std::vector<double> states;
  for (Index i = 0; i < 24; ++i)
    for (Index k = 0; k < 3; ++k) states.push_back((i * i / 3) % 3 == k ? 1.0 : 0.0);
  folder.write("states.npy", npy_bytes(6, 12, states));
  folder.write("bits.npy", npy_bytes(6, 6, {0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1,
                                            1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1}));
  folder.write("few.npy", npy_bytes(2, 6, {0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1}));
  for (const auto& [file, columns] : {std::pair("states.npy", 12), std::pair("bits.npy", 6), std::pair("few.npy", 6)}) {
    const Outcome drawn = run(folder, {"draw", file, "--output", "p.png"});
    CHECK(like(drawn.out, fmt::format("p.png: * rows of {}; 1x{}, from 0 (black) to 1 (white)\n", file, columns)));
    CHECK(drawn.err.empty());
  }
}

}  // namespace draw_table_test
