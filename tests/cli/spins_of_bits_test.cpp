// Files of 0 and 1 for models of spins.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>

#include "files.hpp"

namespace spins_of_bits_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Eleven rows of three columns, in which `low` stands for the lower state.
std::string rows(const char* low) {
  std::string text = "a,b,c\n";
  for (unsigned r = 0; r < 11; ++r)
    text += fmt::format("{},{},{}\n", r & 1 ? "1" : low, r & 2 ? "1" : low, r % 3 ? "1" : low);
  return text;
}

std::string config(const char* data) {
  return fmt::format(
      "precision = \"float64\"\ndata = {{ type = \"csv\", {} }}\nestimator = \"exact\"\n"
      "model = {{ type = \"fully_visible\", num_visible = 3, visible_units = \"spin\" }}\n"
      "training = {{ batch_size = 11, num_epochs = 30 }}\noptimizer = {{ learning_rate = 0.1 }}\n",
      data);
}

std::vector<double> couplings(const ScratchFolder& folder, const char* run) {
  return Hdf5File::open(folder / run / "model.h5").read<double>("parameters/weight.visible.visible").values;
}

nlohmann::json judgment(const ScratchFolder& folder, const Words& words) {
  const Outcome outcome = run(folder, words);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("a column of bits among spins is remarked on") {
  const ScratchFolder folder;
  folder.write("mixed.csv", "a,b,c\n-1,1,1\n1,1,1\n1,-1,0\n-1,-1,1\n");
  folder.write("mixed.toml", config("path = \"mixed.csv\""));
  folder.write("spins.csv", "a,b,c\n-1,1,1\n1,1,1\n1,-1,-1\n-1,-1,1\n");
  const Words words{"train", "mixed.toml", "--output", "run", "--set", "training.batch_size=4", "--overwrite"};
  CHECK(run(folder, words)
            .err.find("row 2, column 2 (both counted from 0) is 0, and units of layer 'visible' are -1 or "
                      "1: it is taken for a mean of theirs.") != std::string::npos);
  Words spins = words;
  spins.insert(spins.end(), {"--set", "data.path=spins.csv"});
  const Outcome outcome = run(folder, spins);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("mean of theirs") == std::string::npos);
}

TEST_CASE("binarize makes -1 and 1 of 0 and 1 for spins, and the model is that of a file of -1 and 1") {
  const ScratchFolder folder;
  folder.write("bits.csv", rows("0"));
  folder.write("spins.csv", rows("-1"));
  folder.write("bits.toml", config("path = \"bits.csv\", binarize = \"threshold\""));
  folder.write("each.toml", config("path = \"bits.csv\", binarize = \"each_epoch\""));
  folder.write("spins.toml", config("path = \"spins.csv\""));
  for (const char* name : {"bits", "each", "spins"})
    REQUIRE(run(folder, {"train", fmt::format("{}.toml", name), "--output", name, "--quiet"}).status == 0);
  CHECK(couplings(folder, "bits") == couplings(folder, "spins"));
  CHECK(couplings(folder, "each") == couplings(folder, "spins"));

  // Rows are judged alike, by what they are called in either file.
  const auto own = judgment(folder, {"evaluate", "spins", "--data", "spins.csv", "--json"});
  const auto bits = judgment(folder, {"evaluate", "bits", "--data", "bits.csv", "--json"});
  CHECK(bits["log_likelihood"] == own["log_likelihood"]);
  CHECK(bits["pseudo_log_likelihood"] == own["pseudo_log_likelihood"]);
  CHECK(bits["units"] == "data");
  CHECK(bits["log_jacobian"] == 0.0);
  CHECK(judgment(folder, {"evaluate", "spins", "--data", "bits.csv:binarize=threshold", "--json"})["log_likelihood"] ==
        own["log_likelihood"]);

  // Samples are in the units of the file, and are data again.
  REQUIRE(run(folder, {"sample", "bits", "--num-samples", "50", "--steps", "5", "--output", "s.csv"}).status == 0);
  REQUIRE(run(folder, {"sample", "bits", "--num-samples", "50", "--steps", "5", "--raw", "--output", "r.csv"}).status ==
          0);
  const auto drawn = csv_fields(folder / "s.csv"), raw = csv_fields(folder / "r.csv");
  REQUIRE(drawn.size() == 51);
  CHECK(drawn[0] == Words{"a", "b", "c"});
  for (std::size_t r = 1; r < drawn.size(); ++r)
    for (std::size_t c = 0; c < 3; ++c) CHECK(std::stod(raw[r][c]) == 2 * std::stod(drawn[r][c]) - 1);
  CHECK(run(folder, {"evaluate", "bits", "--data", "s.csv"}).status == 0);
  REQUIRE(run(folder,
              {"sample", "bits", "--num-samples", "5", "--steps", "5", "--clamp", "visible[0]=0", "--output", "h.csv"})
              .status == 0);
  for (const Words& row : csv_fields(folder / "h.csv")) CHECK((row[0] == "a" || row[0] == "0"));
}

TEST_CASE("spins that are drawn of what lies between two states are transformed, and it is told which draw they were") {
  const ScratchFolder folder;
  folder.write("grey.csv", "0,0.5,1\n1,0.2,0\n0.5,0.5,0.7\n");
  folder.write(
      "c.toml",
      "data = { type = \"csv\", path = \"grey.csv\", binarize = \"each_epoch\", range = [0, 1] }\n"
      "estimator = \"cd\"\nmodel = { type = \"rbm\", num_visible = 3, num_hidden = 2, visible_units = \"spin\" }\n"
      "training = { batch_size = 3, num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const Outcome outcome = run(folder, {"transform", "run", "grey.csv", "--output", "h.npy"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(outcome.out.find("drawn") != std::string::npos);
}

TEST_CASE("rows without classes are made spins as rows with them are") {
  const ScratchFolder folder;
  folder.write("labeled.csv", "a,b,c,class\n-1,1,1,0\n1,-1,1,1\n1,1,-1,1\n");
  folder.write("bits.csv", "a,b,c\n0,1,1\n1,0,1\n");
  folder.write("c.toml",
               "data = { type = \"csv\", path = \"labeled.csv\", label_column = \"class\" }\nestimator = \"cd\"\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, num_labels = 2, visible_units = \"spin\" }\n"
               "training = { batch_size = 3, num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const Outcome outcome =
      run(folder, {"transform", "run", "bits.csv:binarize=threshold", "--layer", "label", "--output", "p.npy"});
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
}

TEST_CASE("bits without a word of what they are to become are refused by spins, with how to") {
  const ScratchFolder folder;
  folder.write("bits.csv", rows("0"));
  folder.write("bits.toml", config("path = \"bits.csv\""));
  check_refusal(run(folder, {"train", "bits.toml", "--output", "run"}), 2,
                "*spin units of layer 'visible' take -1 and 1, and 0 is no state of theirs. Set data.binarize = "
                "\"threshold\", which makes -1 and 1 of them for spins, or the layer's units to \"binary\".");
}

}  // namespace spins_of_bits_test
