#include <algorithm>
#include <limits>
#include <set>

#include <harmonium/framework/files/png.hpp>
#include <harmonium/tests/support/data.hpp>
#include <harmonium/tests/support/png.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace draw_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// Draws what the words say, and checks that the line printed is the picture's own.
ReadPng drawn(const ScratchFolder& folder, const Words& words, const std::string& output = "p.png") {
  Words all{"draw"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--output", output});
  const Outcome outcome = run(folder, all);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.err == "");
  ReadPng png = read_png(folder / output);
  CHECK(outcome.out == output + ": " + png.text("Description") + "\n");
  return png;
}

std::set<std::tuple<int, int, int>> colors(const ReadPng& png) {
  std::set<std::tuple<int, int, int>> all;
  for (const Color& c : png.image.pixels) all.insert({c.red, c.green, c.blue});
  return all;
}

}  // namespace

TEST_CASE("a run leaves its pictures, and the same ones on any number of threads and when it goes on") {
  const CliFolder folder;
  folder.trained();
  CHECK(run(folder, {"train", "small.toml", "--output", "two", "--threads", "2"}).status == 0);
  CHECK(run(folder, {"train", "small.toml", "--output", "parts", "--set", "training.checkpoint_every=1"}).status == 0);
  for (const char* file : {"model.h5", "checkpoints/8.h5", "checkpoints/6.h5"}) fs::remove(folder / "parts" / file);
  fs::remove_all(folder / "parts/pictures");
  CHECK(run(folder, {"train", "--resume", "parts"}).status == 0);
  for (const char* name : {"data", "filters", "chains", "reconstructions"}) {
    const std::string file = std::string("pictures/") + name + ".png";
    CAPTURE(file);
    CHECK(read_png(folder / "run" / file).image.width > 100);
    CHECK(content_of(folder / "run" / file) == content_of(folder / "two" / file));
    CHECK(content_of(folder / "run" / file) == content_of(folder / "parts" / file));
  }
  CHECK(like(read_png(folder / "run/pictures/filters.png").text("Description"),
             "5 of 5 filters of weight.visible.hidden; 3x3, from -* (blue) to * (red)"));
  CHECK(read_png(folder / "run/pictures/data.png").text("Description") ==
        "14 of 14 rows of the data; 3x3, from 0 (black) to 1 (white)");
}

TEST_CASE("[pictures] says which, how many and when, and changes no number") {
  const CliFolder folder;
  folder.trained();
  const auto train = [&](const char* output, const Words& settings) {
    Words words{"train", "small.toml", "--output", output};
    for (const std::string& s : settings) words.insert(words.end(), {"--set", s});
    return run(folder, words);
  };
  CHECK(train("none", {"pictures.which=[]"}).status == 0);
  CHECK(!fs::exists(folder / "none/pictures"));
  CHECK(content_of(folder / "none/metrics.jsonl") == content_of(folder / "run/metrics.jsonl"));
  CHECK(train("one", {"pictures.which=[\"chains\"]", "pictures.count=3", "pictures.gibbs_steps=4"}).status == 0);
  CHECK(files_below(folder / "one/pictures") == Words{"chains.png", "index.html"});
  CHECK(read_png(folder / "one/pictures/chains.png").text("Description") ==
        "3 chains from the data, 1 transitions between two columns; 3x3, from 0 (black) to 1 (white)");
  check_refusal(train("bad", {"pictures.which=[\"filtres\"]"}), 2,
                "*pictures: 'which' names 'filtres' (did you mean 'filters'?). Known: data, filters, chains, "
                "reconstructions, curves.");
  check_refusal(train("bad", {"pictures.which=[\"data\", \"data\"]"}), 2,
                "*pictures: 'which' names 'data' twice. Remove one.");
  CHECK(!fs::exists(folder / "bad"));
}

