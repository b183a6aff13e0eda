// Machines stacked upon one of a table of mixed columns, whose configuration is of these columns.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"
#include "stacks.hpp"

namespace stack_of_table_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// 60 people; with `holes` every sixth lacks an entry.
std::string people(bool holes = false) {
  constexpr const char* colors[] = {"red", "green", "blue"};
  std::string text = "age,smoker,income,color\n";
  for (int i = 0; i < 60; ++i) {
    const bool smokes = i * 7 % 5 < 2, lacks = holes && i % 6 == 0;
    text += fmt::format("{:.1f},{},{},{}\n", 40.0 + 10.0 * ((i * 37 % 60) / 30.0 - 1.0), smokes ? "yes" : "no",
                        lacks ? "" : fmt::format("{:.2f}", 3.0 + smokes + (i * 23 % 60) / 60.0), colors[i * 11 % 3]);
  }
  return text;
}

/// With people.toml, the configuration that `init` writes for people.csv.
struct TableFolder : CliFolder {
  explicit TableFolder(bool holes = false) {
    write("people.csv", people(holes));
    REQUIRE(run(*this, {"init", "people.csv", "--output", "people.toml", "--quiet"}).status == 0);
    REQUIRE(content_of(*this / "people.toml").find("parameter = \"log_precision.real\"") != std::string::npos);
  }
  /// Two machines upon people.toml, the second one with these settings.
  void stacked(const std::string& name, const std::string& second, const std::string& end = "") const {
    write(name, "base = \"people.toml\"\n[[machines]]\n\"model.num_hidden\" = 5\n[[machines]]\n" + second + end);
  }
  bool has(const std::string& file, const char* text) const {
    return content_of(*this / file).find(text) != std::string::npos;
  }
};

constexpr const char* rbm =
    "machine 2 is an RBM, as the configuration's 'mixed' is of the columns of the data: its "
    "visible units are the 5 binary ones that machine 1 passes up, with ";
constexpr const char* no_precision =
    "machine 2 has no 'log_precision.real', whose factor in the configuration's optimizer.factors is left out.";

}  // namespace

