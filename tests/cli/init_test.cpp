#include <cmath>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

using namespace harmonium::testing;

namespace {

/// Bars and stripes of side 3, as bytes of two values.
std::vector<std::uint8_t> bars_and_stripes(std::uint8_t on) {
  std::vector<std::uint8_t> values;
  for (int kind = 0; kind < 2; ++kind)
    for (int lines = 0; lines < (kind == 0 ? 8 : 7); ++lines)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) values.push_back(lines >> (kind == 0 ? r : c) & 1 ? on : 0);
  values.resize(14 * 9);  // all ones and all zeros were in both kinds
  return values;
}

std::vector<double> numbers(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

TEST_CASE("what init writes for a data file of any known kind is trained as it stands") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "data");
  folder.write("data/bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  folder.write("data/grey.npy", npy_bytes(3, 2, {0.0, 0.25, 0.5, 1.0, 0.75, 0.0}));
  folder.write("data/bytes.idx", idx_bytes(14, 9, bars_and_stripes(200)));
  folder.write_gzipped("data/bits.idx.gz", idx_bytes(14, 9, bars_and_stripes(1)));
  folder.write_gzipped("data/bits.npy.gz", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  for (const char* name : {"bits.npy", "grey.npy", "bytes.idx", "bits.idx.gz", "bits.npy.gz"}) {
    CAPTURE(name);
    const Outcome written =
        run(folder, {"init", "data/" + std::string(name), "--output", "data/c.toml", "--overwrite"});
    CHECK(written.status == 0);
    CHECK(written.out == "");
    CHECK(written.err == "");
    const std::string config = content_of(folder / "data/c.toml");
    CHECK(config.find("path = \"" + std::string(name) + "\"\n") != std::string::npos);
    const bool grey = name[0] == 'g' || name[1] == 'y';
    CHECK((config.find("binarize = \"threshold\"") != std::string::npos) == grey);
    const Outcome trained =
        run(folder, {"train", "data/c.toml", "--output", "run", "--overwrite", "--set", "training.num_epochs=1"});
    CHECK(trained.err == "");
    CHECK(trained.status == 0);
    const Outcome shown = run(folder, {"init", "data/" + std::string(name)});
    folder.write("shown.toml", shown.out);
    CHECK(run(folder, {"train", "shown.toml", "--output", "run", "--overwrite", "--set", "training.num_epochs=1"})
              .status == 0);
  }
}

TEST_CASE("init makes bits of levels by their own range, and takes Gaussian units for real values") {
  const ScratchFolder folder;
  folder.write("levels.csv", "0,16,3\n5,0,1\n16,16,0\n0,3,9\n");
  const std::string levels = run(folder, {"init", "levels.csv"}).out;
  CHECK(levels.find("binarize = \"threshold\"") != std::string::npos);
  CHECK(levels.find("range = [0.0, 16.0]") != std::string::npos);
  folder.write("real.npy", npy_bytes(40, 2, [] {
                 std::vector<double> values;
                 for (int i = 0; i < 80; ++i) values.push_back(10.0 * std::sin(i * i));
                 return values;
               }()));
  REQUIRE(run(folder, {"init", "real.npy", "--output", "real.toml"}).status == 0);
  const std::string real = content_of(folder / "real.toml");
  CHECK(real.find("standardize = true") != std::string::npos);
  CHECK(real.find("visible_units = \"gaussian\"") != std::string::npos);
  CHECK(run(folder, {"train", "real.toml", "--output", "run", "--set", "training.num_epochs=3"}).status == 0);
  CHECK(run(folder, {"evaluate", "run/model.h5"}).status == 0);
}

TEST_CASE("what init proposes learns the data") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  REQUIRE(run(folder, {"init", "bits.npy", "--output", "c.toml"}).status == 0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run"}).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run/model.h5", "--data", "bits.npy", "--json"});
  // The entropy of 14 rows is 2.64 nats: no model is better. Independent pixels of mean 1/2 have 6.24.
  CHECK(nlohmann::json::parse(judged.out)["log_likelihood"].get<double>() > -3.0);
}

TEST_CASE("init writes what it is told to set, with every setting's meaning above it") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  const Outcome outcome = run(folder, {"init", "bits.npy", "--set", "model.num_hidden=7", "--set",
                                       "optimizer.momentum=0.5", "--set", "data.test_path=bits.npy", "--seed", "8"});
  check_golden("init", outcome.out.substr(0, outcome.out.find("test_path")) +
                           outcome.out.substr(outcome.out.find("\n", outcome.out.find("test_path"))));
  CHECK(outcome.out.find("test_path = \"/") != std::string::npos);
}

TEST_CASE("init names further files so that they are found from the configuration's own folder") {
  const ScratchFolder folder;
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  folder.write("classes.npy", npy_bytes(14, 1, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  std::filesystem::create_directory(folder / "runs");
  REQUIRE(run(folder, {"init", "bits.npy", "--set", "data.labels=classes.npy", "--set", "training.num_epochs=1",
                       "--output", "runs/c.toml"})
              .status == 0);
  CHECK(run(Surroundings{folder / "runs"}, {"train", "c.toml", "--output", "run"}).status == 0);
}

TEST_CASE("init refuses what train would refuse") {
  const ScratchFolder folder;
  folder.write("real.npy", npy_bytes(2, 2, {-1.5, 0.0, 3.0, 0.5}));
  const auto refused = [&](const Words& more, int status, std::string_view pattern) {
    Words words{"init"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), status, pattern);
  };
  CHECK(run(folder, {"init", "real.npy", "--set", "data.binarize=threshold"}).status == 0);
  refused({"none.npy"}, 2, "[data] path 'none.npy': no such file");
  refused({"."}, 2, ".: a folder, not a file. Name the data file in it.");
  refused({}, 2, "init: DATA is missing. See 'harmonium init --help'.");
  folder.write("bits.npy", npy_bytes(14, 9, numbers(bars_and_stripes(1))));
  refused({"bits.npy", "--set", "model.num_hiden=3"}, 2,
          "--set model.num_hiden=3: model 'rbm': unknown option 'num_hiden' (did you mean 'num_hidden'?). *");
  refused({"bits.npy", "--set", "data.path=x"}, 2,
          "--set data: the file bits.npy says what data.path is. Leave it out.");
  refused({"bits.npy", "--overwrite"}, 2, "init: --overwrite says what to do with a file, and there is none. *");
  refused({"bits.npy", "--output", "bits.npy", "--overwrite"}, 2, "--output bits.npy: that is the data. *");
  folder.write("c.toml", "mine");
  refused({"bits.npy", "--output", "c.toml"}, 2,
          "--output c.toml: the file exists already. Take another name, or add --overwrite.");
  CHECK(content_of(folder / "c.toml") == "mine");
}
