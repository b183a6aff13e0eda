// Tables of columns of several kinds: what is made of them, and that samples are such tables again.
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace data_table_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Rows of a number, a word of three, a word of two, a bit and a spin, and a class; each follows from the number i.
std::string mixed_table(int rows = 60) {
  std::string text = "length,island,sex,ringed,side,species\n";
  const char* islands[] = {"Dream", "Biscoe", "Torg, N"};
  for (int i = 0; i < rows; ++i) {
    const bool big = i % 3 == 0;
    text += std::to_string(40 + (big ? 10 : 0) + (i * 7) % 5) + ".5,\"" + islands[i % 3] + "\"," +
            (i % 2 == 0 ? "male" : "female") + "," + (i % 5 < 2 ? "1" : "0") + "," + (i % 4 < 2 ? "-1" : "1") + "," +
            (big ? "Gentoo" : "Adelie") + "\n";
  }
  return text;
}

constexpr const char* mixed_config = R"(seed = 2
data = { type = "table", path = "birds.csv" }
model = { type = "mixed", num_hidden = 4 }
estimator = { type = "cd" }
optimizer = { type = "sgd", learning_rate = 0.01 }
training = { num_epochs = 20, batch_size = 20 }
)";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a table of words, levels and numbers is trained on, and sampled with its names and words") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  const Outcome trained = run(folder, {"train", "birds.toml", "--output", "run"});
  CHECK(trained.status == 0);
  CHECK(trained.err.find("columns are taken for binary: sex (female, male), ringed, species (Adelie, Gentoo); spin: "
                         "side; categorical: island (Biscoe, Dream, \"Torg, N\"); real: length. Where that is wrong, "
                         "data.kinds tells.") != std::string::npos);
  const std::string config = text_of(folder / "run" / "config.toml");
  for (const char* part : {"name = \"binary\"", "name = \"spin\"", "name = \"real\"", "name = \"categorical3\""})
    CHECK(config.find(part) != std::string::npos);

  CHECK(run(folder, {"sample", "run", "--num-samples", "40", "--steps", "20", "--output", "s.csv"}).status == 0);
  const auto rows = csv_fields(folder / "s.csv");
  REQUIRE(rows.size() == 41);
  CHECK(rows[0] == Words{"length", "island", "sex", "ringed", "side", "species"});
  const std::string text = text_of(folder / "s.csv");
  CHECK(text.find("\"Torg, N\"") != std::string::npos);
  CHECK(text.find("Gentoo") != std::string::npos);

  // Samples are such a table again, with their energies too, in another order too.
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "s.csv"});
  CHECK(judged.status == 0);
  CHECK(run(folder, {"sample", "run", "--num-samples", "40", "--steps", "20", "--energies", "--output", "e.csv"})
            .status == 0);
  const Outcome with_energies = run(folder, {"evaluate", "run", "--data", "e.csv"});
  CHECK(with_energies.out == judged.out);
  // Of the model's own numbers the columns are those that it observes.
  CHECK(run(folder, {"sample", "run", "--num-samples", "40", "--steps", "20", "--raw", "--output", "r.csv"}).status ==
        0);
  CHECK(
      text_of(folder / "r.csv").starts_with("sex=male,ringed,species=Gentoo,side,length,island=Biscoe,island=Dream,"));
  CHECK(run(folder, {"sample", "run", "--num-samples", "40", "--steps", "20", "--output", "s.npy"}).status == 0);
  const Outcome of_numbers = run(folder, {"evaluate", "run", "--data", "s.npy"});
  CHECK(of_numbers.status == 0);
}