TEST_CASE("a run whose pictures cannot be written says so once and keeps everything else") {
  const CliFolder folder;
  fs::create_directories(folder / "run");
  folder.write("run/pictures", "a file");
  const Outcome outcome = run(folder, {"train", "small.toml", "--output", "run"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "harmonium: note: cannot create the folder */run/pictures: *. The run goes on without pictures.\n"));
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK(content_of(folder / "run/pictures") == "a file");
  CHECK(run(folder, {"evaluate", "run/model.h5"}).status == 0);
}

TEST_CASE("a disk that is full costs a run its pictures and nothing else") {
  const ScratchFolder folder;
  // Noise, which takes more as a picture than the one hidden unit's couplings as numbers.
  std::vector<double> noise;
  for (std::uint32_t i = 0, word = 1; i < 100 * 900; ++i, word = word * 1664525u + 1013904223u)
    noise.push_back(word >> 31);
  folder.write("d.npy", npy_bytes(100, 900, noise));
  const Words train{"train", "c.toml", "--output", "run"};
  folder.write(
      "c.toml",
      "data = { type = \"npy\", path = \"d.npy\" }\nmodel = { type = \"rbm\", num_visible = 900, num_hidden = 1 }\n"
      "estimator = { type = \"cd\" }\ntraining = { num_epochs = 2 }\n");
  const Outcome outcome = run(Surroundings{.folder = folder.path(), .longest_file = 17000}, train);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "*/run/pictures/data.png: cannot be written: File too large. The run goes on without pictures.\n"));
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK(files_below(folder / "run") == Words{"checkpoints", "checkpoints.jsonl", "config.toml", "final.jsonl",
                                             "metrics.jsonl", "model.h5", "model.h5.sha256", "pictures", "timing.jsonl",
                                             "verdict.txt"});
}

TEST_CASE("pictures that a folder holds already are not replaced without --overwrite") {
  const CliFolder folder;
  fs::create_directories(folder / "mine/pictures");
  folder.write("mine/pictures/filters.png", "mine");
  check_refusal(run(folder, {"train", "small.toml", "--output", "mine"}), 2,
                "--output */mine: the folder holds a run already (pictures/filters.png). *");
  CHECK(content_of(folder / "mine/pictures/filters.png") == "mine");
  CHECK(run(folder, {"train", "small.toml", "--output", "mine", "--overwrite", "--set", "pictures.which=[]"}).status ==
        0);
  CHECK(!fs::exists(folder / "mine/pictures"));
}

TEST_CASE("a model is drawn by its filters, exactly") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");  // 3 visible units: lines; weights to the two hidden: 0.5 1.5 -0.125, -1 0.25 2
  const ReadPng png = drawn(folder, {"m.h5"});
  CHECK(png.text("Description") == "2 of 2 filters of weight.visible.hidden; 1x3, from -2 (blue) to 2 (red)");
  REQUIRE(png.image.width == 3 * 16 + 2);
  REQUIRE(png.image.height == 2 * 16 + 3);
  CHECK(png.image(0, 0) == Color{96, 96, 96});
  CHECK(png.image(18, 1 + 32) == Color{103, 0, 31});    // 2
  CHECK(png.image(33, 48) == Color{103, 0, 31});        // to its last point
  CHECK(png.image(18, 1).blue > png.image(18, 1).red);  // -1
  CHECK(png.image(1, 1) == Color{251, 206, 182});       // 0.5: a quarter of the way from the second red to the third
}

