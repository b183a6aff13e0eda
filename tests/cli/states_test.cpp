// Potts configurations as whole numbers, one a site: read and written.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/table.hpp>

#include "files.hpp"

namespace states_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr const char* config = R"(seed = 5
data = { type = "npy", path = "states.npy" }
model = { type = "fully_visible", num_visible = 4, visible_units = { type = "categorical", num_states = 3 } }
estimator = "pseudo_likelihood"
training = { num_epochs = 3, batch_size = 10 }
pictures = { which = [] }
)";

constexpr Index sites = 4, states = 3, rows = 60;

std::uint8_t state(Index r, Index site) { return static_cast<std::uint8_t>((r * (site + 1) + r / 7) % states); }

void write_both(const ScratchFolder& folder) {
  std::vector<std::uint8_t> numbers, one_hot;
  std::string csv = "north,east,south,west\n";
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < sites; ++i) {
      numbers.push_back(state(r, i));
      for (Index q = 0; q < states; ++q) one_hot.push_back(state(r, i) == q ? 1 : 0);
      csv += std::to_string(state(r, i)) + (i + 1 < sites ? "," : "\n");
    }
  }
  write_npy(folder / "states.npy", MatrixView<const std::uint8_t>{numbers.data(), rows, sites, sites});
  write_npy(folder / "onehot.npy",
            MatrixView<const std::uint8_t>{one_hot.data(), rows, sites * states, sites * states});
  folder.write("states.csv", csv);
  folder.write("potts.toml", config);
}

Outcome train(const ScratchFolder& folder, const std::string& output, const Words& settings = {}) {
  Words words{"train", "potts.toml", "--output", output};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome;
}

