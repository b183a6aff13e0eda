#include <algorithm>
#include <cmath>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace sample_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

Words sampling(const Words& more) {
  Words words{"sample", "m.h5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

double mean(const Table& table, Index col) {
  double sum = 0.0;
  for (Index r = 0; r < table.rows; ++r) sum += table.at(r, col);
  return sum / static_cast<double>(table.rows);
}

}  // namespace

TEST_CASE("samples are N rows of 0 and 1, the same in .npy and in .h5, and the same each time") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const Words wanted{"--num-samples", "50", "--steps", "20", "--output"};
  for (const char* name : {"a.npy", "b.npy", "c.h5"}) {
    Words words = sampling(wanted);
    words.push_back(name);
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == "");
    CHECK(outcome.err == "");
  }
  const Table a = read_npy(folder / "a.npy");
  CHECK(a.rows == 50);
  CHECK(a.cols == 3);
  CHECK(content_of(folder / "a.npy") == content_of(folder / "b.npy"));
  const auto c = Hdf5File::open(folder / "c.h5").read<double>("samples");
  CHECK(c.shape == std::vector<Index>{50, 3});
  for (Index i = 0; i < 150; ++i) {
    CHECK((c.values[i] == 0.0 || c.values[i] == 1.0));
    CHECK(c.values[i] == a.at(i / 3, i % 3));
  }
  CHECK(files_below(folder.path()) == Words{"a.npy", "b.npy", "c.h5", "m.h5"});
}

TEST_CASE("the seed changes the samples, the number of threads does not") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto sample = [&](const char* output, const char* flag, const char* value) {
    CHECK(run(folder, sampling({"--num-samples", "50", "--steps", "5", "--output", output, flag, value})).status == 0);
    return content_of(folder / output);
  };
  CHECK(sample("a.npy", "--threads", "1") == sample("b.npy", "--threads", "2"));
  CHECK(sample("a.npy", "--seed", "1") != sample("b.npy", "--seed", "2"));
}

TEST_CASE("without transitions the rows are drawn from the biases alone") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  for (const double beta : {1.0, 2.0}) {
    CHECK(run(folder, sampling({"--num-samples", "20000", "--steps", "0", "--beta", beta == 1.0 ? "1" : "2", "--output",
                                "s.npy"}))
              .status == 0);
    const Table samples = read_npy(folder / "s.npy");
    const double bias[] = {0.25, -0.5, 1.0};
    // Five standard errors of a share of 20,000: false alarm 6e-7 each.
    for (Index i = 0; i < 3; ++i)
      CHECK(std::abs(mean(samples, i) - 1 / (1 + std::exp(-beta * bias[i]))) < 5 * 0.5 / std::sqrt(20000.0));
  }
}

TEST_CASE("chains, one thinned chain and exact draws have the model's means") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto means = [&](const Words& more) {
    Words words = sampling({"--num-samples", "20000", "--output", "s.npy"});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    const Table samples = read_npy(folder / "s.npy");
    CHECK(samples.rows == 20000);
    return std::vector<double>{mean(samples, 0), mean(samples, 1), mean(samples, 2)};
  };
  const auto chains = means({"--steps", "30"});
  const auto thinned = means({"--steps", "30", "--thin", "10"});
  const auto exact = means({"--steps", "0", "--sampler", "exact", "--thin", "1"});
  const auto tiled = means({"--steps", "30", "--set", "sampler.tile=8"});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(chains[i] - thinned[i]) < 6 * 0.5 * std::sqrt(2 / 20000.0));
    CHECK(std::abs(chains[i] - tiled[i]) < 6 * 0.5 * std::sqrt(2 / 20000.0));
    if (i > 0) CHECK(std::abs(thinned[i] - exact[i]) < 6 * 0.5 * std::sqrt(2 / 20000.0));
  }
}

TEST_CASE("the inverse temperature of the samples is the one asked for") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto third = [&](const char* beta) {
    CHECK(
        run(folder, sampling({"--num-samples", "4000", "--steps", "50", "--beta", beta, "--output", "s.npy"})).status ==
        0);
    return mean(read_npy(folder / "s.npy"), 2);
  };
  CHECK(third("1e-6") == doctest::Approx(0.5).epsilon(0.08));
  CHECK(third("50") == 1.0);
  CHECK(third("1e300") == 1.0);
}

