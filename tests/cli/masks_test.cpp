#include <fstream>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace masks_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

const char* const ring = R"(
[data]
type = "npy"
path = "rows.npy"
[model]
type = "fully_visible"
num_visible = 6
[[model.masks]]
coupling = "visible.visible"
edges = "ring.txt"
[estimator]
type = "pcd"
num_chains = 20
[optimizer]
type = "sgd"
learning_rate = 0.5
[training]
batch_size = 16
num_epochs = 3
)";

void write_files(const std::filesystem::path& folder) {
  std::vector<std::uint8_t> rows;
  for (Index r = 0; r < 64; ++r)
    for (Index c = 0; c < 6; ++c) rows.push_back((r >> (c / 2)) & 1);
  write_npy(folder / "rows.npy", MatrixView<const std::uint8_t>{rows.data(), 64, 6, 6});
  std::ofstream edges(folder / "ring.txt");
  edges << "6 6\n";
  for (int i = 1; i <= 6; ++i) edges << i << " " << i % 6 + 1 << " 1\n";
}

bool on_ring(Index i, Index j) { return (i + 1) % 6 == j || (j + 1) % 6 == i; }

}  // namespace

TEST_CASE("only the couplings of a mask are learned, stored, and gone on with where the mask's file is gone") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "settings");
  write_files(folder / "settings");
  std::ofstream(folder / "settings" / "run.toml") << ring;
  // Files are named from the folder of the configuration.
  REQUIRE(run(folder, {"train", "settings/run.toml", "--output", "out", "--quiet"}).status == 0);
  {
    const Hdf5File file = Hdf5File::open(folder / "out" / "model.h5");
    const auto mask = file.read<std::uint8_t>("parameters/mask.visible.visible").values;
    const auto weights = file.read<double>("parameters/weight.visible.visible").values;
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < 6; ++j) {
        CHECK(mask[i * 6 + j] == (on_ring(i, j) ? 1 : 0));
        CHECK((weights[i * 6 + j] != 0.0) == on_ring(i, j));
      }
  }
  std::filesystem::remove(folder / "settings" / "ring.txt");
  for (const Words& words :
       {Words{"sample", "out/model.h5", "--output", "samples.npy", "--num-samples", "10", "--steps", "20"},
        Words{"evaluate", "out/model.h5", "--data", "settings/rows.npy", "--log-z", "exact"}}) {
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("a mask between two layers is a matrix of 0 and 1") {
  const ScratchFolder folder;
  write_files(folder.path());
  const std::vector<std::uint8_t> matrix{1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0};
  write_npy(folder / "matrix.npy", MatrixView<const std::uint8_t>{matrix.data(), 6, 2, 2});
  const std::string common = R"(
[data]
type = "npy"
path = "rows.npy"
[estimator]
type = "cd"
centering = true
[training]
num_epochs = 2
[model]
type = "rbm"
num_visible = 6
num_hidden = 2
)";
  std::ofstream(folder / "run.toml") << common
                                     << "[[model.masks]]\ncoupling = \"visible.hidden\"\nmatrix = \"matrix.npy\"\n";
  REQUIRE(run(folder, {"train", "run.toml", "--output", "out", "--quiet"}).status == 0);
  {
    const Hdf5File file = Hdf5File::open(folder / "out" / "model.h5");
    const auto weights = file.read<double>("parameters/weight.visible.hidden").values;
    for (Index i = 0; i < 12; ++i) CHECK((weights[i] != 0.0) == (matrix[i] != 0));
  }

  const auto refused = [&](const std::string& masks) {
    std::ofstream(folder / "run.toml") << common << masks;
    const Outcome outcome = run(folder, {"train", "run.toml", "--output", "refused"});
    CHECK(outcome.status == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "refused"));
    return outcome.err;
  };
  const auto mask = [](const std::string& rest) { return "[[model.masks]]\n" + rest; };
  CHECK(like(
      refused(mask("coupling = \"visible.hiden\"\nmatrix = \"matrix.npy\"\n")),
      "*run.toml:*'masks' names the coupling 'visible.hiden' (did you mean 'visible.hidden'?), which the model has "
      "not. It has: visible.hidden.\n"));
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\nedges = \"ring.txt\"\n")),
             "*couple units of one layer, but 'visible.hidden' is of two. Give a 'matrix'.\n"));
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\nedges = \"ring.txt\"\nmatrix = \"matrix.npy\"\n")),
             "*'edges' and 'matrix' both say which couplings exist. Leave one of them out.\n"));
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\n")), "*one of 'edges' and 'matrix' must be given*\n"));
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\nmatrix = \"rows.npy\"\n")),
             "*rows.npy: it has 64 x 6 numbers, but the layers have 6 and 2 units.\n"));
  const std::string once = mask("coupling = \"visible.hidden\"\nmatrix = \"matrix.npy\"\n");
  CHECK(like(refused(once + once), "*'masks' names the coupling 'visible.hidden' twice.\n"));
  CHECK(like(
      refused(mask("coupling = \"visible.hidden\"\nmatrix = \"absent.npy\"\n")),
      "*run.toml:10:1: model 'rbm': */absent.npy: *: No such file or directory. Give 'matrix' a file of 0 and 1, a "
      "row for each unit of the first layer.\n"));
  std::ofstream(folder / "empty.csv").close();
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\nmatrix = \"empty.csv\"\n")),
             "*empty.csv: has no rows (the file is empty). Give 'matrix' a file of 0 and 1, a row for each *\n"));
  std::ofstream(folder / "words.csv") << "1,0\n0,one\n";
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\nmatrix = \"words.csv\"\n")),
             "*run.toml:10:1: model 'rbm': */words.csv:*\n"));
  const std::vector<std::uint8_t> gray(12, 2);
  write_npy(folder / "gray.npy", MatrixView<const std::uint8_t>{gray.data(), 6, 2, 2});
  CHECK(like(refused(mask("coupling = \"visible.hidden\"\nmatrix = \"gray.npy\"\n")),
             "*gray.npy: row 0, column 0 (both counted from 0) is 2, but a mask says 1 for*\n"));
}