TEST_CASE("data, samples in either form and model data are drawn alike, each bit where it belongs") {
  const CliFolder folder;
  folder.trained();
  const ReadPng data = drawn(folder, {"run", "--what", "data"});
  CHECK(content_of(folder / "p.png") == content_of(folder / "run/pictures/data.png"));
  CHECK(colors(data) == std::set<std::tuple<int, int, int>>{{0, 0, 0}, {255, 255, 255}, {48, 84, 150}});

  const Words sample{"sample", "run/model.h5", "--num-samples", "20", "--steps", "5", "--output"};
  for (const char* name : {"s.npy", "s.h5"}) {
    Words words = sample;
    words.push_back(name);
    CHECK(run(folder, words).status == 0);
  }
  CHECK(drawn(folder, {"s.npy"}, "a.png").image == drawn(folder, {"s.h5", "--what", "samples"}, "b.png").image);

  folder.write("d.idx", idx_bytes(2, 4, {0, 255, 0, 0, 255, 0, 51, 0}));
  const ReadPng idx = drawn(folder, {"d.idx", "--columns", "2", "--shape", "2x2"});
  CHECK(idx.text("Description") == "2 of 2 rows of d.idx; 2x2, from 0 (black) to 255 (white)");
  const Index side = (idx.image.height - 4) / 2;  // of a cell
  CHECK(idx.image(2, 2).red == 0);
  CHECK(idx.image(2, 2 + side) == Color{255, 255, 255});
  CHECK(idx.image(2, 4 + 2 * side) == Color{255, 255, 255});
  CHECK(idx.image(2 + side, 4 + 2 * side) == Color{51, 51, 51});
}

TEST_CASE("what is no number is drawn in a color of its own") {
  const ScratchFolder folder;
  folder.write("d.npy", npy_bytes(1, 4, {0.0, 1.0, std::numeric_limits<double>::quiet_NaN(), 0.5}));
  CHECK(colors(drawn(folder, {"d.npy"})).count({255, 0, 255}) == 1);
}

TEST_CASE(
    "samples, chains and reconstructions are the same each time, on any number of threads, and another seed's are "
    "not") {
  const CliFolder folder;
  folder.trained();
  for (const char* what : {"samples", "chains", "reconstructions"}) {
    CAPTURE(what);
    drawn(folder, {"run", "--what", what, "--threads", "1"}, "a.png");
    drawn(folder, {"run", "--what", what, "--threads", "2"}, "b.png");
    drawn(folder, {"run/model.h5", "--what", what, "--seed", "8"}, "c.png");
    CHECK(content_of(folder / "a.png") == content_of(folder / "b.png"));
    if (std::string(what) != "reconstructions") CHECK(content_of(folder / "a.png") != content_of(folder / "c.png"));
  }
  CHECK(drawn(folder, {"run", "--what", "chains", "--steps", "25", "--columns", "6", "--count", "4"})
            .text("Description") ==
        "4 chains from the data, 5 transitions between two columns; 3x3, from 0 (black) to 1 (white)");
}

