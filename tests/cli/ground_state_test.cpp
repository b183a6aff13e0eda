// evaluate --ground-state: the state that is written has the energy that is told.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/table.hpp>
#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace ground_state_test {

using namespace harmonium::testing;

namespace {

/// A square of 3 × 4 spins with couplings and fields of either sign.
struct Glass {
  static constexpr int rows = 3, columns = 4, spins = rows * columns;
  struct Edge {
    int a, b;
    double coupling;
  };
  std::vector<Edge> edges;
  std::vector<double> fields;

  Glass() {
    const auto join = [&](int a, int b) {
      const int e = static_cast<int>(edges.size());
      edges.push_back({a, b, (7 * e * e + 3 * e) % 11 / 4.0 - 1.25});
    };
    for (int i = 0; i < spins; ++i) {
      if (i % columns + 1 < columns) join(i, i + 1);
      if (i + columns < spins) join(i, i + columns);
      fields.push_back((5 * i * i + i) % 7 / 8.0 - 0.375);
    }
  }
  double energy(const std::vector<double>& s) const {
    double e = 0.0;
    for (const Edge& edge : edges) e -= edge.coupling * s[edge.a] * s[edge.b];
    for (int i = 0; i < spins; ++i) e -= fields[i] * s[i];
    return e;
  }
  double lowest() const {
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> s(spins);
    for (unsigned state = 0; state < 1u << spins; ++state) {
      for (int i = 0; i < spins; ++i) s[i] = state >> i & 1 ? 1.0 : -1.0;
      least = std::min(least, energy(s));
    }
    return least;
  }
  void write(const ScratchFolder& folder) const {
    std::string text = fmt::format("{} {}\n", spins, edges.size()), field;
    for (const Edge& e : edges) text += fmt::format("{} {} {}\n", e.a + 1, e.b + 1, e.coupling);
    for (const double h : fields) field += fmt::format("{}\n", h);
    folder.write("glass.txt", text);
    folder.write("fields.txt", field);
    REQUIRE(run(folder, {"import", "glass.txt", "--fields", "fields.txt", "--output", "m.h5"}).status == 0);
  }
};

/// The only row of a table of numbers.
std::vector<double> row_of(const ScratchFolder& folder, const char* file, std::size_t columns) {
  const harmonium::Table table = harmonium::read_table(folder / file);
  REQUIRE(table.rows == 1);
  REQUIRE(table.cols == columns);
  return std::visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); }, table.values);
}

bool are_spins(const std::vector<double>& s) {
  return std::ranges::all_of(s, [](double x) { return x == 1.0 || x == -1.0; });
}

}  // namespace

TEST_CASE(
    "the state that is written of a small glass in fields has the lowest energy of all, whatever the way to log Z") {
  const ScratchFolder folder;
  const Glass glass;
  glass.write(folder);
  const double lowest = glass.lowest();
  for (const char* way : {"auto", "exact", "variable_elimination", "population_annealing"}) {
    CAPTURE(std::string(way));
    const bool met = std::string(way) == "population_annealing";
    const auto found = judged(folder, {"--beta", "2", "--log-z", way, "--ground-state", "ground.npy"},
                              met ? "*ground.npy: the lowest energy that was met, -*" : "");
    const std::vector<double> row = row_of(folder, "ground.npy", Glass::spins);
    CHECK(are_spins(row));
    CHECK(found["ground_state_energy"].get<double>() == doctest::Approx(lowest).epsilon(1e-12));
    CHECK(glass.energy(row) == doctest::Approx(lowest).epsilon(1e-12));
    // Controls: no other state is so low that a slip of one spin would go unseen, and all spins turned see their fields.
    for (int i = 0; i < Glass::spins; ++i) {
      std::vector<double> other = row;
      other[i] = -other[i];
      CHECK(glass.energy(other) > lowest + 1e-6);
    }
    std::vector<double> turned = row;
    for (double& s : turned) s = -s;
    CHECK(glass.energy(turned) > lowest + 1e-6);
  }
}