TEST_CASE("a run on a table goes on after a stop to the same model") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  const Words train{"train", "birds.toml", "--set", "training.checkpoint_every=5", "--output"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  CHECK(run(folder, with(train, {"whole"})).status == 0);
  CHECK(run(folder, with(train, {"part", "--epochs", "10"})).status == 0);
  CHECK(run(folder, {"train", "--resume", "part", "--epochs", "20"}).status == 0);
  const auto judged = [&](const char* name) { return run(folder, {"evaluate", name, "--json"}).out; };
  CHECK(judged("whole") == judged("part"));
  CHECK(judged("whole").find("log_likelihood") != std::string::npos);
}

TEST_CASE("a column of classes in words is a label, and the classes keep their words") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  const Words train{"train",    "birds.toml", "--set", "data.label_column=species", "--set", "data.ignore=[\"side\"]",
                    "--output", "run"};
  CHECK(run(folder, train).status == 0);
  const std::string config = text_of(folder / "run" / "config.toml");
  CHECK(config.find("classes = [\"Adelie\", \"Gentoo\"]") != std::string::npos);
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "birds.csv", "--json"});
  CHECK(nlohmann::json::parse(judged.out)["accuracy"].is_number());
  CHECK(run(folder, {"sample", "run", "--num-samples", "9", "--steps", "20", "--output", "s.csv"}).status == 0);
  const auto rows = csv_fields(folder / "s.csv");
  CHECK(rows[0] == Words{"length", "island", "sex", "ringed", "species"});
  CHECK(run(folder, {"evaluate", "run", "--data", "s.csv"}).status == 0);
  // Rows without classes: their probabilities.
  folder.write("none.csv", "length,island,sex,ringed\n50.5,Dream,male,1\n41.5,Biscoe,female,0\n");
  CHECK(run(folder, {"transform", "run", "none.csv", "--layer", "label", "--output", "p.csv"}).status == 0);
  CHECK(csv_fields(folder / "p.csv").size() == 3);
}

TEST_CASE("columns and classes are held by their names and words") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  CHECK(run(folder, {"train", "birds.toml", "--output", "run"}).status == 0);
  const auto sampled = [&](const char* model, const Words& held) {
    Words words{"sample", model, "--num-samples", "30", "--steps", "3", "--output", "s.csv"};
    for (const std::string& one : held) words.insert(words.end(), {"--clamp", one});
    const Outcome outcome = run(folder, words);
    const bool of_classes = outcome.err.starts_with(
        "harmonium: note: mean p(label | the rest) of the class that rows were drawn given is ");
    const bool class_alone = model == std::string("classes");  // of a machine that is hardly trained
    CHECK((outcome.err.empty() || (class_alone && of_classes)));
    REQUIRE(outcome.status == 0);
    return csv_fields(folder / "s.csv");
  };
  // Each kind of column, by what the file calls it: the other columns follow the clamped ones' places.
  for (const Words& row : sampled("run", {"island=Dream", "sex=male", "side=-1", "ringed=1", "length=45.5"})) {
    if (row[0] == "length") continue;
    CHECK(std::stod(row[0]) == doctest::Approx(45.5).epsilon(1e-5));
    CHECK(Words(row.begin() + 1, row.end() - 1) == Words{"Dream", "male", "1", "-1"});
  }
  Words islands;  // one after the other, in the order of the levels
  for (const Words& row : sampled("run", {"island=each"})) islands.push_back(row[1]);
  CHECK(Words(islands.begin() + 1, islands.begin() + 4) == Words{"Biscoe", "Dream", "\"Torg"});  // cut at its comma
  check_refusal(run(folder, {"sample", "run", "--num-samples", "3", "--steps", "3", "--output", "t.csv", "--clamp",
                             "island=Drem"}),
                2,
                "--clamp island=Drem: the column 'island' has no 'Drem' (did you mean 'Dream'?). There are: Biscoe, "
                "Dream, \"Torg, N\".");

  CHECK(run(folder, {"train", "birds.toml", "--set", "data.label_column=species", "--output", "classes"}).status == 0);
  for (const char* held : {"label=Gentoo", "species=Gentoo", "label=1"}) {
    CAPTURE(held);
    const auto rows = sampled("classes", {held});
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) CHECK(row->back() == "Gentoo");
  }
  check_refusal(
      run(folder,
          {"sample", "classes", "--num-samples", "3", "--steps", "3", "--output", "t.csv", "--clamp", "label=Gento"}),
      2, "--clamp label=Gento: the classes have no 'Gento' (did you mean 'Gentoo'?). There are: Adelie, Gentoo.");
  CHECK_FALSE(std::filesystem::exists(folder / "t.csv"));
}