nlohmann::json figures(const ScratchFolder& folder, const std::string& model, const std::string& data) {
  const Outcome outcome = run(folder, {"evaluate", model, "--data", data, "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

void sample(const ScratchFolder& folder, const std::string& model, const Words& others) {
  Words words{"sample", model, "--num-samples", "30", "--steps", "20", "--seed", "2"};
  words.insert(words.end(), others.begin(), others.end());
  const Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
}

}  // namespace

TEST_CASE("a file of states trains and is judged as the one-hot file is, to the bit, and that is told") {
  const ScratchFolder folder;
  write_both(folder);
  const Outcome told = train(folder, "a");
  CHECK(told.err.find("states.npy: columns are read as states 0 to 2 of 4 sites.") != std::string::npos);
  const Outcome untold = train(folder, "b", {"data.path=onehot.npy"});
  CHECK(untold.err.find("read as states") == std::string::npos);
  const nlohmann::json own = figures(folder, "a", "onehot.npy");
  CHECK(own == figures(folder, "b", "onehot.npy"));
  CHECK(own == figures(folder, "a", "states.npy"));
  CHECK(own == figures(folder, "b", "states.csv"));
  // The number of sites may be left to the data.
  folder.write("open.toml", std::string(config).replace(std::string(config).find("num_visible = 4, "), 17, ""));
  REQUIRE(run(folder, {"train", "open.toml", "--output", "c", "--quiet"}).status == 0);
  CHECK(own == figures(folder, "c", "onehot.npy"));
  const Outcome noted = run(folder, {"evaluate", "a/model.h5", "--data", "states.npy"});
  CHECK(noted.err.find("columns are read as states 0 to 2 of 4 sites.") != std::string::npos);
  CHECK(run(folder, {"diagnose", "a", "--data", "states.npy", "--steps", "100"}).err.find("read as states") !=
        std::string::npos);
}

TEST_CASE("samples as states are those that are one-hot, and are judged alike") {
  const ScratchFolder folder;
  write_both(folder);
  train(folder, "run");
  for (const char* extension : {".npy", ".csv"}) {
    CAPTURE(extension);
    const std::string one_hot = std::string("s") + extension, short_form = std::string("t") + extension;
    sample(folder, "run", {"--output", one_hot, "--energies"});
    sample(folder, "run", {"--output", short_form, "--energies", "--states"});
    CHECK(figures(folder, "run", one_hot) == figures(folder, "run", short_form));
  }
  const Table numbers = read_npy(folder / "t.npy"), bits = read_npy(folder / "s.npy");
  REQUIRE(numbers.cols == sites);
  CHECK(numbers.is_bytes());
  for (Index r = 0; r < numbers.rows; ++r)
    for (Index i = 0; i < sites; ++i) CHECK(bits.at(r, i * states + static_cast<Index>(numbers.at(r, i))) == 1.0);
  CHECK(content_of(folder / "t.energies.npy") == content_of(folder / "s.energies.npy"));
  CHECK(content_of(folder / "t.csv").starts_with("visible[0],visible[1],visible[2],visible[3],energy\n"));
  // Rows that are held are read so too.
  folder.write("ends.csv", "0,nan,nan,2\n");
  sample(folder, "run", {"--output", "held.npy", "--states", "--clamp", "ends.csv"});
  const Table held = read_npy(folder / "held.npy");
  for (Index r = 0; r < held.rows; ++r) {
    CHECK(held.at(r, 0) == 0.0);
    CHECK(held.at(r, 3) == 2.0);
  }
}

TEST_CASE("energies behind states are left out where rows are read, and a run says that it must leave them out") {
  const ScratchFolder folder;
  write_both(folder);
  train(folder, "run");
  sample(folder, "run", {"--output", "t.csv", "--energies", "--states"});
  check_refusal(
      run(folder, {"train", "potts.toml", "--set", "data={type=\"csv\",path=\"t.csv\"}", "--output", "other"}), 2,
      "[data] *t.csv: its last column is called 'energy'*data.ignore = [\"energy\"]*");
  train(folder, "other", {"data={type=\"csv\",path=\"t.csv\",ignore=[\"energy\"]}"});
}

TEST_CASE("init asks what whole numbers are, and proposes a unit a column where they are states") {
  const ScratchFolder folder;
  std::string text;  // no column of it may be taken for classes
  for (int r = 0; r < 60; ++r)
    for (int c = 0; c < 4; ++c) text += std::to_string(r % 20 == c ? 2 : (r >> c) % 2) + (c < 3 ? "," : "\n");
  folder.write("names.csv", text);
  check_refusal(run(folder, {"init", "names.csv"}), 2,
                "*whole numbers from 0 to 2*Of names of states take units of these (--set "
                "'model.visible_units={type=\"categorical\",num_states=3}'); of amounts *");
  const Outcome proposed =
      run(folder, {"init", "names.csv", "--set", "model.visible_units={type=\"categorical\",num_states=3}", "--output",
                   "own.toml"});
  INFO(proposed.err);
  REQUIRE(proposed.status == 0);
  CHECK(content_of(folder / "own.toml").find("num_visible = 4\n") != std::string::npos);
  CHECK(run(folder, {"train", "own.toml", "--output", "own", "--set", "training.num_epochs=1", "--quiet"}).status == 0);
}

TEST_CASE("columns of states keep their names, by which they are found") {
  const ScratchFolder folder;
  write_both(folder);
  train(folder, "run", {"data={type=\"csv\",path=\"states.csv\"}"});
  sample(folder, "run", {"--output", "t.csv", "--states"});
  sample(folder, "run", {"--output", "s.csv"});
  CHECK(content_of(folder / "t.csv").starts_with("north,east,south,west\n"));
  CHECK(content_of(folder / "s.csv").starts_with("north=0,north=1,north=2,east=0,"));
  const nlohmann::json own = figures(folder, "run", "states.csv");
  CHECK(figures(folder, "run", "s.csv") == figures(folder, "run", "t.csv"));
  // In another order.
  std::string turned = "west,north,east,south\n";
  for (Index r = 0; r < rows; ++r)
    turned += std::to_string(state(r, 3)) + "," + std::to_string(state(r, 0)) + "," + std::to_string(state(r, 1)) +
              "," + std::to_string(state(r, 2)) + "\n";
  folder.write("turned.csv", turned);
  CHECK(figures(folder, "run", "turned.csv") == own);
  sample(folder, "run", {"--output", "held.csv", "--states", "--clamp", "east=2"});
  sample(folder, "run", {"--output", "same.csv", "--states", "--clamp", "visible[1]=2"});
  CHECK(content_of(folder / "held.csv") == content_of(folder / "same.csv"));
}

TEST_CASE("what are no states is refused, and --states where there are none") {
  const ScratchFolder folder;
  write_both(folder);
  train(folder, "run");
  folder.write("from1.csv", "1,2,3,1\n2,1,1,1\n");
  check_refusal(run(folder, {"evaluate", "run", "--data", "from1.csv"}), 2,
                "[data] *from1.csv: row 0, column 2 (both counted from 0) is 3, but*states count from 0. Subtract 1*");
  const Words words{"sample", "run", "--num-samples", "3", "--steps", "1", "--states", "--output"};
  const auto refused = [&](Words all, const std::string& output, std::string_view pattern) {
    all.push_back(output);
    check_refusal(run(folder, all), 2, pattern);
  };
  refused(words, "s.h5", "--states: states are written as .npy or .csv, and --output is s.h5. *");
  train(folder, "bits", {"model={type=\"rbm\",num_visible=12,num_hidden=2}", "estimator=cd", "data.path=onehot.npy"});
  Words of_bits = words;
  of_bits[1] = "bits";
  refused(of_bits, "s.npy", "--states: no observed unit has a column for each of several states*");
}

}  // namespace states_test