TEST_CASE("along several temperatures one state is written, of the lowest energy that any of them has") {
  const ScratchFolder folder;
  const Glass glass;
  glass.write(folder);
  const auto along = [&](const Words& more, const char* note) {
    Words words{"evaluate", "m.h5", "--json", "--ground-state", "ground.npy"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(like(outcome.err, note));
    CHECK(outcome.err.find("that was met") == outcome.err.rfind("that was met"));
    return glass.energy(row_of(folder, "ground.npy", Glass::spins));
  };
  for (const char* way : {"exact", "variable_elimination"}) {
    CAPTURE(std::string(way));
    for (const Words& listed : {Words{"--betas", "0,1,2"}, Words{"--temperatures", "0.5,1,4"}, Words{"--betas", "0"}}) {
      std::filesystem::remove(folder / "ground.npy");
      Words words{"--log-z", way};
      words.insert(words.end(), listed.begin(), listed.end());
      CHECK(along(words, "") == doctest::Approx(glass.lowest()).epsilon(1e-12));
    }
  }
  // Populations look for no state at beta 0, and at the others for that of the lowest energy, about which there is one note.
  CHECK(along({"--log-z", "population_annealing", "--betas", "0,0.5,2"},
              "*ground.npy: the lowest energy that was met, -*") == doctest::Approx(glass.lowest()).epsilon(1e-12));
}

TEST_CASE("a table of the state has the names that samples have") {
  const ScratchFolder folder;
  const Glass glass;
  glass.write(folder);
  judged(folder, {"--ground-state", "ground.csv"});
  REQUIRE(run(folder, {"sample", "m.h5", "--num-samples", "2", "--steps", "1", "--output", "s.csv"}).status == 0);
  const std::vector<Words> ground = csv_fields(folder / "ground.csv");
  REQUIRE(ground.size() == 2);
  CHECK(ground[0] == csv_fields(folder / "s.csv")[0]);
}

TEST_CASE("the state of a machine has its bits, those of the latent layers last") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  double lowest = std::numeric_limits<double>::infinity();
  for (unsigned v = 0; v < 8; ++v)
    for (unsigned h = 0; h < 4; ++h) lowest = std::min(lowest, foreign_energy(v, h));
  for (const char* way : {"exact", "variable_elimination"}) {
    CAPTURE(std::string(way));
    const auto found = judged(folder, {"--log-z", way, "--ground-state", "ground.csv"});
    const std::vector<Words> table = csv_fields(folder / "ground.csv");
    REQUIRE(table.size() == 2);
    CHECK(table[0] == Words{"visible[0]", "visible[1]", "visible[2]", "hidden[0]", "hidden[1]"});
    REQUIRE(table[1].size() == 5);
    unsigned v = 0, h = 0;
    for (unsigned i = 0; i < 5; ++i) {
      CHECK((table[1][i] == "0" || table[1][i] == "1"));
      if (table[1][i] == "1") (i < 3 ? v : h) |= 1u << (i < 3 ? i : i - 3);
    }
    CHECK(foreign_energy(v, h) == doctest::Approx(lowest).epsilon(1e-13));
    CHECK(found["ground_state_energy"].get<double>() == doctest::Approx(lowest).epsilon(1e-13));
  }
}

TEST_CASE("the state of Potts units has a column for each of their states") {
  const ScratchFolder folder;
  // A triangle that dislikes to be alike has three states to be unlike in; 4 is as 1, 5 unlike 4: E = -2.
  folder.write("bonds.txt", "5 5\n1 2 -1\n2 3 -1\n1 3 -1\n1 4 2\n4 5 -0.5\n");
  folder.write(
      "potts.toml",
      "precision = \"float64\"\ninitializer = { type = \"edge_list\", path = \"bonds.txt\" }\nmodel = { type = "
      "\"fully_visible\", num_visible = 5, visible_units = { type = \"categorical\", num_states = 3 } }\n");
  REQUIRE(run(folder, {"import", "potts.toml", "--output", "m.h5"}).status == 0);
  for (const char* way : {"exact", "variable_elimination"}) {
    CAPTURE(std::string(way));
    const auto found = judged(folder, {"--log-z", way, "--ground-state", "ground.npy"});
    CHECK(found["ground_state_energy"].get<double>() == doctest::Approx(-2.0).epsilon(1e-13));
    const std::vector<double> row = row_of(folder, "ground.npy", 15);
    std::vector<int> state;
    for (int u = 0; u < 5; ++u) {
      const auto first = row.begin() + 3 * u;
      CHECK(std::count(first, first + 3, 1.0) == 1);
      CHECK(std::count(first, first + 3, 0.0) == 2);
      state.push_back(static_cast<int>(std::max_element(first, first + 3) - first));
    }
    CHECK(state[0] != state[1]);
    CHECK(state[1] != state[2]);
    CHECK(state[0] != state[2]);
    CHECK(state[3] == state[0]);
    CHECK(state[4] != state[3]);
  }
}