TEST_CASE("columns of a table may be told, entries be missing, and mistakes are said") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  const Words told{
      "train",
      "birds.toml",
      "--set",
      "data.kinds=[{column=\"sex\", kind=\"categorical\"}, {column=\"ringed\", kind=\"spin\", levels=[\"0\", \"1\"]}]",
      "--output",
      "run"};
  CHECK(run(folder, told).status == 0);
  CHECK(text_of(folder / "run" / "config.toml").find("name = \"categorical2\"") != std::string::npos);
  const auto refused = [&](const Words& set, const char* message) {
    Words words{"train", "birds.toml", "--output", "other"};
    for (const std::string& s : set) words.insert(words.end(), {"--set", s});
    check_refusal(run(folder, words), 2, message);
    CHECK_FALSE(std::filesystem::exists(folder / "other"));
  };
  refused({"data.kinds=[{column=\"sexe\"}]"}, "[data] kinds names the column 'sexe'*(did you mean 'sex'?)*");
  refused({"data.kinds=[{kind=\"real\"}]"}, "*'column' must be given: the name of a column.");
  refused({"data.type=csv"}, "*observed_layers*must be given*");
  folder.write("birds.csv", mixed_table() + ",Dream,male,?,1,Adelie\n");
  check_refusal(
      run(folder, {"train", "birds.toml", "--output", "other"}), 1,
      "*birds.csv: nothing stands in 1 of 61 rows of column 'length'. Fill them in, leave out the rows, or set "
      "data.missing = \"nan\".");
  CHECK(run(folder, {"train", "birds.toml", "--set", "data.missing=nan", "--output", "holes"}).status == 0);
  std::string id = mixed_table(), with_id;
  for (std::size_t at = 0, i = 0; at < id.size(); ++i) {
    const std::size_t end = id.find('\n', at);
    with_id += (i == 0 ? std::string("name") : "n" + std::to_string(i)) + "," + id.substr(at, end - at + 1);
    at = end + 1;
  }
  folder.write("birds.csv", with_id);
  check_refusal(
      run(folder, {"train", "birds.toml", "--output", "other"}), 1,
      "*birds.csv: column 'name' holds another text in each row. Leave it out (data.ignore = [\"name\"]), or say "
      "in data.kinds what it is. 'harmonium inspect *birds.csv' shows all columns.");
}

