// Counts and positive numbers, from a file to a likelihood.
#include <cmath>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace counts_test {

using namespace harmonium::testing;

namespace {

constexpr const char* config = R"(seed = 3
precision = "float64"
[data]
type = "table"
path = "counts.csv"
kinds = [{ column = "a", kind = "count" }, { column = "b", kind = "count" }]
[model]
type = "mixed"
num_hidden = 2
[estimator]
type = "pcd"
[optimizer]
type = "sgd"
learning_rate = 0.02
[training]
num_epochs = 6
batch_size = 10
checkpoint_every = 2
)";

/// Two columns of counts, one of them large where the other is small.
void write_counts(const ScratchFolder& folder) {
  std::ofstream file(folder / "counts.csv");
  file << "a,b\n";
  for (int r = 0; r < 40; ++r) file << (r % 2 ? 5 + r % 7 : r % 3) << "," << (r % 2 ? r % 2 : 4 + r % 5) << "\n";
  std::ofstream(folder / "counts.toml") << config;
}

}  // namespace

TEST_CASE("columns of counts are trained on, judged in every way that there is, and drawn as counts") {
  const ScratchFolder folder;
  write_counts(folder);
  REQUIRE(run(folder, {"train", "counts.toml", "--output", "run", "--quiet"}).status == 0);
  std::filesystem::copy_file(folder / "run/model.h5", folder / "m.h5");
  const auto exact = judged(folder, {"--data", "counts.csv"}),
             annealed = judged(folder, {"--data", "counts.csv", "--log-z", "ais"});
  CHECK(annealed["agree"] == true);
  CHECK(annealed["log_z_interval"][0] < exact["log_z"]);
  CHECK(annealed["log_z_interval"][1] > exact["log_z"]);
  // A probability of counts: each row's log p is below 0, which it is not without log 1/n!.
  CHECK(exact["log_likelihood"] < -2.0);
  CHECK(exact["log_likelihood"] > -8.0);

  REQUIRE(run(folder, {"sample", "m.h5", "--num-samples", "50", "--steps", "50", "--output", "drawn.csv"}).status == 0);
  const auto lines = csv_fields(folder / "drawn.csv");
  REQUIRE(lines.size() == 51);
  CHECK(lines[0] == Words{"a", "b"});
  for (std::size_t r = 1; r < lines.size(); ++r)
    for (const std::string& field : lines[r]) CHECK(field.find_first_not_of("0123456789") == std::string::npos);
  CHECK(run(folder, {"observe", "m.h5", "--betas", "0,0.5,1", "--steps", "200"}).status == 0);

  // The same bits where it stops halfway.
  REQUIRE(
      run(folder, {"train", "counts.toml", "--output", "half", "--quiet", "--set", "training.num_epochs=3"}).status ==
      0);
  REQUIRE(run(folder, {"train", "--resume", "half", "--epochs", "6", "--quiet"}).status == 0);
  CHECK(content_of(folder / "half/model.h5") == content_of(folder / "run/model.h5"));
}

TEST_CASE("what counts and positive units cannot be is said") {
  const ScratchFolder folder;
  write_counts(folder);
  const auto refused = [&](const Words& settings, int status, const char* pattern) {
    Words words{"train", "counts.toml", "--output", "run", "--quiet"};
    for (const std::string& s : settings) {
      words.emplace_back("--set");
      words.push_back(s);
    }
    check_refusal(run(folder, words), status, pattern);
  };
  std::ofstream(folder / "halves.csv") << "a,b\n1,2\n0.5,3\n";
  refused({"data.path=halves.csv"}, 2,
          "[data] */halves.csv: row 1, column 0 (both counted from 0) is 0.5, but poisson units of layer 'count' take "
          "values 0, 1, 2 and so "
          "on. Give it such values, or take units of another kind: \"gaussian\" ones take any number.");
  refused({"model.hidden_units=gaussian"}, 2,
          "counts.toml:*: model 'mixed': layers 'count' and 'hidden' are coupled, of poisson and of gaussian units: "
          "the latter may be any number, "
          "the former's law takes a field that has an upper end, and so no density exists. Take units with a few "
          "states for one of them.");
  refused({"sampler=hmc"}, 2, "*");
  refused({"estimator={type=\"pcd\", sampler=\"hmc\"}"}, 2,
          "*the poisson units of layer 'count' have a base measure, of which the energy's slope knows nothing, and no "
          "other layer is continuous. Try 'gibbs'.");
  refused({"estimator=pseudo_likelihood"}, 2, "*");
  refused({"data.kinds=[{column=\"a\", kind=\"count\", levels=[\"1\",\"2\"]}]"}, 2,
          "*column 'a' is count, and has levels (numbers have none). Leave one out.");
  CHECK(files_below(folder.path()) == Words{"counts.csv", "counts.toml", "halves.csv"});

  // An exponential unit's field stays below its rate at the temperature that is asked for, too.
  std::ofstream(folder / "bits.toml") << R"(data = { type = "bars_and_stripes", side = 2 }
model = { type = "rbm", num_visible = 4, num_hidden = 2, hidden_units = { type = "exponential", rate = 2.0 } }
initializer = { type = "normal", std = 0.0, mean = 0.25, hidden_bias = 0.5 }
estimator = { type = "cd" }
optimizer = { type = "sgd", learning_rate = 0.0001 }
training = { num_epochs = 1, batch_size = 6 }
)";
  REQUIRE(run(folder, {"train", "bits.toml", "--output", "bits", "--quiet"}).status == 0);
  CHECK(run(folder, {"sample", "bits", "--num-samples", "2", "--steps", "5", "--output", "b.csv"}).status == 0);
  check_refusal(
      run(folder, {"sample", "bits", "--beta", "2", "--num-samples", "2", "--steps", "5", "--output", "c.csv"}), 2,
      "sampler 'gibbs': at beta = 2 the field of unit * of layer 'hidden' may be *, and exponential units have "
      "a law below 2 only: no density exists.");
}

}  // namespace counts_test
