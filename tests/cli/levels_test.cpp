// Spins of several levels, from a file of -1, 0 and 1 to averages and samples.
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace levels_test {

using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

constexpr const char* config = R"(seed = 3
precision = "float64"
data = { type = "csv", path = "votes.csv", header = "no" }
model = { type = "fully_visible", num_visible = 3, visible_units = "levels" }
estimator = "exact"
optimizer = { type = "sgd", learning_rate = 0.1 }
training = { num_epochs = 50 }
)";

constexpr const char* torus = R"(seed = 1
precision = "float64"
initializer = { type = "normal", mean = 1.0, std = 0.0, crystal_field = 1.75, field = 0.5 }
[model]
type = "layered"
layers = [{ name = "spins", size = 9, units = "levels" }]
terms = [{ type = "lattice", layer = "spins", shape = [3, 3], uniform = true }]
)";

/// ⟨E⟩, ⟨m⟩ and ⟨s²⟩ of that torus, by its 19683 states.
struct Averages {
  double energy = 0.0, m = 0.0, square = 0.0;
};
Averages torus_by_loops(double beta) {
  Averages sums;
  double z = 0.0;
  for (int state = 0; state < 19683; ++state) {
    int s[9], products = 0, squares = 0, sum = 0;
    for (int i = 0, rest = state; i < 9; ++i, rest /= 3) s[i] = rest % 3 - 1;
    for (int i = 0; i < 9; ++i) {
      products += s[i] * (s[i / 3 * 3 + (i + 1) % 3] + s[(i + 3) % 9]);
      squares += s[i] * s[i];
      sum += s[i];
    }
    const double energy = -products + 1.75 * squares - 0.5 * sum, weight = std::exp(-beta * energy);
    z += weight;
    sums.energy += weight * energy;
    sums.m += weight * sum / 9.0;
    sums.square += weight * squares / 9.0;
  }
  return {sums.energy / z, sums.m / z, sums.square / z};
}

}  // namespace

TEST_CASE("rows of -1, 0 and 1 are taken as they are, learned by their squares too, and drawn as such") {
  const ScratchFolder folder;
  // Couplings and means say nothing of these two columns: they differ in how often they are 0.
  folder.write("votes.csv", "1,0,1\n-1,0,1\n1,0,0\n-1,0,-1\n1,1,-1\n-1,-1,0\n1,-1,1\n-1,1,-1\n");
  folder.write("votes.toml", config);
  const Outcome trained = run(folder, {"train", "votes.toml", "--output", "run", "--quiet"});
  REQUIRE(trained.status == 0);
  const Outcome tables = run(folder, {"export", "run/model.h5", "--output", "tables"});
  REQUIRE(tables.status == 0);
  const auto fields = csv_fields(folder / "tables/crystal_field.visible.csv");
  REQUIRE(fields.size() == 4);
  CHECK(std::stod(fields[1][1]) < -0.5);  // never 0
  CHECK(std::stod(fields[2][1]) > std::stod(fields[1][1]) + 0.5);
  REQUIRE(run(folder, {"sample", "run", "--num-samples", "50", "--steps", "20", "--output", "drawn.csv"}).status == 0);
  std::set<std::string> values;
  const auto lines = csv_fields(folder / "drawn.csv");
  for (const Words& line : lines) values.insert(line.begin(), line.end());
  CHECK(values.contains("-1"));
  CHECK(values.contains("0"));
  CHECK(values.contains("1"));

  folder.write("beyond.csv", "1,0,1\n2,0,1\n");
  check_refusal(run(folder, {"train", "votes.toml", "--output", "no", "--set", "data.path=beyond.csv"}), 2,
                "[data] */beyond.csv: row 1, column 0 (both counted from 0) is 2, but levels units of layer 'visible' "
                "take values from -1 to 1. Take units of more states, or set data.scale.");
}

TEST_CASE("a Blume-Capel model of J, D and h is made by an initializer and observed exactly") {
  const ScratchFolder folder;
  folder.write("torus.toml", torus);
  REQUIRE(run(folder, {"import", "torus.toml", "--output", "torus.h5"}).status == 0);
  const Outcome outcome = run(folder, {"observe", "torus.h5", "--betas", "0.5,1.5", "--exact", "--json"});
  REQUIRE(outcome.status == 0);
  const Json found = Json::parse(outcome.out);
  CHECK(found.at("num_states") == 19683);
  for (const Json& t : found.at("temperatures")) {
    const Averages exact = torus_by_loops(t.at("beta").get<double>());
    const auto value = [&](const char* name) { return t.at("averages").at(name).at("value").get<double>(); };
    CHECK(value("energy") == doctest::Approx(exact.energy).epsilon(1e-11));
    CHECK(value("magnetization") == doctest::Approx(exact.m).epsilon(1e-11));
    CHECK(value("mean_square") == doctest::Approx(exact.square).epsilon(1e-11));
    CHECK(t.at("magnetizations").size() == 19);
  }
  check_refusal(run(folder, {"import", "torus.toml", "--set", "model.layers[0].units=spin", "--output", "spins.h5"}), 2,
                "*initializer: 'crystal_field' is 1.75, and no layer is of units of several levels. Set its units to "
                "\"levels\".");
}

TEST_CASE("describe says what levels are, and what a crystal field is") {
  const ScratchFolder folder;
  const Outcome unit = run(folder, {"describe", "unit", "levels"});
  CHECK(unit.status == 0);
  for (const char* words : {"Blume-Capel", "num_states", "low", "step"})
    CHECK(unit.out.find(words) != std::string::npos);
  const Outcome term = run(folder, {"describe", "term", "crystal_field"});
  CHECK(term.status == 0);
  CHECK(term.out.find("sum_i D_i x_i^2") != std::string::npos);
}

}  // namespace levels_test