TEST_CASE("samples with energies are data again, and what is left out is told") {
  const ScratchFolder folder;
  folder.write("rows.csv", "a,b,c\n0,1,1\n1,0,1\n0,0,1\n1,1,0\n");
  folder.write("rows.toml", R"(data = { type = "csv", path = "rows.csv" }
model = { type = "rbm", num_visible = 3, num_hidden = 2 }
estimator = { type = "cd" }
training = { num_epochs = 2, batch_size = 2 }
)");
  CHECK(run(folder, {"train", "rows.toml", "--output", "run"}).status == 0);
  const Words sample{"sample", "run", "--num-samples", "8", "--steps", "5", "--output"};
  Words with_energies = sample;
  with_energies.insert(with_energies.end(), {"e.csv", "--energies"});
  Words without = sample;
  without.emplace_back("s.csv");
  CHECK(run(folder, with_energies).status == 0);
  CHECK(run(folder, without).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "e.csv"});
  CHECK(judged.status == 0);
  CHECK(judged.err.find("e.csv: its last column, 'energy', is none of the data's and is left out.") !=
        std::string::npos);
  CHECK(judged.out == run(folder, {"evaluate", "run", "--data", "s.csv"}).out);
  CHECK(run(folder, {"evaluate", "run", "--data", "e.csv", "--set", "data.columns=[\"a\", \"b\", \"c\"]"}).out ==
        judged.out);
  // A model to be trained may mean it.
  const Words train{"train", "rows.toml", "--set", "data.path=e.csv", "--output", "again"};
  check_refusal(run(folder, train), 2,
                "*e.csv: its last column is called 'energy', as 'sample --energies' writes it, and the model has one "
                "observed column less. Leave it out: data.ignore = [\"energy\"], or name those that are meant in "
                "data.columns.");
  Words left_out = train;
  left_out.insert(left_out.end(), {"--set", "data.ignore=[\"energy\"]"});
  CHECK(run(folder, left_out).status == 0);
  // A name alone is a list of it, in a run and among the settings of a command.
  left_out.back() = "data.ignore=energy";
  left_out[left_out.size() - 3] = "alone";
  CHECK(run(folder, left_out).status == 0);
  CHECK(content_of(folder / "alone/config.toml") == content_of(folder / "again/config.toml"));
  CHECK(run(folder, {"evaluate", "run", "--data", "e.csv", "--set", "data.ignore=energy"}).out == judged.out);
}

TEST_CASE("a CSV file's classes may be words, which evaluation and samples keep") {
  const ScratchFolder folder;
  folder.write("rows.csv", "id,a,b,kind\nr1,0,1,cat\nr2,1,0,dog\nr3,0,1,cat\nr4,1,0,dog\n");
  folder.write("rows.toml", R"(data = { type = "csv", path = "rows.csv", label_column = "kind", ignore = ["id"] }
model = { type = "rbm", num_visible = 2, num_hidden = 2, num_labels = 2 }
estimator = { type = "cd" }
training = { num_epochs = 2, batch_size = 2 }
)");
  CHECK(run(folder, {"train", "rows.toml", "--output", "run"}).status == 0);
  CHECK(
      run(folder, {"sample", "run", "--num-samples", "4", "--steps", "5", "--energies", "--output", "s.csv"}).status ==
      0);
  CHECK(csv_fields(folder / "s.csv")[0] == Words{"a", "b", "kind=cat", "kind=dog", "energy"});
  CHECK(run(folder, {"evaluate", "run", "--data", "s.csv"}).status == 0);
  folder.write("more.csv", "kind,b,a\ndog,1,0\n");  // other columns, and one class alone
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "more.csv", "--json"});
  CHECK(nlohmann::json::parse(judged.out)["accuracy"].is_number());
  folder.write("worse.csv", "a,b,kind\n0,1,cow\n");
  check_refusal(run(folder, {"evaluate", "run", "--data", "worse.csv"}), 1,
                "*worse.csv:2: field 3 ('kind') is 'cow', and the classes are cat, dog. Add it to data.classes.");
}

TEST_CASE("what was seen of a table's rows is held, and the rest is drawn in its words") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  CHECK(run(folder, {"train", "birds.toml", "--output", "run"}).status == 0);
  folder.write("seen.csv", "length,island,sex,ringed,side,species\n,Dream,,,,Gentoo\n44.5,,male,,,\n");
  CHECK(
      run(folder, {"sample", "run", "--num-samples", "4", "--steps", "10", "--clamp", "seen.csv", "--output", "w.csv"})
          .status == 0);
  const auto rows = csv_fields(folder / "w.csv");
  REQUIRE(rows.size() == 5);
  for (const std::size_t r : {std::size_t{1}, std::size_t{3}}) {
    CHECK(rows[r][1] == "Dream");
    CHECK(rows[r].back() == "Gentoo");
    CHECK(std::stod(rows[r + 1][0]) == doctest::Approx(44.5).epsilon(1e-5));
  }
}

