// A model's tables, as export writes them, read back by import: any model, with numbers of one's own.
#include <cmath>
#include <filesystem>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace import_tables_test {

using namespace harmonium::testing;

namespace {

/// A model of such tables [model] and [initializer], and its folder of tables.
void write_tables(const ScratchFolder& folder, const std::string& model, const std::string& more = "") {
  folder.write("made.toml", "seed = 5\nprecision = \"float64\"\nmodel = " + model +
                                "\ninitializer = { type = \"normal\", std = 0.7 }\n" + more);
  const Outcome made = run(folder, {"import", "made.toml", "--output", "made.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  REQUIRE(run(folder, {"export", "made.h5", "--output", "tables"}).status == 0);
}

Outcome imported(const ScratchFolder& folder, const Words& more = {}) {
  Words words{"import", "tables", "--output", "back.h5"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

/// Whether two folders have the same files with the same content.
void check_same_tables(const ScratchFolder& folder, const std::string& a, const std::string& b) {
  const Words files = files_below(folder / a);
  REQUIRE(files == files_below(folder / b));
  for (const std::string& file : files) {
    CAPTURE(file);
    CHECK(content_of(folder / a / file) == content_of(folder / b / file));
  }
}

void replace(const ScratchFolder& folder, const std::string& file, const std::string& from, const std::string& to) {
  std::string text = content_of(folder / file);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  folder.write(file, text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("what export wrote of any model comes back to the bit") {
  const std::pair<const char*, const char*> models[] = {
      {"rbm", R"({ type = "rbm", num_visible = 4, num_hidden = 3 })"},
      {"labels", R"({ type = "rbm", num_visible = 4, num_hidden = 3, num_labels = 3 })"},
      {"Gaussian-Bernoulli", R"({ type = "rbm", num_visible = 4, num_hidden = 3, visible_units = "gaussian" })"},
      {"Hopfield",
       R"({ type = "rbm", num_visible = 4, num_hidden = 2, visible_units = "spin", hidden_units = "gaussian" })"},
      {"deep", R"({ type = "deep", num_visible = 4, num_hidden = [3, 2] })"},
      {"lateral", R"({ type = "boltzmann_machine", num_visible = 4, num_hidden = 3 })"},
      {"Ising", R"({ type = "fully_visible", num_visible = 4, visible_units = "spin" })"},
      {"Potts",
       R"({ type = "layered", layers = [{ name = "s", size = 4, units = { type = "categorical", num_states = 3 } }],
 terms = [{ type = "lattice", layer = "s", shape = [2, 2], open_axes = [0, 1], uniform = true }] })"}};
  for (const auto& each : models) {
    const std::string name = each.first, model = each.second;
    CAPTURE(name);
    const ScratchFolder folder;
    std::string line = model;
    std::erase(line, '\n');
    write_tables(folder, line);
    const Outcome outcome = imported(folder);
    CHECK(outcome.err == "");
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out.starts_with("tables: layer '"));
    REQUIRE(run(folder, {"export", "back.h5", "--output", "again"}).status == 0);
    check_same_tables(folder, "tables", "again");
    CHECK(run(folder, {"evaluate", "back.h5", "--json", "--seed", "1"}).out ==
          run(folder, {"evaluate", "made.h5", "--json", "--seed", "1"}).out);
  }
}

TEST_CASE("a lattice of spins or bits comes back as one, uniform or not, with fields or without") {
  struct Kind {
    const char *units, *uniform, *bias, *field;
  };
  for (const Kind& kind : {Kind{"spin", "true", "false", ""}, Kind{"spin", "true", "true", ", field = 0.3"},
                           Kind{"spin", "false", "false", ""}, Kind{"spin", "false", "true", ", field = 0.3"},
                           Kind{"binary", "true", "true", ", field = 0.3"}, Kind{"binary", "false", "false", ""}}) {
    CAPTURE(std::string(kind.units));
    CAPTURE(std::string(kind.uniform));
    CAPTURE(std::string(kind.bias));
    const ScratchFolder folder;
    folder.write("made.toml", fmt::format(R"(seed = 5
precision = "float64"
initializer = {{ type = "normal", std = 0.7{} }}
[model]
type = "layered"
layers = [{{ name = "s", size = 12, units = "{}", bias = {} }}]
terms = [{{ type = "lattice", layer = "s", shape = [3, 4], uniform = {} }}]
)",
                                          kind.field, kind.units, kind.bias, kind.uniform));
    REQUIRE(run(folder, {"import", "made.toml", "--output", "made.h5"}).status == 0);
    REQUIRE(run(folder, {"export", "made.h5", "--output", "tables"}).status == 0);
    const Outcome outcome = imported(folder);
    CHECK(outcome.err == "");
    REQUIRE(outcome.status == 0);
    CHECK(outcome.out.starts_with(fmt::format("tables: layer 's' of 12 {} units; ", kind.units)));
    REQUIRE(run(folder, {"export", "back.h5", "--output", "again"}).status == 0);
    check_same_tables(folder, "tables", "again");
    CHECK(run(folder, {"evaluate", "back.h5", "--json"}).out == run(folder, {"evaluate", "made.h5", "--json"}).out);
    const auto correlations = [&](const char* model) {
      const Outcome observed = run(folder, {"observe", model, "--exact", "--correlations", "lattice", "--json"});
      CHECK_MESSAGE(observed.status == 0, observed.err);
      return nlohmann::json::parse(observed.out)["correlations"];
    };
    CHECK(correlations("back.h5") == correlations("made.h5"));
    CHECK(run(folder,
              {"sample", "back.h5", "--clamp", "s[0]=1", "--num-samples", "2", "--steps", "3", "--output", "held.csv"})
              .status == 0);
    // A folder that does not say what the model is holds the couplings of some graph.
    std::filesystem::remove(folder / "tables/model.toml");
    CHECK(like(imported(folder).out, "tables/lattice.s.csv: 12 * counted from 0, 24 couplings *"));
  }
}

TEST_CASE("an edge of a uniform lattice of spins that has a coupling of its own is refused with its place") {
  const ScratchFolder folder;
  folder.write("made.toml", R"(precision = "float64"
initializer = { type = "normal", mean = 1.25, std = 0.0 }
[model]
type = "layered"
layers = [{ name = "s", size = 12, units = "spin", bias = false }]
terms = [{ type = "lattice", layer = "s", shape = [3, 4], uniform = true }]
)");
  REQUIRE(run(folder, {"import", "made.toml", "--output", "made.h5"}).status == 0);
  REQUIRE(run(folder, {"export", "made.h5", "--output", "tables"}).status == 0);
  replace(folder, "tables/lattice.s.csv", "s[1],s[2],1.25\n", "s[1],s[2],1.5\n");
  check_refusal(imported(folder), 1,
                "tables/lattice.s.csv:5: 1.5 is another value than that of an edge before, whose coupling it has.");
}

TEST_CASE("masks come back, between layers by a table of their own and within one by the pairs that are listed") {
  const ScratchFolder folder;
  folder.write("across.csv", "1,0,1\n0,1,1\n1,1,0\n0,0,1\n");
  folder.write("within.txt", "4 3\n1 2 1\n2 3 1\n3 4 1\n");
  write_tables(folder, R"({ type = "semi_restricted", num_visible = 4, num_hidden = 3, masks = [)"
                       R"({ coupling = "visible.hidden", matrix = "across.csv" }, )"
                       R"({ coupling = "visible.visible", edges = "within.txt" }] })");
  CHECK(content_of(folder / "tables/mask.visible.hidden.csv") ==
        "unit,hidden[0],hidden[1],hidden[2]\nvisible[0],1,0,1\nvisible[1],0,1,1\nvisible[2],1,1,0\nvisible[3],0,0,1\n");
  REQUIRE(imported(folder).status == 0);
  REQUIRE(run(folder, {"export", "back.h5", "--output", "again"}).status == 0);
  check_same_tables(folder, "tables", "again");
  CHECK(nlohmann::json::parse(run(folder, {"inspect", "back.h5", "--json"}).out)["num_parameters"] == 4 + 3 + 7 + 3);
  std::vector<Words> rows = csv_fields(folder / "tables/weight.visible.hidden.csv");
  rows[1][2] = "0.25";
  std::string text;
  for (const Words& row : rows) text += fmt::format("{}\n", fmt::join(row, ","));
  folder.write("tables/weight.visible.hidden.csv", text);
  check_refusal(imported(folder), 1,
                "tables: 'weight.visible.hidden' is 0.25 at row 0, column 1, where mask.visible.hidden.csv says that "
                "there is none.");
}

TEST_CASE("patterns as the weights of Gaussian hidden units make the Hopfield model that they are") {
  const ScratchFolder folder;
  constexpr int n = 8, p = 2;
  folder.write("hopfield.toml",
               "precision = \"float64\"\nmodel = { type = \"rbm\", num_visible = 8, num_hidden = 2, visible_units = "
               "\"spin\", hidden_units = \"gaussian\" }\ninitializer = { type = \"normal\", std = 0.0 }\n");
  REQUIRE(run(folder, {"import", "hopfield.toml", "--output", "zero.h5"}).status == 0);
  REQUIRE(run(folder, {"export", "zero.h5", "--output", "tables"}).status == 0);
  const auto pattern = [](int i, int mu) { return mu == 0 ? 1.0 : i % 3 == 0 ? -1.0 : 1.0; };
  std::string weights = "unit,hidden[0],hidden[1]\n";
  for (int i = 0; i < n; ++i)
    weights += fmt::format("visible[{}],{},{}\n", i, pattern(i, 0) / std::sqrt(n), pattern(i, 1) / std::sqrt(n));
  folder.write("tables/weight.visible.hidden.csv", weights);
  REQUIRE(imported(folder).status == 0);
  for (const double beta : {0.5, 1.5}) {
    double z = 0.0;
    for (unsigned state = 0; state < 1u << n; ++state) {
      double energy = 0.0;
      for (int mu = 0; mu < p; ++mu) {
        double overlap = 0.0;
        for (int i = 0; i < n; ++i) overlap += pattern(i, mu) * (state >> i & 1 ? 1.0 : -1.0);
        energy -= overlap * overlap / (2 * n);
      }
      z += std::exp(-beta * energy);
    }
    // The integrals over the hidden units leave sqrt(2 pi / beta) each.
    const double log_z = std::log(z) + 0.5 * p * std::log(2 * M_PI / beta);
    const auto found =
        nlohmann::json::parse(run(folder, {"evaluate", "back.h5", "--beta", fmt::format("{}", beta), "--json"}).out);
    CHECK(found["log_z"].get<double>() == doctest::Approx(log_z).epsilon(1e-12));
  }
}

TEST_CASE("tables that are not those of the model are refused, with their place") {
  const auto refused = [](const char* file, const char* from, const char* to, const std::string& why) {
    CAPTURE(std::string(file));
    const ScratchFolder folder;
    folder.write("made.toml",
                 "precision = \"float64\"\nmodel = { type = \"rbm\", num_visible = 3, num_hidden = 2 }\n"
                 "initializer = { type = \"normal\", std = 0.0 }\n");
    REQUIRE(run(folder, {"import", "made.toml", "--output", "made.h5"}).status == 0);
    REQUIRE(run(folder, {"export", "made.h5", "--output", "tables"}).status == 0);
    const std::string path = std::string("tables/") + file;
    if (std::string(from).empty()) folder.write(path, to);
    else replace(folder, path, from, to);
    check_refusal(imported(folder), 1, why);
    CHECK_FALSE(std::filesystem::exists(folder / "back.h5"));
  };
  const char *bias = "bias.visible.csv", *weight = "weight.visible.hidden.csv";
  refused(bias, "visible[1]", "visible[2]",
          "tables/bias.visible.csv:3: 'visible[2]' stands where 'visible[1]' was expected.");
  refused(bias, "visible[1]", "one", "tables/bias.visible.csv:3: 'one' stands where 'visible[1]' was expected.");
  refused(bias, "visible[0]", "one",
          "tables/bias.visible.csv:3: 'visible[1]' stands among units that are called 'one'.");
  refused(bias, "visible[2],0\n", "", "tables/bias.visible.csv: it ends where unit 2 of 3 was expected.");
  refused(bias, "visible[2],0\n", "visible[2],0\nvisible[3],0\n",
          "tables/bias.visible.csv:5: the model has no more units than the lines before.");
  refused(bias, "visible[1],0", "visible[1],none", "tables/bias.visible.csv:3: 'none' is no finite number.");
  refused(bias, "visible[1],0", "visible[1],inf", "tables/bias.visible.csv:3: 'inf' is no finite number.");
  refused(bias, "unit,value", "unit;value",
          "tables/bias.visible.csv:1: it has 1 field, and 2 were expected: unit,value, as in 'visible[0],0.5'.");
  refused(bias, "visible[2],0", "visible[2]",
          "tables/bias.visible.csv:4: it has 1 field, and 2 were expected: unit,value, as in 'visible[0],0.5'.");
  refused(weight, "hidden[0],hidden[1]", "hidden[1],hidden[0]",
          "tables/weight.visible.hidden.csv:1: 'hidden[1]' stands where 'hidden[0]' was expected.");
  refused(weight, "visible[1],0,0", "visible[1],0,0,0",
          "tables/weight.visible.hidden.csv:3: it has 4 fields, and 3 were expected: unit,hidden[0],hidden[1], as in "
          "'visible[0],0.5,0.5'.");
  refused("layers.csv", "visible,3", "visible,4",
          "tables: layers.csv has other layers than the [model] beside it. Export the model again.");
  refused("bias.old.csv", "", "unit,value\nold[0],1\n",
          "tables: bias.old.csv belongs to no part of the model. Remove it, or export to a new folder.");
}

TEST_CASE("tables say all that import wants, and what is missing is named") {
  const ScratchFolder folder;
  write_tables(folder, R"({ type = "rbm", num_visible = 3, num_hidden = 2 })");
  for (const char* option : {"--seed", "--set", "--fields"})
    check_refusal(imported(folder, {option, option == std::string("--set") ? "model.num_hidden=3" : "1"}), 2,
                  std::string(option) +
                      ": the tables of tables say what couplings and biases are, and model.toml what the "
                      "model is. Leave it out.");
  std::filesystem::remove(folder / "tables/bias.hidden.csv");
  check_refusal(imported(folder), 1,
                "tables: there is no bias.hidden.csv, the model's tensor of shape (2). Export the model again.");
}

}  // namespace import_tables_test
