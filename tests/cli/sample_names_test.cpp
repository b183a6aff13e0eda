#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/tests/support/tables.hpp>

#include "files.hpp"

namespace sample_names_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A run on CSV with a header, labels in the column "kind of day".
void make_named_run(const ScratchFolder& folder) {
  std::string rows = "warm,\"wind, gusts\",kind of day,rain\n";
  for (int r = 0; r < 48; ++r) rows += fmt::format("{},{},{},{}\n", r % 2, r / 2 % 2, r % 3, r / 3 % 2);
  folder.write("days.csv", rows);
  REQUIRE(run(folder, {"init", "days.csv", "--set", "data.label_column=kind of day", "--output", "c.toml"}).status ==
          0);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet", "--set", "training.num_epochs=2"}).status == 0);
}

Outcome sampled(const ScratchFolder& folder, const Words& more) {
  Words words{"sample"};
  words.insert(words.end(), more.begin(), more.end());
  for (const char* word : {"--num-samples", "40", "--steps", "5"}) words.emplace_back(word);
  return run(folder, words);
}

}  // namespace

TEST_CASE("samples in CSV have the names of the data's columns, and are read again") {
  const ScratchFolder folder;
  make_named_run(folder);
  REQUIRE(sampled(folder, {"run", "--output", "s.csv"}).status == 0);
  const std::string text = content_of(folder / "s.csv");
  CHECK(text.starts_with("warm,\"wind, gusts\",rain,\"kind of day=0\",\"kind of day=1\",\"kind of day=2\"\n"));
  REQUIRE(sampled(folder, {"run", "--output", "s.npy"}).status == 0);
  const auto judge = [&](const char* file) {
    const Outcome outcome = run(folder, {"evaluate", "run", "--data", file, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["log_likelihood"];
  };
  CHECK(judge("s.csv") == judge("s.npy"));
  CHECK(run(folder, {"evaluate", "run", "--data", "days.csv"}).status == 0);
  // A column of classes that is asked for by the command itself is not looked past.
  CHECK(run(folder, {"evaluate", "run", "--data", "s.csv", "--set", "data.label_column=kind of day"}).status == 2);
}

TEST_CASE("the names of columns are attributes of the model file, which does without them") {
  const ScratchFolder folder;
  make_named_run(folder);
  {
    const Hdf5File file = Hdf5File::open(folder / "run/model.h5");
    CHECK(file.string_attribute("column_names") == "warm\nwind, gusts\nrain\n");
    CHECK(file.string_attribute("label_name") == "kind of day");
  }
  write_foreign_model(folder / "m.h5");
  REQUIRE(sampled(folder, {"m.h5", "--output", "s.csv"}).status == 0);
  const std::string text = content_of(folder / "s.csv");
  CHECK(text.starts_with("visible[0],visible[1],visible[2]\n"));
  CHECK(text.find_first_not_of("01,\n", text.find('\n')) == std::string::npos);
}

TEST_CASE("samples of a model of data without a header are read again, with energies and without") {
  const ScratchFolder folder;
  folder.write("rows.csv", "0,1\n1,1\n1,0\n0,0\n");
  folder.write(
      "c.toml",
      "data = { type = \"csv\", path = \"rows.csv\", header = \"no\" }\nmodel = { type = \"rbm\", num_visible = 2, "
      "num_hidden = 1 }\nestimator = \"cd\"\ntraining = { batch_size = 4, num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  REQUIRE(sampled(folder, {"run", "--output", "s.csv"}).status == 0);
  REQUIRE(sampled(folder, {"run", "--energies", "--output", "e.csv"}).status == 0);
  CHECK(content_of(folder / "s.csv").starts_with("visible[0],visible[1]\n"));
  CHECK(content_of(folder / "e.csv").starts_with("visible[0],visible[1],energy\n"));
  for (const char* file : {"s.csv", "e.csv", "rows.csv"})
    CHECK(run(folder, {"evaluate", "run", "--data", file, "--quiet"}).status == 0);
}

TEST_CASE("--energies writes the energy of each row with its latent units beside it") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const auto allowed = [](unsigned v, double energy) {
    for (unsigned h = 0; h < 4; ++h)
      if (std::abs(foreign_energy(v, h) - energy) < 1e-12) return true;
    return false;
  };
  for (const Words& way :
       {Words{}, Words{"--thin", "2"}, Words{"--sampler", "parallel_tempering", "--set", "sampler.adapt_steps=2"},
        Words{"--descend"}}) {
    Words words{"m.h5", "--energies", "--output", "s.npy"};
    words.insert(words.end(), way.begin(), way.end());
    REQUIRE(sampled(folder, words).status == 0);
    const Table rows = read_npy(folder / "s.npy"), energies = read_npy(folder / "s.energies.npy");
    REQUIRE(energies.rows == 40);
    CHECK(energies.cols == 1);
    CHECK(energies.shape == std::vector<Index>{40});
    for (Index r = 0; r < 40; ++r) {
      unsigned v = 0;
      for (unsigned i = 0; i < 3; ++i) v |= rows.at(r, i) == 1.0 ? 1u << i : 0u;
      CHECK(allowed(v, energies.at(r, 0)));
    }
  }
  REQUIRE(sampled(folder, {"m.h5", "--energies", "--output", "s.npy"}).status == 0);
  REQUIRE(sampled(folder, {"m.h5", "--energies", "--output", "s.csv"}).status == 0);
  REQUIRE(sampled(folder, {"m.h5", "--energies", "--output", "s.h5"}).status == 0);
  CHECK(content_of(folder / "s.csv").starts_with("visible[0],visible[1],visible[2],energy\n"));
  const Table energies = read_npy(folder / "s.energies.npy");
  const auto stored = Hdf5File::open(folder / "s.h5").read<double>("energies");
  const auto lines = words_below_header(folder / "s.csv");
  REQUIRE(stored.shape == std::vector<Index>{40});
  for (Index r = 0; r < 40; ++r) {
    CHECK(stored.values[r] == energies.at(r, 0));
    CHECK(std::stod(lines[r][3]) == energies.at(r, 0));
  }
  std::filesystem::create_directory(folder / "t.energies.npy");
  check_refusal(sampled(folder, {"m.h5", "--energies", "--output", "t.npy"}), 1,
                "--energies t.energies.npy: a folder of this name exists. Give the name of a file.");
}

}  // namespace sample_names_test