TEST_CASE("a table that lacks a column of the training data is told how it may be left open") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  REQUIRE(
      run(folder, {"train", "birds.toml", "--output", "run", "--quiet", "--set", "data.label_column=species"}).status ==
      0);
  folder.write("less.csv", "island,sex,ringed,side\nBiscoe,male,1,-1\n");
  folder.write("open.csv", "island,sex,ringed,side,length\nBiscoe,male,1,-1,\n");
  const Words transform{"transform", "run", "less.csv", "--layer", "label", "--output", "p.csv"};
  const std::string pattern =
      "[data] *less.csv: has no column 'length', which the training data have. Its columns: island, sex, ringed, side; "
      "theirs: * If nothing was seen of it, add a column 'length' without values, and --set data.missing=nan: evaluate "
      "and 'transform --layer label' sum it out where they can, and 'sample --clamp' draws it.";
  check_refusal(run(folder, transform), 2, pattern);
  check_refusal(run(folder, {"evaluate", "run", "--data", "less.csv"}), 2, pattern);
  CHECK(run(folder,
            {"transform", "run", "open.csv", "--layer", "label", "--output", "p.csv", "--set", "data.missing=nan"})
            .status == 0);
  CHECK(run(folder, {"evaluate", "run", "--data", "open.csv", "--set", "data.missing=nan"}).status == 0);
  // Who names the columns is answered by these.
  check_refusal(run(folder, {"evaluate", "run", "--data", "less.csv", "--set", "data.columns=[\"length\", \"sex\"]"}),
                2, "[data] columns names 'length', but *less.csv has no such column*");
}

TEST_CASE("a file of some of the named columns holds these, and the others are drawn") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  folder.write("birds.toml", mixed_config);
  REQUIRE(run(folder, {"train", "birds.toml", "--output", "run"}).status == 0);
  const auto drawn = [&](const char* model, const char* file) {
    const Outcome outcome =
        run(folder, {"sample", model, "--num-samples", "4", "--steps", "10", "--clamp", file, "--output", "w.csv"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return content_of(folder / "w.csv");
  };
  folder.write("whole.csv", "length,island,sex,ringed,side,species\n44.5,Dream,,,,\n,Biscoe,,,,\n");
  folder.write("some.csv", "island,length\nDream,44.5\nBiscoe,\n");
  CHECK(drawn("run", "some.csv") == drawn("run", "whole.csv"));
  CHECK(like(
      run(folder, {"sample", "run", "--num-samples", "2", "--steps", "1", "--clamp", "some.csv", "--output", "w.csv"})
          .err,
      "*some.csv: has no sex, ringed, side, species, which the training data have: drawn in all rows.*"));
  // In another order.
  folder.write("classes.csv", "species,length\nGentoo,44.5\nAdelie,40\n");
  drawn("run", "classes.csv");
  const auto rows = csv_fields(folder / "w.csv");
  CHECK(rows[1].back() == "Gentoo");
  CHECK(rows[2].back() == "Adelie");
  CHECK(std::stod(rows[2][0]) == doctest::Approx(40.0).epsilon(1e-5));
  // Of columns of one kind.
  folder.write("g.csv", "weight,height\n50,160\n60,170\n70,185\n62,171\n");
  folder.write(
      "g.toml",
      "data = { type = \"csv\", path = \"g.csv\", standardize = true }\nmodel = { type = \"rbm\", num_visible = "
      "2, num_hidden = 2, visible_units = \"gaussian\" }\nestimator = \"pcd\"\ntraining = { num_epochs = 1 }\n");
  REQUIRE(run(folder, {"train", "g.toml", "--output", "g"}).status == 0);
  folder.write("holes.csv", "weight,height\n,165\n,175\n");
  folder.write("height.csv", "height\n165\n175\n");
  CHECK(drawn("g", "height.csv") == drawn("g", "holes.csv"));
}

TEST_CASE("init writes for a table of words what inspect proposes") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  const Outcome outcome = run(folder, {"init", "birds.csv", "--output", "birds.toml"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "*birds.csv: a table whose columns have units of their own kinds. 'harmonium inspect birds.csv' shows "
             "them. If one holds each "
             "row's class, name it: --set data.label_column=NAME.*"));
  // The same but for what stands above each setting.
  const std::string shown = run(folder, {"inspect", "birds.csv"}).out, written = content_of(folder / "birds.toml");
  std::string bare;
  std::istringstream lines(written);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("#")) bare += line + "\n";
  CAPTURE(bare);
  CHECK(shown.find(bare.substr(bare.find("[data]"))) != std::string::npos);
  CHECK(like(written,
             "# birds.csv: a table whose columns have *\n# harmonium train birds.toml *# seed of every random word *"));
  CHECK(run(folder, {"train", "birds.toml", "--epochs", "1", "--output", "birds", "--quiet"}).status == 0);
}