TEST_CASE("a mask of edges that cannot be read is refused with its place") {
  const ScratchFolder folder;
  write_files(folder.path());
  std::ofstream(folder / "run.toml") << ring;
  for (const char* edges : {"", "6 1\n1 7 1\n"}) {
    std::filesystem::remove(folder / "ring.txt");
    if (*edges) std::ofstream(folder / "ring.txt") << edges;
    const Outcome outcome = run(folder, {"train", "run.toml", "--output", "refused"});
    CHECK(outcome.status == 2);
    CHECK(like(outcome.err, *edges ? "*run.toml:5:1: model 'fully_visible': */ring.txt:2: '7' is not a node*\n"
                                   : "*run.toml:5:1: model 'fully_visible': */ring.txt*Give 'edges' a file that has a "
                                     "line 'n m', then lines 'i j'.\n"));
    CHECK_FALSE(std::filesystem::exists(folder / "refused"));
  }
}

TEST_CASE("a run goes on with the mask that it keeps, and refuses another one") {
  const ScratchFolder folder;
  write_files(folder.path());
  std::ofstream(folder / "run.toml") << ring << "checkpoint_every = 1\n";
  REQUIRE(run(folder, {"train", "run.toml", "--output", "whole", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"train", "run.toml", "--output", "parts", "--set", "training.num_epochs=1", "--quiet"}).status ==
          0);
  std::string config = content_of(folder / "parts" / "config.toml");
  config.replace(config.find("num_epochs = 1"), 14, "num_epochs = 3");
  std::ofstream(folder / "parts" / "config.toml") << config;

  const auto resume = [&] { return run(folder, {"train", "--resume", "parts", "--quiet"}); };
  std::ofstream(folder / "ring.txt") << "6 6\n1 2 1\n2 3 1\n3 4 1\n4 5 1\n5 6 1\n1 5 1\n";  // 1 6 before
  Outcome outcome = resume();
  CHECK(outcome.status == 2);
  CHECK(like(
      outcome.err,
      "harmonium: *config.toml:*/ring.txt: it has changed since the run began: the run does not couple units 0 and 4 "
      "(counted from 0), and this file does; 2 such pairs in all. Put it back as it was, remove it (the run keeps a "
      "copy in */parts/checkpoints/4.h5), or start a new run.\n"));

  std::filesystem::remove(folder / "ring.txt");
  outcome = resume();
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  for (const char* file : {"config.toml", "metrics.jsonl", "model.h5"})
    CHECK_MESSAGE(content_of(folder / "parts" / file) == content_of(folder / "whole" / file), file);
  // A complete run, whose pictures are drawn again; and one whose checkpoints are gone.
  CHECK(resume().status == 0);
  std::filesystem::remove_all(folder / "parts" / "checkpoints");
  CHECK(resume().status == 0);
  // Nothing is kept of a run that left no file.
  std::filesystem::remove(folder / "parts" / "model.h5");
  outcome = resume();
  CHECK(outcome.status == 2);
  CHECK(like(outcome.err, "*config.toml:*: model 'layered': */ring.txt*\n"));
}