TEST_CASE(
    "--states writes the state of each site, as samples have them, with the names of sites, and of bits their values") {
  const ScratchFolder folder;
  // E = -2 as above, and a hidden bit that likes site 4 in state 1 by 3, and itself by -1.
  folder.write("mixed.toml", R"(precision = "float64"
[model]
type = "layered"
layers = [{ name = "site", size = 5, units = { type = "categorical", num_states = 3 } },
          { name = "bit", size = 1, units = "binary", role = "latent" }]
terms = [{ type = "lateral", layer = "site" }, { type = "coupling", layers = ["site", "bit"] }]
)");
  const double bonds[][3] = {{0, 1, -1}, {1, 2, -1}, {0, 2, -1}, {0, 3, 2}, {3, 4, -0.5}};
  std::vector<double> j(15 * 15, 0.0), w(15, 0.0);
  for (const auto& [a, b, value] : bonds)
    for (int s = 0; s < 3; ++s) {
      const auto from = static_cast<std::size_t>(a) * 3 + static_cast<std::size_t>(s),
                 to = static_cast<std::size_t>(b) * 3 + static_cast<std::size_t>(s);
      j[from * 15 + to] = j[to * 15 + from] = value;
    }
  w[3 * 3 + 1] = 3.0;
  folder.write("p.npz", zip_bytes({{"weight.site.site.npy", npy_bytes(15, 15, j)},
                                   {"weight.site.bit.npy", npy_bytes(15, 1, w)},
                                   {"bias.site.npy", npy_bytes(15, 1, std::vector<double>(15, 0.0))},
                                   {"bias.bit.npy", npy_bytes(1, 1, {-1.0})}}));
  const Outcome made = run(folder, {"import", "mixed.toml", "--parameters", "p.npz", "--output", "m.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  for (const char* way : {"exact", "variable_elimination"}) {
    CAPTURE(std::string(way));
    const auto found = judged(folder, {"--log-z", way, "--states", "--ground-state", "ground.csv"});
    CHECK(found["ground_state_energy"].get<double>() == doctest::Approx(-4.0).epsilon(1e-13));
    const std::vector<Words> table = csv_fields(folder / "ground.csv");
    REQUIRE(table.size() == 2);
    CHECK(table[0] == Words{"site[0]", "site[1]", "site[2]", "site[3]", "site[4]", "bit[0]"});
    judged(folder, {"--log-z", way, "--states", "--ground-state", "ground.npy"});
    const std::vector<double> row = row_of(folder, "ground.npy", 6);
    for (std::size_t u = 0; u < 6; ++u) CHECK(std::stod(table[1][u]) == row[u]);
    // The only freedom is which of sites 1 and 2 has which of the two states that 0 leaves, and where 4 is.
    CHECK(row[3] == 1.0);
    CHECK(row[0] == 1.0);
    CHECK(row[1] + row[2] == 2.0);
    CHECK(row[1] != row[2]);
    CHECK(row[4] != 1.0);
    CHECK(row[5] == 1.0);
  }
  // Of sites alone they are bytes, in the file of names that samples with --states have.
  REQUIRE(
      run(folder, {"sample", "m.h5", "--num-samples", "2", "--steps", "1", "--states", "--output", "s.csv"}).status ==
      0);
  Words names = csv_fields(folder / "ground.csv")[0];
  names.pop_back();
  CHECK(names == csv_fields(folder / "s.csv")[0]);
}

TEST_CASE("states are refused where there are none to write, or nothing is written") {
  const ScratchFolder folder;
  Glass().write(folder);
  const auto refused = [&](const Words& more, const char* why) {
    Words words{"evaluate", "m.h5"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), 2, why);
  };
  refused({"--states"},
          "--states: it is for the state that --ground-state FILE writes. Give that too, or leave --states out: "
          "rows of states are read without it.");
  refused({"--states", "--ground-state", "g.csv"},
          "--states: no observed unit has a column for each of several states, as \"categorical\" ones have, so that "
          "columns are "
          "what they are. Leave it out.");
  refused({"--ground-state", "g.fasta"},
          "--ground-state g.fasta: the model was not trained on sequences, and which letter a state is is not known. "
          "Write .csv.");
}