TEST_CASE("init of a table takes every setting, and says which a table has not") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  const Outcome outcome =
      run(folder, {"init", "birds.csv", "--set", "model.num_hidden=4", "--set", "data.label_column=species", "--set",
                   "data.validation=0.25", "--set", "optimizer.momentum=0.5", "--set", "training.num_epochs=3",
                   "--seed", "7", "--output", "birds.toml"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.find("name it") == std::string::npos);
  const std::string written = content_of(folder / "birds.toml");
  CAPTURE(written);
  for (const char* line : {"seed = 7", "num_hidden = 4", "label_column = \"species\"", "validation = 0.25",
                           "momentum = 0.5", "num_epochs = 3", "type = \"mixed\""})
    CHECK_MESSAGE(written.find(std::string("\n") + line + "\n") != std::string::npos, line);
  CHECK(run(folder, {"train", "birds.toml", "--output", "run"}).status == 0);
  check_refusal(run(folder, {"init", "birds.csv", "--set", "data.binarize=threshold"}), 1,
                "*birds.csv:2: field 2 ('island'): 'Dream' is no number. * Such a table has no data.binarize: leave "
                "--set data.binarize out.");
  check_refusal(run(folder, {"init", "birds.csv", "--set", "model.num_hiden=4"}), 2,
                "--set model.num_hiden=4: model 'mixed': unknown option 'num_hiden' (did you mean 'num_hidden'?). *");
}