TEST_CASE("imported edges are the only couplings") {
  const ScratchFolder folder;
  write_files(folder.path());
  REQUIRE(run(folder, {"import", "ring.txt", "--output", "ring.h5"}).status == 0);
  const Hdf5File file = Hdf5File::open(folder / "ring.h5");
  const auto mask = file.read<std::uint8_t>("parameters/mask.visible.visible").values;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) CHECK(mask[i * 6 + j] == (on_ring(i, j) ? 1 : 0));
}

TEST_CASE("explain and gradient count the couplings that exist, a pair once") {
  const ScratchFolder folder;
  write_files(folder.path());
  std::ofstream(folder / "run.toml") << ring;
  const std::string masked = run(folder, {"explain", "run.toml", "--no-timing"}).out;
  CHECK(
      masked.find("# parameters: 12 that are learned, of 42 numbers in all (bias.visible 6, weight.visible.visible 6 x "
                  "6); a pair of a") != std::string::npos);
  // Products of 12 entries in place of 36.
  const auto operations = [](const std::string& text) {
    const std::string mark = "# operations: about ";
    return std::stod(text.substr(text.find(mark) + mark.size()));
  };
  const std::string whole = run(folder, {"explain", "run.toml", "--no-timing", "--set", "model.masks=[]"}).out;
  CHECK(whole.find("# parameters: 21 that are learned, of 42 numbers in all") != std::string::npos);
  CHECK(operations(masked) == doctest::Approx(operations(whole) / 3).epsilon(0.06));  // two digits of each

  REQUIRE(run(folder, {"train", "run.toml", "--output", "out", "--quiet"}).status == 0);
  const Outcome outcome = run(folder, {"gradient", "out/model.h5", "--data", "rows.npy", "--estimator", "cd",
                                       "--repeats", "50", "--against", "exact", "--output", "g.h5", "--json"});
  REQUIRE(outcome.status == 0);
  const Hdf5File file = Hdf5File::open(folder / "g.h5");
  const auto variance = file.read<double>("variance/weight.visible.visible").values;
  double sum = 0.0;
  for (Index i = 0; i < 6; ++i)
    for (Index j = i + 1; j < 6; ++j) sum += on_ring(i, j) ? variance[6 * i + j] : 0.0;
  CHECK(sum > 0.0);
  CHECK(nlohmann::json::parse(outcome.out)["tensors"]["weight.visible.visible"]["variance"].get<double>() ==
        doctest::Approx(sum).epsilon(1e-9));
}

}  // namespace masks_test
