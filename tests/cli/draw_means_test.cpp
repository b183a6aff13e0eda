// Pictures of gray values beside the probabilities of classes, as completed rows have them, and bits that are made of the values alone.
#include <harmonium/tests/support/png.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"

namespace draw_means_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A run on four gray values from 0 to 255 and one of three classes, whose model takes bits of them.
class OfGrayRows : public ScratchFolder {
 public:
  explicit OfGrayRows(const std::string& units = "binary") {
    write("rows.csv", "10,0,20,255,0\n0,30,200,255,0\n255,180,0,0,1\n220,255,240,0,1\n0,255,255,7,2\n255,9,0,255,2\n");
    write("c.toml",
          fmt::format("data = {{ type = \"csv\", path = \"rows.csv\", label_column = \"last\", binarize = "
                      "\"threshold\", range = [0, 255] }}\n"
                      "model = {{ type = \"rbm\", num_visible = 4, num_hidden = 6, num_labels = 3, visible_units = "
                      "\"{}\" }}\nestimator = {{ type = \"cd\" }}\ntraining = {{ num_epochs = 2 }}\n",
                      units));
    REQUIRE(run(*this, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
    // 0.2 and 0.8 are whole gray levels, which no precision rounds to another one.
    write("means.csv", "0.2,0.8,0,1,0.2,0.7,0.1\n0.8,0.2,1,0,0.4,0.35,0.25\n");
    write("gray.csv", "10,200,0,255,0,1,0\n200,10,255,0,1,0,0\n");
    write("bits.csv", "0,1,0,1,0,1,0\n1,0,1,0,1,0,0\n");
  }
  Image drawn(const Words& words) const {
    Words all{"draw"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--columns", "2", "--output", "p.png"});
    const Outcome outcome = run(*this, all);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return read_png(*this / "p.png").image;
  }
  std::string features(const std::string& rows, const Words& more = {}) const {
    Words words{"transform", "run", rows, "--given-label", "--output", "features.csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(*this, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return content_of(*this / "features.csv");
  }
};

}  // namespace

TEST_CASE("probabilities of classes behind the values of a shape are left out of a picture, and the likeliest told") {
  const ScratchFolder folder;
  std::vector<double> values{0.1, 0.9, 0, 1, 0.2, 0.7, 0.1, 0.9, 0.2, 1, 0, 0.4, 0.35, 0.25};
  folder.write("means.npy", npy_bytes(2, 7, values));
  folder.write("means.csv", "a,b,c,d,label=x,label=y,label=z\n0.1,0.9,0,1,0.2,0.7,0.1\n0.9,0.2,1,0,0.4,0.35,0.25\n");
  folder.write("alone.npy", npy_bytes(2, 4, {0.1, 0.9, 0, 1, 0.9, 0.2, 1, 0}));
  REQUIRE(run(folder, {"draw", "alone.npy", "--shape", "2x2", "--columns", "2", "--output", "q.png"}).status == 0);
  for (const char* file : {"means.npy", "means.csv"}) {
    CAPTURE(file);
    const Outcome drawn = run(folder, {"draw", file, "--shape", "2x2", "--columns", "2", "--output", "p.png"});
    CHECK(drawn.out ==
          fmt::format("p.png: 2 of 2 rows of {}; 2x2, from 0 (black) to 1 (white); classes from the top left: 1 0\n",
                      file));
    CHECK(drawn.err ==
          fmt::format("harmonium: note: {}: the last 3 columns hold probabilities of classes, the likeliest of each "
                      "row, which the line of the picture tells.\n",
                      file));
    CHECK(read_png(folder / "p.png").image == read_png(folder / "q.png").image);
  }
  values[6] = 0.2;  // they sum to 1.1
  folder.write("other.npy", npy_bytes(2, 7, values));
  check_refusal(run(folder, {"draw", "other.npy", "--shape", "2x2", "--output", "p.png"}), 2,
                "--shape 2x2: that is 4 values, but a vector here has 7. *");
}

TEST_CASE("gray values are drawn as data of a run that makes bits by the setting that its refusal names") {
  const OfGrayRows folder;
  check_refusal(run(folder, {"draw", "run", "--what", "data", "--data", "means.csv", "--output", "p.png"}), 2,
                "*fractions between 0 and 1 are on another scale, and nearly all bits would be 0. Gray values, such as "
                "means, are taken as they are by --set data.binarize=none. *");
  const Image gray = folder.drawn({"means.csv", "--shape", "2x2"});
  CHECK(folder.drawn({"run", "--what", "data", "--data", "means.csv", "--set", "data.binarize=none"}) == gray);
  const Image bits = folder.drawn({"bits.csv", "--shape", "2x2"});
  CHECK(bits != gray);
  // Of the second row no probability is above the middle: as bits these would be no class.
  CHECK(folder.drawn({"run", "--what", "data", "--data", "means.csv", "--set", "data.range=[0, 1]"}) == bits);
  CHECK(folder.drawn({"run", "--what", "data", "--data", "gray.csv"}) == bits);
}

TEST_CASE("bits are made of values, and columns of classes beside them stay what they are") {
  const OfGrayRows folder;
  CHECK(folder.features("gray.csv") == folder.features("bits.csv"));
  folder.write("others.csv", "0,1,0,1,1,0,0\n1,0,1,0,0,0,1\n");
  CHECK(folder.features("gray.csv") != folder.features("others.csv"));
  // As the model takes them without bits made of anything.
  folder.write("probable.csv", "0,1,0,1,0.2,0.7,0.1\n1,0,1,0,0.4,0.35,0.25\n");
  CHECK(folder.features("means.csv", {"--set", "data.range=[0, 1]"}) ==
        folder.features("probable.csv", {"--set", "data.binarize=none"}));
  check_refusal(
      run(folder, {"transform", "run", "gray.csv", "--set", "data.binarize=each_epoch", "--output", "x.csv"}), 2,
      "[data] *gray.csv: columns 4 to 6 are classes, as given or as probabilities, and no bits are drawn of these anew "
      "each epoch (data.binarize = \"each_epoch\"). Take the rows as they are by --set data.binarize=none, or *");
  CHECK(folder.features("bits.csv", {"--set", "data.binarize=each_epoch"}) == folder.features("bits.csv"));
}

TEST_CASE("spins are made of values, and columns of classes beside them stay what they are") {
  const OfGrayRows folder("spin");
  CHECK(folder.features("gray.csv") == folder.features("bits.csv"));
  folder.write("others.csv", "0,1,0,1,1,0,0\n1,0,1,0,0,0,1\n");
  CHECK(folder.features("gray.csv") != folder.features("others.csv"));
}

}  // namespace draw_means_test