TEST_CASE("init of a CSV file takes it for a table where a setting says so") {
  const ScratchFolder folder;
  folder.write("bits.csv", "rooms,garden\n0,1\n1,0\n1,1\n0,1\n");
  const auto written = [&](const Words& more) {
    Words words{"init", "bits.csv", "--output", "c.toml", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(run(folder, {"train", "c.toml", "--epochs", "1", "--output", "run", "--overwrite"}).status == 0);
    return content_of(folder / "c.toml");
  };
  CHECK(written({}).find("\ntype = \"csv\"\n") != std::string::npos);
  const std::string table = written({"--set", "data.type=table"});
  CHECK(table.find("\ntype = \"table\"\n") != std::string::npos);
  CHECK(table.find("units = \"gaussian\"") == std::string::npos);
  const std::string kinds = "data.kinds=[{column=\"rooms\",kind=\"real\"}]";
  for (const Words& more : {Words{"--set", kinds}, Words{"--set", kinds, "--set", "data.type=table"}}) {
    const std::string told = written(more);
    CAPTURE(told);
    CHECK(told.find("\ntype = \"table\"\n") != std::string::npos);
    CHECK(told.find("column = \"rooms\"") != std::string::npos);
    CHECK(told.find("units = \"gaussian\"") != std::string::npos);
  }
  check_refusal(run(folder, {"init", "bits.csv", "--set", "data.type=npy"}), 2,
                "--set data: the file bits.csv says what data.type is. Leave it out.");
}

TEST_CASE(
    "init proposes hidden units that are summed over where numbers are missing, so that the likelihood is followed") {
  const ScratchFolder folder;
  const auto table = [](int rows, bool holes) {
    std::string text = "a,b,c,d,e,f,kind\n";
    for (int i = 0; i < rows; ++i) {
      const bool hole = holes && i % 30 == 0;
      text += hole ? "" : fmt::format("{:.3f}", std::sin(i));
      for (int k = 2; k < 7; ++k) text += fmt::format(",{:.3f}", std::sin(k * i));
      text += i % 3 == 0 ? ",x\n" : i % 3 == 1 ? ",y\n" : ",z\n";
    }
    return text;
  };
  const auto written = [&](int rows, bool holes) {
    folder.write("d.csv", table(rows, holes));
    REQUIRE(run(folder, {"init", "d.csv", "--output", "c.toml", "--overwrite"}).status == 0);
    return content_of(folder / "c.toml");
  };
  const std::string whole = written(600, false), holed = written(600, true);
  CAPTURE(holed);
  CHECK(whole.find("\nnum_hidden = 18\n") != std::string::npos);
  CHECK(whole.find("Numbers are missing") == std::string::npos);
  CHECK(holed.find("\nnum_hidden = 16\n") != std::string::npos);
  CHECK(holed.find("# Numbers are missing: up to 16 hidden units what was not seen is summed over exactly") !=
        std::string::npos);
  // It is followed without being asked for, unless more hidden units are.
  CHECK(holed.find("\ntype = \"log_likelihood\"\n") != std::string::npos);
  CHECK(like(holed, "*\n# * with up to 16 the likelihood of rows that lack numbers*\nnum_hidden = 16\n*"));
  CHECK(like(holed, "*\n# Of rows that lack numbers it takes at most 16 hidden units. *\n[[observers]]\n*"));
  CHECK(whole.find("that lack numbers") == std::string::npos);
  const Outcome wider =
      run(folder, {"train", "c.toml", "--output", "wider", "--epochs", "1", "--set", "model.num_hidden=17"});
  CHECK(wider.status == 0);
  CHECK(like(wider.err,
             "*harmonium: note: c.toml:*: observer 'log_likelihood': * the 17 units of layer 'hidden' have more states "
             "than that. Give it at most 16 units, or leave such rows to 'harmonium evaluate RUN', which estimates "
             "their sums. It is left out.\n*"));
  REQUIRE(
      run(folder, {"train", "c.toml", "--output", "run", "--quiet", "--set", "observers[0].every=1", "--epochs", "1"})
          .status == 0);
  CHECK(content_of(folder / "run/metrics.jsonl").find("\"log_likelihood\":") != std::string::npos);
  const Outcome more = run(folder, {"init", "d.csv", "--set", "model.num_hidden=20"});
  CHECK(more.status == 0);
  CHECK(more.out.find("log_likelihood") == std::string::npos);
  // Rows are set aside as of other data.
  CHECK(holed.find("\nvalidation = 100\n") != std::string::npos);
  CHECK(written(199, true).find("\nvalidation = ") == std::string::npos);
  CHECK(written(1000, true).find("\nvalidation = 100\n") != std::string::npos);
}

TEST_CASE("a class that is named after init has written the layers out is refused with the cure") {
  const ScratchFolder folder;
  folder.write("birds.csv", mixed_table());
  REQUIRE(run(folder, {"init", "birds.csv", "--output", "c.toml"}).status == 0);
  check_refusal(
      run(folder, {"train", "c.toml", "--set", "data.label_column=species", "--output", "run"}), 2,
      "[data] *birds.csv has * columns beside its labels, but the model's observed_layers, which are written "
      "out, have *. Write the configuration again by 'harmonium init' with what is set of data, such as --set "
      "data.label_column=NAME, or take observed_layers out of [model], or set it to [] (--set "
      "'model.observed_layers=[]'): they are then those of the data.");
  CHECK(run(folder, {"init", "birds.csv", "--set", "data.label_column=species", "--output", "c.toml", "--overwrite"})
            .status == 0);
  CHECK(run(folder, {"train", "c.toml", "--epochs", "1", "--output", "run"}).status == 0);
}

TEST_CASE("a kind that is told after init has written the layers out is refused, and never taken for another") {
  const ScratchFolder folder;
  std::string people = "age,income,visits,smoker\n";
  for (int r = 0; r < 60; ++r)
    people +=
        fmt::format("{},{},{},{}\n", 20 + r * 7 % 50, 1000.5 + r * 13 % 900, r * r % 7, r % 3 == 0 ? "yes" : "no");
  folder.write("people.csv", people);
  REQUIRE(run(folder,
              {"init", "people.csv", "--set", "data.kinds=[{column=\"visits\",kind=\"real\"}]", "--output", "c.toml"})
              .status == 0);
  const auto with = [&](const char* column, const char* kind) {
    return run(folder, {"train", "c.toml", "--epochs", "1", "--output", "run", "--overwrite", "--set",
                        fmt::format("data.kinds=[{{column=\"visits\",kind=\"real\"}},{{column=\"{}\",kind=\"{}\"}}]",
                                    column, kind)});
  };
  const std::string cure =
      " ones in its place. Write the configuration again by 'harmonium init' with what is set of data, such as --set "
      "data.kinds=..., or take observed_layers out of [model], or set it to [] (--set 'model.observed_layers=[]'): "
      "they are then those of the data.";
  check_refusal(
      run(folder, {"train", "c.toml", "--output", "run", "--set", "data.kinds=[{column=\"visits\",kind=\"count\"}]"}),
      2,
      "[data] *people.csv: column 'visits' takes poisson units, and the model's observed_layers, which are "
      "written out, have gaussian" +
          cure);
  const Outcome other =
      run(folder, {"train", "c.toml", "--epochs", "1", "--output", "other", "--set", "model.observed_layers=[]",
                   "--set", "data.kinds=[{column=\"visits\",kind=\"count\"}]"});
  CHECK_MESSAGE(other.status == 0, other.err);
  CHECK(content_of(folder / "other/config.toml").find("poisson") != std::string::npos);
  check_refusal(with("age", "count"), 2, "[data] *people.csv: column '*' takes * units, and *" + cure);
  CHECK(run(folder, {"train", "c.toml", "--epochs", "1", "--output", "run"}).status == 0);
}

TEST_CASE("what inspect and init propose of few bits with holes is trained as it stands") {
  const ScratchFolder folder;
  folder.write("holes.csv", "a,b,c\n0,1,\n1,0,1\n0,,1\n1,1,0\n");
  const Outcome begun = run(folder, {"init", "holes.csv", "--output", "c.toml", "--set", "data.missing=nan"});
  REQUIRE(begun.status == 0);
  const Outcome short_one =
      run(folder, {"init", "holes.csv", "--set", "data.missing=nan", "--set", "training.num_epochs=1"});
  CHECK(short_one.err.find("take long") == std::string::npos);
  const Outcome slow =
      run(folder, {"init", "holes.csv", "--set", "data.missing=nan", "--set", "training.num_epochs=1000000000"});
  CHECK(like(slow.err,
             "*note: rows with holes take long: by its first updates training takes some * on this machine, "
             "1000000000 epochs, without what observers measure. --set training.num_epochs=N *"));
  CHECK(run(folder, {"train", "c.toml", "--epochs", "1", "--output", "run"}).status == 0);
  const std::string shown = run(folder, {"inspect", "holes.csv"}).out;
  folder.write("shown.toml", shown.substr(shown.find("seed = ")));
  CHECK(run(folder, {"train", "shown.toml", "--epochs", "1", "--output", "other"}).status == 0);
}

}  // namespace data_table_test