TEST_CASE("a state that will not be found is refused before any work") {
  const ScratchFolder folder;
  Glass().write(folder);
  const auto refused = [&](const Words& more, const char* why) {
    Words words{"evaluate", "m.h5", "--ground-state", "ground.csv"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), 2, why);
    CHECK_FALSE(std::filesystem::exists(folder / "ground.csv"));
  };
  refused({"--log-z", "ais"},
          "--ground-state ground.csv: log Z is found by 'ais', which meets no ground state. --log-z "
          "variable_elimination has it *");
  refused({"--log-z", "none"}, "--ground-state ground.csv: log Z is not asked for (--log-z none). *");
  refused({"--log-z", "population_annealing", "--beta", "0"},
          "--ground-state ground.csv: at beta 0 every state weighs the same, and none is looked for. *");
  refused({"--betas", "0,1,2", "--log-z", "ais"}, "--ground-state ground.csv: log Z is found by 'ais', which meets *");
  refused({"--against", "m.h5"}, "--against m.h5: it prints differences *does not go with --ground-state*");
  refused({"--rows", "ground.csv"}, "--ground-state ground.csv: --rows writes a file of this name. *");
  check_refusal(run(folder, {"evaluate", "m.h5", "--ground-state", "ground.h5"}), 2,
                "--ground-state ground.h5: the state is written as .csv or .npy. Give a name that ends so.");

  const auto refused_units = [&](const char* model, const char* why) {
    folder.write("units.toml", model);
    REQUIRE(run(folder, {"import", "units.toml", "--output", "m.h5"}).status == 0);
    refused({}, why);
  };
  refused_units(
      "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, visible_units = \"gaussian\", hidden_units = "
      "\"gaussian\" }\n",
      "--ground-state ground.csv: the units of layer 'visible' are continuous, and a state is found of discrete ones, "
      "with Gaussian ones beside them at their means.");
  refused_units(
      "model = { type = \"semi_restricted\", num_visible = 3, num_hidden = 2, visible_units = \"gaussian\" }\n",
      "--ground-state ground.csv: the units of layer 'visible' are Gaussian, and the least energy over such units is "
      "had "
      "where none is coupled with another of them.");
}

TEST_CASE("where the way to log Z that is taken unasked meets no ground state, populations are taken by themselves") {
  const ScratchFolder folder;
  const auto machine = [&](int visible, int hidden) {
    folder.write("m.toml",
                 fmt::format("seed = 5\nprecision = \"float64\"\ninitializer = {{ type = \"normal\", std = 0.4 }}\n"
                             "model = {{ type = \"rbm\", num_visible = {}, num_hidden = {}, visible_units = "
                             "\"spin\", hidden_units = \"spin\" }}\n",
                             visible, hidden));
    REQUIRE(run(folder, {"import", "m.toml", "--output", "m.h5"}).status == 0);
  };
  const Words few{"--effort", "0.1"};
  const auto taken = [&](const char* other, Words more, std::size_t columns) {
    CAPTURE(std::string(other));
    std::filesystem::remove(folder / "ground.npy");
    more.insert(more.end(), {"--ground-state", "ground.npy"});
    const auto found = judged(folder, more,
                              fmt::format("*--ground-state ground.npy: log Z is found by population annealing, which "
                                          "meets low states, and not by '{}', which meets none here. --log-z NAME "
                                          "takes another way.\n*ground.npy: the lowest energy that was met, -*",
                                          other));
    CHECK(are_spins(row_of(folder, "ground.npy", columns)));
    CHECK(found["ground_state_energy"].get<double>() < 0.0);
  };
  machine(40, 40);
  taken("ais", few, 80);
  taken("ais", {"--effort", "0.1", "--log-z", "auto"}, 80);
  // Without a state that is asked for, and where a way is named, all is as it was.
  CHECK(judged(folder, {"--effort", "0.01"}, "*")["ground_state_energy"].is_null());
  check_refusal(run(folder, {"evaluate", "m.h5", "--log-z", "ais", "--ground-state", "ground.csv"}), 2,
                "--ground-state ground.csv: log Z is found by 'ais', which meets no ground state. *");
  check_refusal(run(folder, {"evaluate", "m.h5", "--beta", "0", "--ground-state", "ground.csv"}), 2,
                "--ground-state ground.csv: at beta 0 every state weighs the same, and none is looked for. *");
  // A sum over one layer has log Z, and looks at no state of both.
  machine(64, 22);
  taken("exact", few, 86);
  // What is exact stays so.
  machine(6, 4);
  judged(folder, {"--ground-state", "ground.npy"}, "");
}