TEST_CASE("all pictures of a run go to its folder or another, of a run without model.h5 from its latest checkpoint") {
  const CliFolder folder;
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--set", "training.checkpoint_every=2"}).status == 0);
  const Words names{"chains.png", "curves.svg",          "data.png",   "filters.png",
                    "index.html", "reconstructions.png", "samples.png"};
  const Outcome outcome = run(folder, {"draw", "run"});
  CHECK(outcome.status == 0);
  CHECK(std::ranges::count(outcome.out, '\n') == 6);
  CHECK(outcome.out.starts_with("run/pictures/data.png: 14 of 14 rows of the data; "));
  CHECK(files_below(folder / "run/pictures") == names);
  fs::remove(folder / "run/model.h5");
  const Outcome quiet = run(folder, {"draw", "run", "--output", "some/where", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.out == "");
  CHECK(files_below(folder / "some/where") == names);
  CHECK(content_of(folder / "some/where/filters.png") == content_of(folder / "run/pictures/filters.png"));
  // A model file that tells of no data.
  write_foreign_model(folder / "m.h5");
  CHECK(like(drawn(folder, {"m.h5", "--what", "chains", "--count", "2"}).text("Description"),
             "2 chains from the biases, *"));
}

TEST_CASE("real images are drawn from their gzipped file") {
  const auto images = data_file("mnist/t10k-images-idx3-ubyte.gz");
  if (!images) return;
  const ScratchFolder folder;
  const ReadPng png = drawn(folder, {images->string()});
  CHECK(png.text("Description") ==
        "100 of 10000 rows of t10k-images-idx3-ubyte.gz; 28x28, from 0 (black) to 255 (white)");
  CHECK(png.image.width == 582);
  CHECK(png.image.height == 582);
}

TEST_CASE("one picture of a run is that of its model, and all go to a folder") {
  const CliFolder folder;
  folder.trained();
  check_refusal(
      run(folder, {"draw", "run", "--output", "f.svg"}), 2,
      "--output f.svg: all pictures of a run go to a folder, and this is the name of a file. Name the picture "
      "that is meant, by --what curves, or give the name of a folder.");
  const Outcome of_run = run(folder, {"draw", "run", "--output", "f.png"});
  CHECK(of_run.status == 0);
  CHECK(of_run.err == "");
  CHECK(like(of_run.out, "f.png: 5 of 5 filters of weight.visible.hidden; *\n"));
  const Outcome of_model = run(folder, {"draw", "run/model.h5", "--output", "m.png"});
  CHECK(of_model.status == 0);
  CHECK(of_run.out.substr(1) == of_model.out.substr(1));
  CHECK(content_of(folder / "f.png") == content_of(folder / "m.png"));
  CHECK_FALSE(fs::exists(folder / "curves.svg"));
  check_refusal(run(folder, {"draw", "run", "--steps", "5", "--output", "f.png"}), 2,
                "--steps: it has no meaning for filters. *");
  // A folder is one, whatever its name.
  fs::create_directory(folder / "all.png");
  CHECK(run(folder, {"draw", "run", "--output", "all.png", "--quiet"}).status == 0);
  CHECK(fs::is_regular_file(folder / "all.png/filters.png"));
}

TEST_CASE("a picture that goes to a folder is called by its kind, and is the one that a name gives") {
  const CliFolder folder;
  folder.trained();
  folder.write("d.npy", npy_bytes(8, 15, bit_rows(8, 15)));
  fs::create_directory(folder / "all.png");  // a folder, whatever its name
  const auto same = [&](const Words& words, const std::string& name) {
    CAPTURE(name);
    const ReadPng png = drawn(folder, words, "named.png");
    Words all{"draw"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--output", "all.png"});
    const Outcome outcome = run(folder, all);
    CHECK(outcome.err == "");
    CHECK(outcome.out == "all.png/" + name + ": " + png.text("Description") + "\n");
    CHECK(content_of(folder / "named.png") == content_of(folder / "all.png" / name));
  };
  same({"run/model.h5"}, "filters.png");
  same({"run", "--what", "reconstructions"}, "reconstructions.png");
  same({"d.npy"}, "data.png");
  same({"d.npy", "--what", "samples"}, "samples.png");
  CHECK(files_below(folder / "all.png") == Words{"data.png", "filters.png", "reconstructions.png", "samples.png"});
  check_refusal(run(folder, {"draw", "run/model.h5", "--output", "none"}), 2,
                "--output none: pictures are written as *");
}

TEST_CASE("rows that a source makes are drawn, each once, and nothing else is a source") {
  const ScratchFolder folder;
  // Of two by two pixels: none, each row, each column, all.
  const ReadPng png = drawn(folder, {"bars_and_stripes:side=2", "--columns", "6"});
  CHECK(png.text("Description") == "6 of 6 rows of bars_and_stripes:side=2; 2x2, from 0 (black) to 1 (white)");
  std::set<std::string> tiles;
  const Index side = (png.image.height - 4) / 2;  // of a cell
  for (Index k = 0; k < 6; ++k) {
    std::string tile;
    for (Index y = 0; y < 2; ++y)
      for (Index x = 0; x < 2; ++x)
        tile += png.image(2 + y * side, 2 + k * (2 * side + 2) + x * side).red == 255 ? '1' : '0';
    tiles.insert(tile);
  }
  CHECK(tiles == std::set<std::string>{"0000", "0011", "0101", "1010", "1100", "1111"});
  CHECK(drawn(folder, {"bars_and_stripes", "--set", "data.side=2", "--columns", "6"}).image == png.image);
  const auto refused = [&](const std::string& what, std::string_view pattern) {
    check_refusal(run(folder, {"draw", what, "--output", "q.png"}), 2, pattern);
  };
  refused("bars_and_strips:side=2",
          "bars_and_strips:side=2: 'bars_and_strips' is no file and no source that makes its "
          "rows (did you mean 'bars_and_stripes'?)*");
  refused("bars_and_stripes:size=2", "*unknown option 'size'*");
  refused("none", "none: no such file or folder");
  check_refusal(run(folder, {"draw", "bars_and_stripes", "--what", "filters", "--output", "q.png"}), 2,
                "--what filters: bars_and_stripes holds rows of numbers, not a model. *");
  CHECK(files_below(folder.path()) == Words{"p.png"});
}

TEST_CASE("draw refuses what cannot be meant, before any work") {
  const CliFolder folder;
  folder.trained();
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 15, bit_rows(8, 15)));
  folder.write("text.txt", "no data");
  folder.write("file", "text");
  fs::create_directories(folder / "empty");
  const Words before = files_below(folder.path());
  const auto refused = [&](Words words, int status, std::string_view pattern) {
    words.insert(words.begin(), "draw");
    check_refusal(run(folder, words), status, pattern);
  };
  const auto to_png = [](Words words) {
    words.insert(words.end(), {"--output", "p.png"});
    return words;
  };
  refused({}, 2, "draw: WHAT is missing. See 'harmonium draw --help'.");
  refused({"none.h5"}, 2, "none.h5: no such file or folder");
  refused({"empty"}, 2, "empty: a folder without model.h5 and without checkpoints. Name *");
  refused({"m.h5"}, 2, "draw: --output FILE.png is missing; *");
  refused({"d.npy", "--output", "p.jpg"}, 2,
          "--output p.jpg: pictures are written as .png. Give a name that ends so, or a folder that exists.");
  refused({"m.h5", "--output", "none/p.png"}, 1, "--output none/p.png: there is no folder none. Create it first.");
  refused({"run", "--what", "samples", "--steps", "100000000000", "--output", "none/p.png"}, 1,
          "--output none/p.png: there is no folder none. Create it first.");
  refused({"run", "--output", "file"}, 2, "--output file: a file of this name exists, and *");
  refused(to_png({"m.h5", "--what", "filtres"}), 2,
          "--what filtres: there is no such picture (did you mean 'filters'?). *");
  refused(to_png({"d.npy", "--what", "filters"}), 2, "--what filters: d.npy holds rows of numbers, not a model. *");
  refused(to_png({"d.npy", "--steps", "5"}), 2, "--steps: it has no meaning for a file of data. *");
  refused(to_png({"d.npy", "--set", "sampler.tile=2"}), 2, "*this command takes settings of data only.");
  refused(to_png({"d.npy:scale"}), 2, "d.npy:scale: 'scale' is no KEY=VALUE. *");
  refused(to_png({"none.npy:scale=2"}), 2, "none.npy:scale=2: no such file or folder");
  refused(to_png({"m.h5", "--steps", "5"}), 2,
          "--steps: it has no meaning for filters. Leave it out, or draw samples or chains of a model.");
  refused(to_png({"m.h5", "--sampler", "gibbs"}), 2, "--sampler: it has no meaning for filters. *");
  refused(to_png({"m.h5", "--data", "d.npy"}), 2, "--data: it has no meaning for filters. *");
  refused(to_png({"m.h5", "--set", "data.scale=2"}), 2, "--set data.scale=2: filters have no options to set. *");
  refused(to_png({"m.h5", "--what", "samples", "--tensor", "bias.visible"}), 2,
          "--tensor: it has no meaning for samples. *");
  refused(to_png({"m.h5", "--what", "samples", "--sampler", "gibs"}), 2,
          "--sampler gibs: sampler 'gibs' is not registered*");
  refused(to_png({"m.h5", "--what", "samples", "--set", "data.scale=2"}), 2,
          "*this command takes settings of sampler only.");
  refused(to_png({"m.h5", "--what", "data"}), 2,
          "--what data: m.h5 does not say which data it was trained on. Give --data FILE.");
  refused(to_png({"m.h5", "--what", "data", "--data", "d.npy"}), 2, "[data] * has 15 columns, but the model has 3 *");
  refused(
      to_png({"m.h5", "--tensor", "weight.visible.hiden"}), 2,
      "--tensor weight.visible.hiden: the model has no such tensor (did you mean 'weight.visible.hidden'?). Known: *");
  refused(to_png({"d.npy", "--shape", "4x4"}), 2,
          "--shape 4x4: that is 16 values, but a vector here has 15. Give two numbers whose product is 15, or 15 alone "
          "for lines.");
  for (const char* shape : {"4x", "x", "3x0", "-3x5", "3 x 5", "3x5x1"})
    refused(to_png({"d.npy", "--shape", shape}), 2,
            std::string("--shape ") + shape + ": this is no shape. Write HEIGHTxWIDTH, *");
  for (const char* option : {"--count", "--columns"})
    refused(to_png({"d.npy", option, "0"}), 2, std::string(option) + ": '0' is not allowed: *");
  refused(to_png({"run", "--what", "samples", "--count", "10000000", "--steps", "100000000000"}), 2,
          "the picture would have * x * points, and the most is 50 million. Draw fewer.");
  refused(to_png({"text.txt"}), 1, "text.txt: no known kind of data file*");
  folder.write("s.npy", content_of(folder / "d.npy").substr(0, 300));
  refused(to_png({"s.npy"}), 1, "s.npy: *");
  std::string damaged = content_of(folder / "m.h5");
  damaged.resize(damaged.size() / 2);
  folder.write("s.npy", damaged);
  refused(to_png({"s.npy"}), 1, "s.npy: *");
  fs::remove(folder / "s.npy");
  CHECK(files_below(folder.path()) == before);
}

