// Runs whose configuration leaves the sizes of observed layers to the data: those with the numbers, to the bit.
#include <string>

#include <doctest/doctest.h>

#include "files.hpp"
#include "stacks.hpp"

namespace sizes_of_data_cli_test {

using namespace harmonium::testing;

namespace {

std::string without(std::string text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.erase(at, part.size());
}

/// Trains both, and checks that they are one run.
void check_same_run(const ScratchFolder& folder, const std::string& open, const std::string& closed) {
  folder.write("open.toml", open);
  folder.write("closed.toml", closed);
  REQUIRE(run(folder, {"train", "open.toml", "--output", "open"}).status == 0);
  REQUIRE(run(folder, {"train", "closed.toml", "--output", "closed"}).status == 0);
  CHECK(content_of(folder / "open/config.toml") == content_of(folder / "closed/config.toml"));
  CHECK(content_of(folder / "open/metrics.jsonl") == content_of(folder / "closed/metrics.jsonl"));
  CHECK(run(folder, {"explain", "open.toml", "--no-timing"}).out ==
        run(folder, {"explain", "closed.toml", "--no-timing"}).out);
}

}  // namespace

TEST_CASE("a run without num_visible is the run with the number of the data's columns") {
  const ScratchFolder folder;
  check_same_run(folder, without(small_config, "num_visible = 9\n"), small_config);
  CHECK(content_of(folder / "open/config.toml").find("size = 9\n") != std::string::npos);
  // Another size of data is another size of the model, and one that is given stays a mistake.
  CHECK(run(folder, {"explain", "open.toml", "--no-timing", "--set", "data.side=4", "--set", "training.batch_size=5"})
            .out.find("weight.visible.hidden 16 x 5") != std::string::npos);
  check_refusal(run(folder, {"train", "closed.toml", "--set", "data.side=4"}), 2, "*columns*");
  check_refusal(run(folder, {"train", "open.toml", "--set", "model.num_visble=9"}), 2,
                "*unknown option 'num_visble' (did you mean 'num_visible'?)*");
}

TEST_CASE("as many classes as the data have are asked for by their name") {
  const ScratchFolder folder;
  folder.write("rows.csv", "0,0,0,1,0\n0,0,1,1,0\n1,1,0,0,1\n1,1,1,0,1\n0,1,1,0,2\n1,0,0,1,2\n");
  const std::string before =
      "data = { type = \"csv\", path = \"rows.csv\", label_column = \"last\" }\n"
      "estimator = { type = \"cd\" }\ntraining = { num_epochs = 2, batch_size = 3 }\n";
  check_same_run(folder, before + "model = { type = \"rbm\", num_hidden = 6, num_labels = \"data\" }\n",
                 before + "model = { type = \"rbm\", num_visible = 4, num_hidden = 6, num_labels = 3 }\n");
  check_refusal(run(folder, {"train", "open.toml", "--set", "data.label_column="}), 2,
                "*the number of classes is to be that of the data, and *rows.csv has no labels.*");
}

TEST_CASE("the one observed layer without a size has the columns that are left") {
  const ScratchFolder folder;
  folder.write("rows.csv", "0,1,0.5,2\n1,0,1.5,-1\n1,1,-0.5,0\n0,0,0.25,1\n");
  const auto config = [](const std::string& size) {
    return "data = { type = \"csv\", path = \"rows.csv\" }\nestimator = { type = \"cd\" }\n"
           "training = { num_epochs = 2, batch_size = 2 }\n[model]\ntype = \"layered\"\nterms = [\n"
           "  { type = \"coupling\", layers = [\"bits\", \"hidden\"] },\n"
           "  { type = \"coupling\", layers = [\"real\", \"hidden\"] },\n]\n"
           "[[model.layers]]\nname = \"bits\"\nsize = 2\n"
           "[[model.layers]]\nname = \"real\"\nunits = \"gaussian\"\n" +
           size + "[[model.layers]]\nname = \"hidden\"\nsize = 3\nrole = \"latent\"\n";
  };
  check_same_run(folder, config(""), config("size = 2\n"));
}

TEST_CASE("machines of a stack, and the deep machine that they make, have the size of the lowest one's data") {
  const CliFolder folder;
  folder.write("open.toml", without(small_config, "num_visible = 9\n"));
  const auto trained = [&](const std::string& base, const std::string& name) {
    folder.write(name + ".toml", "base = \"" + base +
                                     "\"\n[[machines]]\n[[machines]]\n\"model.num_hidden\" = 4\n[joint]\n"
                                     "\"training.num_epochs\" = 2\n\"estimator.positive\" = \"mean_field\"\n");
    const Outcome outcome = stack(folder, {name + ".toml"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return content_of(folder / (name + "/joint/metrics.jsonl"));
  };
  CHECK(trained("open.toml", "left") == trained("small.toml", "given"));
}

TEST_CASE("a model of no data needs its number") {
  const ScratchFolder folder;
  folder.write("m.toml", "[model]\ntype = \"fully_visible\"\n");
  check_refusal(
      run(folder, {"import", "m.toml", "--output", "m.h5"}), 2,
      "m.toml:*model 'fully_visible': 'num_visible' must be given (at least 1) where there is no data to take "
      "it from.");
}

}  // namespace sizes_of_data_cli_test
