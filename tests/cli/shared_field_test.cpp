// A coupling and a field that all spins of a lattice share, fitted to states that were drawn by known ones.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/diagnostics/number_with_error.hpp>
#include <harmonium/framework/files/hdf5.hpp>

#include "files.hpp"

namespace shared_field_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr double coupling = 0.25, field = 0.1;

/// NAME.toml of spins on a torus of 3 x 3 sites, with `more` in front.
void write_model(const ScratchFolder& folder, const std::string& name, const std::string& initializer,
                 const std::string& more = "") {
  folder.write(name + ".toml", fmt::format(R"(seed = 1
precision = "float64"
initializer = {{ type = "normal", std = 0.0{} }}
{}
[model]
type = "layered"
layers = [{{ name = "s", size = 9, units = "spin" }}]
terms = [{{ type = "lattice", layer = "s", shape = [3, 3], uniform = true, share = [0, 0] }},
         {{ type = "bias", layer = "s", uniform = true }}]
)",
                                           initializer, more));
}

void succeed(const ScratchFolder& folder, const Words& words) {
  const Outcome outcome = run(folder, words);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
}

/// states.csv of so many, drawn by the known couplings.
void draw_states(const ScratchFolder& folder, const std::string& count) {
  write_model(folder, "truth", fmt::format(", mean = {}, field = {}", coupling, field));
  succeed(folder, {"import", "truth.toml", "--output", "truth.h5"});
  succeed(folder, {"sample", "truth.h5", "--sampler", "exact", "--num-samples", count, "--steps", "1", "--output",
                   "states.csv", "--quiet"});
}

std::vector<double> tensor(const ScratchFolder& folder, const std::string& file, const std::string& name) {
  const auto values = Hdf5File::open(folder / file).read<double>("parameters/" + name).values;
  return {values.begin(), values.end()};
}

/// The values of a table of a tensor, which are all one.
double only_value(const std::filesystem::path& table, std::size_t lines) {
  const auto rows = csv_fields(table);
  REQUIRE(rows.size() == lines + 1);
  for (std::size_t r = 1; r <= lines; ++r) CHECK(rows[r].back() == rows[1].back());
  return std::stod(rows[1].back());
}

constexpr const char* by_pseudo_likelihood = R"(data = { type = "csv", path = "states.csv" }
estimator = "pseudo_likelihood"
optimizer = { type = "adam", learning_rate = 0.02, schedule = { type = "linear", final = 0.0 } }
training = { batch_size = 1000, num_updates = 300 }
)";

}  // namespace

TEST_CASE("a coupling and a field that all spins share are found again, each with one error") {
  const ScratchFolder folder;
  draw_states(folder, "4000");
  write_model(folder, "fit", "", by_pseudo_likelihood);
  const Outcome explained = run(folder, {"explain", "fit.toml"});
  CHECK(explained.out.find("parameters: 2 that are learned, of 10 numbers in all") != std::string::npos);
  CHECK(explained.out.find("does a bias of all units") != std::string::npos);
  CHECK(explained.out.find("- b sum_i s_i") != std::string::npos);
  succeed(folder, {"train", "fit.toml", "--output", "fit", "--quiet"});
  succeed(folder, {"export", "fit", "--output", "found"});
  const Outcome told = run(folder, {"export", "fit", "--errors", "--output", "errors"});
  REQUIRE(told.status == 0);
  const double j = only_value(folder / "found/lattice.s.csv", 18), h = only_value(folder / "found/bias.s.csv", 9);
  const double error_j = only_value(folder / "errors/lattice.s.csv", 18),
               error_h = only_value(folder / "errors/bias.s.csv", 9);
  CHECK(told.err.find("numbers that tables have several times: ") != std::string::npos);
  for (const auto& [name, number] :
       {std::pair{"lattice.s", NumberWithError{j, error_j}}, {"bias.s", NumberWithError{h, error_h}}})
    CHECK(told.err.find(fmt::format("{} = {}", name, number.text())) != std::string::npos);
  CHECK(std::abs(j - coupling) < 4.0 * error_j);
  CHECK(std::abs(h - field) < 4.0 * error_h);
  // A row tells no more of J than 18 bonds that are independent would, and no less of h than one spin.
  CHECK(error_j > 1.0 / std::sqrt(4000.0 * 18.0 * 9.0));
  CHECK(error_j < 0.02);
  CHECK(error_h > 1.0 / (9.0 * std::sqrt(4000.0)));
  CHECK(error_h < 1.0 / std::sqrt(4000.0));
  const Outcome inspected = run(folder, {"inspect", "fit/model.h5"});
  CHECK(inspected.out.find("2 parameters") != std::string::npos);
}