TEST_CASE("a disk that is full leaves an older picture as it was") {
  const ScratchFolder folder;
  folder.write("d.npy", npy_bytes(64, 64, bit_rows(64, 64)));
  folder.write("p.png", "old");
  check_refusal(run(Surroundings{.folder = folder.path(), .longest_file = 200}, {"draw", "d.npy", "--output", "p.png"}),
                1, "p.png: cannot be written: File too large");
  CHECK(content_of(folder / "p.png") == "old");
  CHECK(files_below(folder.path()) == Words{"d.npy", "p.png"});
}

TEST_CASE("a model file tells the shape of the data, and a run that goes on may draw other pictures") {
  const CliFolder folder;
  std::string images("\0\0\x08\x03\0\0\0\x04\0\0\0\x02\0\0\0\x03", 16);  // 4 images of 2 x 3
  for (int i = 0; i < 24; ++i) images += static_cast<char>(i * i % 5 < 2);
  folder.write("d.idx", images);
  const Words train{"train",    "small.toml",
                    "--output", "run",
                    "--set",    "data={type=\"idx\", path=\"d.idx\"}",
                    "--set",    "model.num_visible=6",
                    "--set",    "training={num_epochs=2, checkpoint_every=1}"};
  const Outcome outcome = run(folder, train);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(like(drawn(folder, {"run/model.h5"}).text("Description"), "5 of 5 filters of weight.visible.hidden; 2x3, *"));
  CHECK(like(drawn(folder, {"run/checkpoints/1.h5"}).text("Description"), "*; 2x3, *"));
  CHECK(like(drawn(folder, {"d.idx"}).text("Description"), "4 of 4 rows of d.idx; 2x3, *"));

  fs::remove_all(folder / "run/pictures");
  for (const char* file : {"model.h5", "checkpoints/2.h5"}) fs::remove(folder / "run" / file);
  std::string config = content_of(folder / "run/config.toml");
  const std::string which = "which = [\"data\", \"filters\", \"chains\", \"reconstructions\", \"curves\"]";
  REQUIRE(config.find(which) != std::string::npos);
  folder.write("run/config.toml", config.replace(config.find(which), which.size(), "which = [\"filters\"]"));
  CHECK(run(folder, {"train", "--resume", "run"}).status == 0);
  CHECK(files_below(folder / "run/pictures") == Words{"filters.png", "index.html"});
}

}  // namespace draw_test