TEST_CASE("an output file is replaced, and survives a failure") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("s.npy", "old");
  CHECK(
      run(folder, sampling({"--num-samples", "2", "--steps", "1", "--output", "s.npy", "--sampler", "gibs"})).status ==
      2);
  CHECK(content_of(folder / "s.npy") == "old");
  CHECK(run(folder, sampling({"--num-samples", "2", "--steps", "1", "--output", "s.npy"})).status == 0);
  CHECK(read_npy(folder / "s.npy").rows == 2);
}

TEST_CASE("sampling refuses an output that it cannot write, before any work") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("file", "text");
  std::filesystem::create_directories(folder / "folder.npy");
  std::filesystem::create_symlink(folder / "m.h5", folder / "link.h5");
  const std::string model = content_of(folder / "m.h5");
  const auto refused = [&](const char* output, int status, std::string_view pattern) {
    check_refusal(run(folder, sampling({"--num-samples", "10", "--steps", "100000000000", "--output", output})), status,
                  pattern);
  };
  refused(
      "s.txt", 2,
      "--output s.txt: samples are written as .npy, .h5 or .csv, sequences as .fasta too. Give a name that ends so.");
  refused("s", 2,
          "--output s: samples are written as .npy, .h5 or .csv, sequences as .fasta too. Give a name that ends so.");
  refused("s.png", 2, "*Give a name that ends so. 'harmonium draw --what samples' makes a picture of them.");
  refused("none/s.npy", 1, "--output none/s.npy: there is no folder none. Create it first.");
  refused("file/s.h5", 1, "--output file/s.h5: file is not a folder. Give another name.");
  refused("folder.npy", 1, "--output folder.npy: a folder of this name exists. Give the name of a file.");
  refused("m.h5", 2, "--output m.h5: that is the file which the command reads (m.h5). Give another name.");
  refused("link.h5", 2, "--output link.h5: that is the file which the command reads (m.h5). Give another name.");
  CHECK(content_of(folder / "m.h5") == model);
  CHECK(files_below(folder.path()) == Words{"file", "folder.npy", "link.h5", "m.h5"});
}

TEST_CASE("more rows than memory holds are refused with both sizes") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  check_refusal(
      run(folder, sampling({"--num-samples", "9000000000000000000", "--steps", "1", "--output", "s.npy"})), 2,
      "sampling needs about 216 EB of memory, and * GB is what there is. The largest parts: the samples 216 EB, the "
      "*. Lower --num-samples, and draw again with another --seed.");
}

TEST_CASE("chains that run away end in an error, and no file is left") {
  const ScratchFolder folder;
  folder.write("real.csv", "0.5,-1,2\n1,0.25,-0.5\n-1,1,0\n");
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"real.csv\"\n[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\n"
               "visible_units = \"gaussian\"\n[estimator]\ntype = \"cd\"\n[training]\nnum_epochs = 1\n");
  for (const char* precision : {"precision=float64", "precision=float32"}) {
    CAPTURE(precision);
    const std::string trained = std::string(precision).substr(10);
    REQUIRE(run(folder, {"train", "c.toml", "--set", precision, "--output", trained, "--quiet"}).status == 0);
    const auto stepping = [&](const char* size) {
      return run(folder, {"sample", trained + "/model.h5", "--num-samples", "3", "--steps", "100", "--output", "s.npy",
                          "--sampler", "langevin", "--set", "sampler.adjusted=false", "--set", size});
    };
    check_refusal(stepping("sampler.step_size=1e9"), 1,
                  "after * transitions layer 'visible' of chain 0 is not finite: the chain has run away. *");
    // Only just too long: after 64 transitions at 1e26, below the largest number of either precision.
    check_refusal(stepping("sampler.step_size=2.1"), 1,
                  "after 64 transitions layer 'visible' of chain 0 is at *, and no sample lies beyond 1e+19: the chain "
                  "has run away. *");
    CHECK_FALSE(std::filesystem::exists(folder / "s.npy"));
    CHECK(stepping("sampler.step_size=0.1").status == 0);
    std::filesystem::remove(folder / "s.npy");
  }
}

}  // namespace sample_test