TEST_CASE("above a machine of a table's columns stands an RBM of what it passes up, and what it leaves out is said") {
  const TableFolder folder;
  folder.stacked("two.toml", "\"model.num_hidden\" = 12\n");
  const Words length{"--epochs", "2", "--no-likelihood"};
  const auto made = [&](const std::string& file) {
    Words words{"stack", file};
    words.insert(words.end(), length.begin(), length.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.err;
  };
  const std::string notes =
      fmt::format("harmonium: note: {}12 binary hidden ones.\nharmonium: note: {}\n", rbm, no_precision);
  const Outcome dry = run(folder, {"stack", "two.toml", "--dry-run"});
  CHECK(dry.out == "2 machines\n");
  CHECK(dry.err.find(notes) != std::string::npos);
  CHECK(run(folder, {"stack", "two.toml", "--dry-run", "--quiet"}).err == "");
  CHECK(made("two.toml").find(notes) != std::string::npos);
  CHECK(folder.has("two/machine1/config.toml", "log_precision.real"));
  CHECK(!folder.has("two/machine2/config.toml", "log_precision"));
  for (const char* line : {"name = \"visible\"\nsize = 5\n", "name = \"hidden\"\nsize = 12\n"})
    CHECK_MESSAGE(folder.has("two/machine2/config.toml", line), line);

  // As where the machine says all of it itself; then there is nothing to be said.
  folder.stacked("own.toml", "model = { type = \"rbm\", num_hidden = 12 }\n\"optimizer.factors\" = []\n");
  const std::string silent = made("own.toml");
  for (const char* words : {"is an RBM", "log_precision"}) CHECK(silent.find(words) == std::string::npos);
  CHECK(content_of(folder / "two/machine2/metrics.jsonl") == content_of(folder / "own/machine2/metrics.jsonl"));
}

TEST_CASE("a machine above one of a table's columns has as many hidden units as the configuration, unless it says") {
  const TableFolder folder;
  const auto dry = [&](const std::string& second, const Words& more = {}) {
    folder.stacked("two.toml", second);
    Words words{"stack", "two.toml", "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  const Outcome same = dry("", {"--set", "model.num_hidden=7"});
  CHECK(same.status == 0);
  CHECK_MESSAGE(same.err.find(std::string(rbm) + "7 binary hidden ones, as many as the configuration has.\n") !=
                    std::string::npos,
                same.err);
  // Its own type is no surprise; the factor of the configuration is left out all the same.
  const Outcome typed = dry("model = { type = \"rbm\", num_hidden = 12 }\n");
  CHECK(typed.status == 0);
  CHECK(typed.err == fmt::format("harmonium: note: {}\n", no_precision));
  // A layered model with the same layers does as 'mixed' does.
  folder.write("layers.toml", R"(precision = "float64"
data = { type = "bars_and_stripes", side = 3 }
estimator = { type = "pcd", num_chains = 8 }
[model]
type = "layered"
layers = [{ name = "pixels", size = 9 }, { name = "features", size = 4, role = "latent" }]
terms = [{ type = "coupling", layers = ["pixels", "features"] }]
)");
  folder.write("layered.toml", "base = \"layers.toml\"\n[[machines]]\n[[machines]]\n");
  const Outcome layered = run(folder, {"stack", "layered.toml", "--epochs", "1", "--no-likelihood"});
  CHECK(layered.status == 0);
  CHECK_MESSAGE(like(layered.err,
                     "*machine 2 is an RBM, as the configuration's 'layered' is of the columns of the data: "
                     "its visible units are the 4 binary ones that machine 1 passes up, with 4 binary hidden "
                     "ones, as many as the configuration has.\n*"),
                layered.err);
}

TEST_CASE("factors of the configuration that a machine above has parameters for stay, and its own ones are checked") {
  const TableFolder folder;
  const Words dry{"--set", "optimizer.factors[1]={parameter=\"bias\",factor=0.5}", "--epochs", "1", "--no-likelihood"};
  folder.stacked("two.toml", "\"model.num_hidden\" = 4\n");
  Words words{"stack", "two.toml"};
  words.insert(words.end(), dry.begin(), dry.end());
  const Outcome outcome = run(folder, words);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find(no_precision) != std::string::npos);
  CHECK(folder.has("two/machine2/config.toml", "parameter = \"bias\""));
  CHECK(!folder.has("two/machine2/config.toml", "log_precision"));

  const auto refused = [&](const std::string& second, const char* pattern) {
    folder.stacked("bad.toml", "\"model.num_hidden\" = 4\n" + second);
    check_refusal(stack(folder, {"bad.toml"}), 2, pattern);
    CHECK(!fs::exists(folder / "bad"));
  };
  const char* none = "*the model has no parameter 'log_precision.real'*(Machine 2 of 2. Nothing was started.)";
  refused("\"optimizer.factors\" = [{ parameter = \"log_precision.real\" }]\n", none);
  refused("\"optimizer.factors[0].factor\" = 0.5\n", none);
  refused("\"optimizer.factors[1]\" = { parameter = \"bais\" }\n", "*no parameter 'bais'*(Machine 2 of 2.*");

  folder.stacked("tuned.toml", "\"model.num_hidden\" = 4\n", "[fine_tune]\n\"training.num_epochs\" = 1\n");
  const Outcome tuned = run(folder, {"stack", "tuned.toml", "--dry-run"});
  CHECK(tuned.out == "2 machines, fine-tuned\n");
  CHECK_MESSAGE(
      tuned.err.find("fine-tuning has no 'log_precision.real', whose factor in the configuration's "
                     "optimizer.factors is left out: tensors of the whole are called otherwise, as "
                     "'machine1.log_precision.real', and optimizer.factors of [fine_tune] may name these.\n") !=
          std::string::npos,
      tuned.err);
}

TEST_CASE("rows with holes are refused before a machine of a stack is trained, and completed by a model of them") {
  const TableFolder folder(true);
  folder.stacked("two.toml", "\"model.num_hidden\" = 4\n");
  const std::string words =
      "*people.csv: entries are missing, and what a row with holes passes up is not one law. Complete the rows by a "
      "model "
      "*'harmonium transform RUN *people.csv --complete --likeliest --output complete.csv'*(Machine 1 of 2. Nothing "
      "was "
      "started.)";
  for (const Words& more : {Words{"two.toml"}, Words{"two.toml", "--dry-run"}}) {
    check_refusal(stack(folder, more), 2, words);
    CHECK(!fs::exists(folder / "two"));
  }
  // The way that it names.
  REQUIRE(run(folder, {"train", "people.toml", "--epochs", "2", "--output", "run", "--quiet"}).status == 0);
  REQUIRE(
      run(folder, {"transform", "run", "people.csv", "--complete", "--likeliest", "--output", "complete.csv"}).status ==
      0);
  const Words complete{"two.toml", "--set", "data.path=complete.csv", "--epochs", "2"};
  const Outcome made = stack(folder, complete);
  CHECK_MESSAGE(made.status == 0, made.err);
  CHECK(fs::exists(folder / "two/model.h5"));
  // Rows that no machine is trained on are passed up too.
  Words validated = complete;
  validated.insert(validated.end(), {"--set", "data.validation_path=people.csv", "--output", "validated"});
  check_refusal(stack(folder, validated), 2, words);
}

}  // namespace stack_of_table_test