TEST_CASE("a field that all spins share keeps its bits in files, on more threads and after a checkpoint") {
  for (const char* precision : {"float64", "float32"}) {
    CAPTURE(precision);
    const ScratchFolder folder;
    draw_states(folder, "60");
    write_model(folder, "c", "",
                "data = { type = \"csv\", path = \"states.csv\" }\n"
                "estimator = { type = \"pcd\", num_chains = 20 }\n"
                "training = { batch_size = 7, num_epochs = 6, checkpoint_every = 3 }\n");
    std::string config = content_of(folder / "c.toml");
    config.replace(config.find("float64"), 7, precision);
    folder.write("c.toml", config);
    succeed(folder, {"train", "c.toml", "--output", "long", "--threads", "1", "--quiet"});
    succeed(folder, {"train", "c.toml", "--output", "wide", "--threads", "3", "--quiet"});
    succeed(folder, {"train", "c.toml", "--output", "short", "--epochs", "3", "--quiet"});
    const std::vector<double> learned = tensor(folder, "long/model.h5", "bias.s");
    CHECK(learned == std::vector<double>(9, learned.front()));
    CHECK(learned.front() != 0.0);
    CHECK(tensor(folder, "short/model.h5", "bias.s") != learned);
    succeed(folder, {"train", "--resume", "short", "--epochs", "6", "--quiet"});
    CHECK(tensor(folder, "short/model.h5", "bias.s") == learned);
    CHECK(tensor(folder, "wide/model.h5", "bias.s") == learned);
    succeed(folder, {"export", "long", "--output", "tables"});
    succeed(folder, {"import", "tables", "--output", "back.h5"});
    CHECK(tensor(folder, "back.h5", "bias.s") == learned);
    std::string table = content_of(folder / "tables/bias.s.csv");
    table.replace(table.find("s[4],"), 5, "s[4],1");
    folder.write("tables/bias.s.csv", table);
    const Outcome refused = run(folder, {"import", "tables", "--output", "other.h5"});
    CHECK(refused.status != 0);
    CHECK(refused.err.find("bias.s: entries 0 and 4 are ") != std::string::npos);
    CHECK(refused.err.find("but all are one parameter (uniform = true of the term 'bias')") != std::string::npos);
  }
}

TEST_CASE("what is no field that units share is refused, and where the option stands is told") {
  const ScratchFolder folder;
  draw_states(folder, "60");
  write_model(folder, "c", "",
              "data = { type = \"csv\", path = \"states.csv\" }\n"
              "estimator = { type = \"pcd\", centering = true }\n");
  const Outcome centered = run(folder, {"train", "c.toml", "--output", "c", "--quiet"});
  CHECK(centered.status != 0);
  CHECK(centered.err.find("the units of layer 's' have one bias together") != std::string::npos);
  const Outcome layer =
      run(folder, {"import", "truth.toml", "--set", "model.layers[0].uniform=true", "--output", "m.h5"});
  CHECK(layer.status == 2);
  CHECK(layer.err.find("a bias that units share of the term 'bias', in a model of type 'layered'") !=
        std::string::npos);
  folder.write("edges.txt", "9 1\n1 2 0.5\n");
  folder.write("fields.txt", "1 1 1 1 1 1 1 1 2\n");
  write_model(folder, "e", "");
  const Outcome fields = run(
      folder, {"import", "e.toml", "--set",
               "model={ type = \"layered\", layers = [{ name = \"s\", size = 9, units = \"spin\" }], terms = [{ type "
               "= \"lateral\", layer = \"s\" }, { type = \"bias\", layer = \"s\", uniform = true }] }",
               "--set", "initializer={ type = \"edge_list\", path = \"edges.txt\", fields = \"fields.txt\" }",
               "--output", "m.h5"});
  CHECK(fields.status == 2);
  CHECK(fields.err.find("its fields differ, and the units of layer 's' have one bias together") != std::string::npos);
}

}  // namespace shared_field_test
