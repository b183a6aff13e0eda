// Columns of CSV files that are given to a trained model are those of their names, whatever their places.
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace columns_by_name_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr const char* config = R"(seed = 2
precision = "float64"
data = { type = "csv", path = "rows.csv", label_column = "last" }
model = { type = "rbm", num_visible = 3, num_labels = 2, num_hidden = 2 }
estimator = { type = "cd" }
training = { num_epochs = 40, batch_size = 3 }
)";

/// A run on three named columns whose means differ, and a class in the last one.
void train(const ScratchFolder& folder) {
  folder.write("rows.csv", "a,b,c,kind\n1,0,0,x\n1,1,0,y\n1,0,0,x\n1,1,0,x\n0,0,1,y\n1,0,0,x\n");
  folder.write("rows.toml", config);
  REQUIRE(run(folder, {"train", "rows.toml", "--output", "run", "--quiet"}).status == 0);
}

}  // namespace

TEST_CASE("rows in another order of columns are judged as they are in the model's own order") {
  const ScratchFolder folder;
  train(folder);
  folder.write("same.csv", "a,b,c,kind\n1,0,0,x\n0,1,0,y\n1,1,1,x\n");
  const auto judge = [&](const char* content) {
    folder.write("other.csv", content);
    Outcome outcome = run(folder, {"evaluate", "run", "--data", "other.csv", "--json"});
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return outcome;
  };
  const Outcome same = run(folder, {"evaluate", "run", "--data", "same.csv", "--json"});
  CHECK(same.err == "");
  CHECK(nlohmann::json::parse(same.out)["accuracy"].is_number());
  for (const char* content : {"c,kind,b,a\n0,x,0,1\n0,y,1,0\n1,x,1,1\n", "kind,a,b,c\nx,1,0,0\ny,0,1,0\nx,1,1,1\n"}) {
    const Outcome other = judge(content);
    CHECK(other.out == same.out);
    CHECK(other.err == "");
  }
  const Outcome more = judge("id,c,kind,b,a,age\n7,0,x,0,1,9\n8,0,y,1,0,9\n9,1,x,1,1,9\n");
  CHECK(more.out == same.out);
  CHECK(more.err ==
        "harmonium: note: other.csv: columns 'id', 'age', none of the columns that the model was trained on, are left "
        "out.\n");
  // Samples hold their classes as columns: in any order too.
  const Outcome samples = judge("kind=y,b,c,a,kind=x\n0,0,0,1,1\n1,1,0,0,0\n0,1,1,1,1\n");
  CHECK(nlohmann::json::parse(samples.out)["log_likelihood"] == nlohmann::json::parse(same.out)["log_likelihood"]);
}

TEST_CASE("columns of other names are refused, unless the command line names them") {
  const ScratchFolder folder;
  train(folder);
  folder.write("other.csv", "a,bb,c,kind\n1,0,0,x\n");
  check_refusal(
      run(folder, {"evaluate", "run", "--data", "other.csv"}), 2,
      "[data] other.csv: has no column 'b' (did you mean 'bb'?), which the training data have. Its columns: a, "
      "bb, c, kind; theirs: a, b, c. Columns are found by their names: rename them, or say which are meant, in "
      "the order of the training data, in data.columns.");
  CHECK(run(folder, {"evaluate", "run", "--data", "other.csv:columns=[\"a\", \"bb\", \"c\"]"}).status == 0);
  // A file without names is taken by places.
  folder.write("bare.csv", "1,0,0,x\n");
  CHECK(run(folder, {"evaluate", "run", "--data", "bare.csv"}).status == 0);
  // So is one without the class, for who does not need it.
  folder.write("plain.csv", "1,0,0\n");
  CHECK(run(folder, {"transform", "run", "--data", "plain.csv", "--output", "h.csv"}).status == 0);
}

TEST_CASE("the last column of a file without classes is no class") {
  const ScratchFolder folder;
  train(folder);
  folder.write("bare.csv", "c,b,a\n0,0,1\n1,0,0\n");
  folder.write("same.csv", "a,b,c,kind\n1,0,0,x\n0,0,1,x\n");
  const auto features = [&](const char* file) {
    const Outcome outcome = run(folder, {"transform", "run", file, "--output", "h.csv"});
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return content_of(folder / "h.csv");
  };
  CHECK(features("bare.csv") == features("same.csv"));
  CHECK(like(run(folder, {"evaluate", "run", "--data", "bare.csv"}).err, "*bare.csv: the rows have no class; *"));
}