TEST_CASE("beside Gaussian hidden units the state is the minimum over all units, these at their means") {
  const ScratchFolder folder;
  constexpr std::size_t visible = 6, hidden = 2;
  std::vector<double> w, a, b{0.25, -0.5}, log_precision{0.5, -0.25};
  for (std::size_t i = 0; i < visible; ++i) {
    a.push_back(0.125 * static_cast<double>(i * 3 % 5) - 0.25);
    for (std::size_t k = 0; k < hidden; ++k) w.push_back(0.25 * static_cast<double>((i * 5 + k * 3) % 7) - 0.625);
  }
  folder.write("m.toml",
               "precision = \"float64\"\nmodel = { type = \"rbm\", num_visible = 6, num_hidden = 2, visible_units = "
               "\"spin\", hidden_units = \"gaussian\" }\n");
  folder.write("p.npz", zip_bytes({{"weight.visible.hidden.npy", npy_bytes(visible, hidden, w)},
                                   {"bias.visible.npy", npy_bytes(visible, 1, a)},
                                   {"bias.hidden.npy", npy_bytes(hidden, 1, b)},
                                   {"log_precision.hidden.npy", npy_bytes(hidden, 1, log_precision)}}));
  const Outcome made = run(folder, {"import", "m.toml", "--parameters", "p.npz", "--output", "m.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--log-z", "population_annealing", "--ground-state", "o.csv"}), 2,
      "*'population_annealing', which meets no ground state. --log-z variable_elimination has it where units are "
      "coupled with few others; other ways go through states, of which the units of layer 'hidden' have none.");
  // E = −a·s − b·h − s W h + ½ γ h².
  const auto energy = [&](const std::vector<double>& x) {
    double e = 0.0;
    for (std::size_t i = 0; i < visible; ++i) e -= a[i] * x[i];
    for (std::size_t k = 0; k < hidden; ++k) {
      double field = b[k];
      for (std::size_t i = 0; i < visible; ++i) field += w[i * hidden + k] * x[i];
      const double h = x[visible + k];
      e += 0.5 * std::exp(log_precision[k]) * h * h - field * h;
    }
    return e;
  };
  std::vector<double> best;
  for (unsigned state = 0; state < 1u << visible; ++state) {
    std::vector<double> x(visible + hidden, 0.0);
    for (std::size_t i = 0; i < visible; ++i) x[i] = (state >> i & 1u) != 0 ? 1.0 : -1.0;
    for (std::size_t k = 0; k < hidden; ++k) {
      double field = b[k];
      for (std::size_t i = 0; i < visible; ++i) field += w[i * hidden + k] * x[i];
      x[visible + k] = field / std::exp(log_precision[k]);
    }
    if (best.empty() || energy(x) < energy(best)) best = x;
  }
  for (const char* way : {"auto", "exact", "variable_elimination"}) {
    CAPTURE(std::string(way));
    const auto found = judged(folder, {"--log-z", way, "--ground-state", "ground.npy"});
    CHECK(found["ground_state_energy"].get<double>() == doctest::Approx(energy(best)).epsilon(1e-10));
    const std::vector<double> row = row_of(folder, "ground.npy", visible + hidden);
    for (std::size_t u = 0; u < row.size(); ++u) CHECK(row[u] == doctest::Approx(best[u]).epsilon(1e-10));
  }
}

}  // namespace ground_state_test