TEST_CASE("what a model's data say of labels is taken back by an empty setting") {
  const ScratchFolder folder;
  train(folder);
  folder.write("bare.csv", "0,0,1\n1,0,0\n");  // no names, and no class in the last place
  const auto features = [&](const Words& more) {
    Words words{"transform", "run", "--output", "h.csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return content_of(folder / "h.csv");
  };
  folder.write("named.csv", "a,b,c\n0,0,1\n1,0,0\n");
  const std::string expected = features({"named.csv"});
  CHECK(features({"bare.csv", "--set", "data.label_column="}) == expected);
  CHECK(features({"bare.csv:label_column="}) == expected);
  check_refusal(run(folder, {"transform", "run", "bare.csv", "--output", "h.csv", "--set", "data.scail="}), 2,
                "--set data.scail=: the model's own data say nothing of it, so there is nothing to take back. An empty "
                "text is written --set data.scail='\"\"'.");
}

TEST_CASE("what is held of a file are the columns of its names") {
  const ScratchFolder folder;
  train(folder);
  const auto held = [&](const char* content) {
    folder.write("seen.csv", content);
    const Outcome outcome = run(
        folder, {"sample", "run", "--num-samples", "8", "--steps", "3", "--clamp", "seen.csv", "--output", "s.csv"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return csv_fields(folder / "s.csv");
  };
  auto rows = held("c,a,b\n1,,0\n");
  CHECK(rows[0] == Words{"a", "b", "c", "kind=x", "kind=y"});
  for (auto row = rows.begin() + 1; row != rows.end(); ++row)
    CHECK(Words(row->begin() + 1, row->begin() + 3) == Words{"0", "1"});
  // A class that is there is held too.
  rows = held("kind,c,a,b\ny,1,,0\n");
  for (auto row = rows.begin() + 1; row != rows.end(); ++row)
    CHECK(Words(row->begin() + 1, row->end()) == Words{"0", "1", "0", "1"});
  // Columns that are not there are drawn.
  rows = held("kind,c\ny,1\n");
  CHECK(rows[0] == Words{"a", "b", "c", "kind=x", "kind=y"});
  for (auto row = rows.begin() + 1; row != rows.end(); ++row)
    CHECK(Words(row->begin() + 2, row->end()) == Words{"1", "0", "1"});
}

TEST_CASE("of a table the class that a file has is held, and drawn where it has none") {
  const ScratchFolder folder;
  std::string rows = "smoker,city,diagnosis\n";
  for (int r = 0; r < 60; ++r)
    rows +=
        std::string(r % 2 ? "yes," : "no,") + (r % 3 == 0 ? "Rome," : "Oslo,") + (r % 5 < 2 ? "flu" : "cold") + "\n";
  folder.write("people.csv", rows);
  REQUIRE(run(folder, {"init", "people.csv", "--set", "data.label_column=diagnosis", "--output", "p.toml"}).status ==
          0);
  REQUIRE(run(folder, {"train", "p.toml", "--output", "people", "--quiet", "--epochs", "2"}).status == 0);
  const auto drawn = [&](const char* content) {
    folder.write("seen.csv", content);
    const Outcome outcome = run(folder, {"sample", "people", "--num-samples", "40", "--steps", "5", "--clamp",
                                         "seen.csv", "--output", "s.csv"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return csv_fields(folder / "s.csv");
  };
  auto found = drawn("smoker,city,diagnosis\n,,flu\nyes,,cold\n");
  CHECK(found[0] == Words{"smoker", "city", "diagnosis"});
  for (std::size_t r = 1; r < found.size(); ++r) {
    CHECK(found[r][2] == (r % 2 ? "flu" : "cold"));
    if (r % 2 == 0) CHECK(found[r][0] == "yes");
  }
  found = drawn("diagnosis,city\nflu,Rome\ncold,\n");
  for (std::size_t r = 1; r < found.size(); ++r) {
    CHECK(found[r][2] == (r % 2 ? "flu" : "cold"));
    if (r % 2 == 1) CHECK(found[r][1] == "Rome");
  }
  found = drawn("smoker,city\nyes,\n");
  int colds = 0;
  for (std::size_t r = 1; r < found.size(); ++r) colds += found[r][2] == "cold" ? 1 : 0;
  CHECK(colds > 0);
  CHECK(colds < 40);
}

TEST_CASE("a column is held by its name") {
  const ScratchFolder folder;
  train(folder);
  const Words sample{"sample", "run", "--num-samples", "20", "--steps", "3", "--output", "s.csv"};
  const auto with = [&](const Words& more) {
    Words words = sample;
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  REQUIRE(with({"--clamp", "b=1", "--clamp", "c=0", "--clamp", "kind=y"}).status == 0);
  const auto rows = csv_fields(folder / "s.csv");
  for (auto row = rows.begin() + 1; row != rows.end(); ++row)
    CHECK(Words(row->begin() + 1, row->end()) == Words{"1", "0", "0", "1"});
  check_refusal(with({"--clamp", "b=2"}), 2, "--clamp b=2: a binary unit of layer 'visible' is one of 0, 1.");
  // Of a unit of several columns each stands for a state.
  folder.write("sites.csv", "x=A,x=B,y=A,y=B\n1,0,0,1\n0,1,1,0\n1,0,1,0\n");
  folder.write("sites.toml",
               "data = { type = \"csv\", path = \"sites.csv\" }\nestimator = { type = \"cd\" }\n"
               "training = { num_epochs = 2 }\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 2\n"
               "visible_units = { type = \"categorical\", num_states = 2 }\n");
  REQUIRE(run(folder, {"train", "sites.toml", "--output", "run", "--overwrite", "--quiet"}).status == 0);
  REQUIRE(with({"--clamp", "y=A=1"}).status == 0);
  const auto sites = csv_fields(folder / "s.csv");
  for (auto row = sites.begin() + 1; row != sites.end(); ++row)
    CHECK(Words(row->begin() + 2, row->end()) == Words{"1", "0"});
  check_refusal(with({"--clamp", "y=A=0"}), 2,
                "--clamp y=A=0: the column is a state of a categorical unit, which is *");
}

TEST_CASE("a wrong number of columns is told without those of labels") {
  const ScratchFolder folder;
  train(folder);
  check_refusal(
      run(folder, {"train", "rows.toml", "--output", "other", "--set", "model.num_visible=4"}), 2,
      "*rows.csv has 3 columns beside its labels, but the model has 4 observed ones beside those of its layer "
      "'label'. Set the model's size to the data's, or take other data.");
  check_refusal(run(folder, {"train", "rows.toml", "--output", "other", "--set", "model.num_visible=4", "--set",
                             "model.num_labels=0"}),
                2, "*rows.csv has 3 columns beside its labels, but the model has 4 observed ones. *");
}

}  // namespace columns_by_name_test
