// Lattices whose offsets have couplings of their own, from a configuration to averages, by all states of small ones.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>

#include "files.hpp"

namespace lattice_test {

using namespace harmonium;
using namespace harmonium::testing;
using Json = nlohmann::json;

namespace {

struct Bond {
  int down, right;
  double coupling;
};

struct Torus {
  double log_z = 0.0, energy = 0.0;
  std::array<double, 2> next = {};  ///< ⟨s s'⟩ of next sites along each axis
};

Torus torus_by_loops(int side, const std::vector<Bond>& bonds, double beta) {
  const int sites = side * side;
  Torus sums;
  double z = 0.0;
  for (unsigned state = 0; state < 1u << sites; ++state) {
    const auto spin = [&](int row, int column) {
      const int site = (row + side) % side * side + (column + side) % side;
      return state >> site & 1u ? 1 : -1;
    };
    double energy = 0.0;
    std::array<int, 2> products = {};
    for (int r = 0; r < side; ++r)
      for (int c = 0; c < side; ++c) {
        for (const Bond& b : bonds) energy -= b.coupling * spin(r, c) * spin(r + b.down, c + b.right);
        products[0] += spin(r, c) * spin(r + 1, c);
        products[1] += spin(r, c) * spin(r, c + 1);
      }
    const double weight = std::exp(-beta * energy);
    z += weight;
    sums.energy += weight * energy;
    for (int axis = 0; axis < 2; ++axis) sums.next[axis] += weight * products[axis] / sites;
  }
  return {std::log(z), sums.energy / z, {sums.next[0] / z, sums.next[1] / z}};
}

/// The file NAME.toml of such a torus of spins; `term` and `mean` are written into it.
void write_torus(const ScratchFolder& folder, const std::string& name, int side, const std::string& term,
                 const std::string& mean) {
  folder.write(name + ".toml", fmt::format(R"(seed = 1
precision = "float64"
initializer = {{ type = "normal", mean = {}, std = 0.0 }}
[model]
type = "layered"
layers = [{{ name = "spins", size = {}, units = "spin", bias = false }}]
terms = [{{ type = "lattice", layer = "spins", shape = [{}, {}], uniform = true{} }}]
)",
                                           mean, side * side, side, side, term));
}

Json parsed(const Outcome& outcome) {
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return Json::parse(outcome.out);
}

void check_torus(const ScratchFolder& folder, const std::string& name, int side, const std::vector<Bond>& bonds) {
  const std::string model = name + ".h5";
  const Outcome made = run(folder, {"import", name + ".toml", "--output", model});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  for (const double beta : {0.4, 1.0}) {
    const Torus expected = torus_by_loops(side, bonds, beta);
    const std::string at = fmt::format("{}", beta);
    for (const char* way : {"exact", "variable_elimination"})
      CHECK(
          parsed(run(folder, {"evaluate", model, "--beta", at, "--log-z", way, "--json"})).at("log_z").get<double>() ==
          doctest::Approx(expected.log_z).epsilon(1e-12));
    const Json averages =
        parsed(run(folder, {"observe", model, "--exact", "--betas", at, "--correlations", "lattice", "--json"}))
            .at("temperatures")[0];
    CHECK(averages.at("averages").at("energy").at("value").get<double>() ==
          doctest::Approx(expected.energy).epsilon(1e-10));
    int met = 0;
    for (const Json& found : averages.at("correlations")) {
      if (found.at("distance") != 1) continue;
      ++met;
      CHECK(found.at("value").get<double>() ==
            doctest::Approx(expected.next[found.at("axis").get<std::size_t>()]).epsilon(1e-10));
    }
    CHECK(met == 2);
  }
  CHECK(run(folder, {"sample", model, "--num-samples", "3", "--steps", "5", "--output", "drawn.csv"}).status == 0);
  CHECK(run(folder, {"observe", model, "--betas", "0.4", "--sampler", "gibbs", "--chains", "4", "--steps", "100",
                     "--correlations", "lattice"})
            .status == 0);
}

}  // namespace

TEST_CASE("an anisotropic Ising model has a coupling for each axis, and the averages of all its states") {
  const ScratchFolder folder;
  write_torus(folder, "torus", 3, "", "[1.0, -0.5]");
  const std::vector<Bond> bonds{{1, 0, 1.0}, {0, 1, -0.5}};
  check_torus(folder, "torus", 3, bonds);
  // Had the axes changed places, this would be seen.
  const Torus torus = torus_by_loops(3, bonds, 0.4);
  CHECK(std::abs(torus.next[0] - torus.next[1]) > 0.5);
}

TEST_CASE("neighbors and next neighbors have couplings of their own, whichever way their offsets are written") {
  const ScratchFolder folder;
  const std::vector<Bond> bonds{{1, 0, 1.0}, {0, 1, 1.0}, {1, 1, -0.375}, {1, -1, -0.375}};
  std::string first;
  for (const char* offsets :
       {"[[1, 0], [0, 1], [1, 1], [1, -1]]", R"(["1 0", "0 1", "1 1", "1 -1"])", R"(["1,0", "0, 1", "1,1", "1,-1"])"}) {
    write_torus(folder, "torus", 4, fmt::format(", offsets = {}", offsets), "[1.0, 1.0, -0.375, -0.375]");
    if (first.empty()) check_torus(folder, "torus", 4, bonds);
    else REQUIRE(run(folder, {"import", "torus.toml", "--output", "torus.h5"}).status == 0);
    const Outcome evaluated = run(folder, {"evaluate", "torus.h5", "--json"});
    if (first.empty()) first = evaluated.out;
    CHECK(evaluated.out == first);
  }
}

TEST_CASE("the offsets of a chain are numbers, and mean what lists of one number do") {
  const ScratchFolder folder;
  // Seven spins in a ring: neighbors have ½, next neighbors −¾.
  double z = 0.0;
  for (unsigned state = 0; state < 1u << 7; ++state) {
    const auto spin = [&](int site) { return state >> site % 7 & 1u ? 1 : -1; };
    double energy = 0.0;
    for (int i = 0; i < 7; ++i) energy -= 0.5 * spin(i) * spin(i + 1) - 0.75 * spin(i) * spin(i + 2);
    z += std::exp(-energy);
  }
  const auto log_z = [&](const char* offsets) {
    folder.write("ring.toml", fmt::format(R"(precision = "float64"
initializer = {{ type = "normal", mean = [0.5, -0.75], std = 0.0 }}
[model]
type = "layered"
layers = [{{ name = "spins", size = 7, units = "spin", bias = false }}]
terms = [{{ type = "lattice", layer = "spins", shape = 7, offsets = {}, uniform = true }}]
)",
                                          offsets));
    const Outcome made = run(folder, {"import", "ring.toml", "--output", "ring.h5"});
    REQUIRE_MESSAGE(made.status == 0, made.err);
    return parsed(run(folder, {"evaluate", "ring.h5", "--log-z", "exact", "--json"})).at("log_z").get<double>();
  };
  CHECK(log_z("[1, 2]") == doctest::Approx(std::log(z)).epsilon(1e-12));
  CHECK(log_z("[[1], [2]]") == log_z("[1, 2]"));
  CHECK(log_z(R"(["1", "2"])") == log_z("[1, 2]"));
  CHECK(std::abs(log_z("[2, 1]") - std::log(z)) > 0.1);
  // On a torus a number is no step.
  write_torus(folder, "torus", 3, ", offsets = [1, 2]", "1.0");
  check_refusal(run(folder, {"import", "torus.toml", "--output", "m.h5"}), 2,
                "*the offset \"1\" has 1 numbers, and the lattice 2 axes. Give one number an axis.");
}

TEST_CASE("edges from a file, given to a lattice whose edges share their couplings, are told the list of means") {
  const ScratchFolder folder;
  write_torus(folder, "torus", 3, "", "1.0");
  folder.write("edges.txt", "9 1\n1 2 0.5\n");
  check_refusal(
      run(folder, {"import", "torus.toml", "--set", "initializer={ type = \"edge_list\", path = \"edges.txt\" }",
                   "--output", "m.h5"}),
      2,
      "*initializer 'edge_list': lattice.spins has one coupling for all edges of an offset, 2 in all, and "
      "*edges.txt a number an edge. Set them by initializer = { type = \"normal\", mean = [1, 1], std = 0.0 }, "
      "a value for each in the order of the offsets; for couplings that differ from edge to edge set uniform = false "
      "in the term.");
}

TEST_CASE("offsets that share a coupling have one, of which the axes make the isotropic Ising model") {
  const ScratchFolder folder;
  write_torus(folder, "ising", 3, ", share = [0, 0]", "0.5");
  check_torus(folder, "ising", 3, {{1, 0, 0.5}, {0, 1, 0.5}});
  CHECK(parsed(run(folder, {"inspect", "ising.h5", "--json"})).at("num_parameters") == 1);
  // J1 of neighbors and J2 of next ones: a list has a number for each coupling.
  write_torus(folder, "next", 4, ", offsets = [[1, 0], [0, 1], [1, 1], [1, -1]], share = [0, 0, 1, 1]",
              "[1.0, -0.375]");
  check_torus(folder, "next", 4, {{1, 0, 1.0}, {0, 1, 1.0}, {1, 1, -0.375}, {1, -1, -0.375}});
  CHECK(parsed(run(folder, {"inspect", "next.h5", "--json"})).at("num_parameters") == 2);
}

TEST_CASE("a trained lattice has the mean products of its data along each axis, or along both where these share") {
  // At the optimum of an exponential family the model's means of what its parameters multiply are those of the data.
  const ScratchFolder folder;
  write_torus(folder, "truth", 3, "", "[0.3, -0.2]");
  REQUIRE(run(folder, {"import", "truth.toml", "--output", "truth.h5"}).status == 0);
  REQUIRE(run(folder, {"sample", "truth.h5", "--sampler", "exact", "--num-samples", "200", "--steps", "1", "--output",
                       "states.csv"})
              .status == 0);
  std::array<double, 2> of_data = {};
  int rows = 0;
  for (const Words& line : csv_fields(folder / "states.csv")) {
    if (line[0] != "1" && line[0] != "-1") continue;  // names
    ++rows;
    const auto spin = [&](int r, int c) { return std::stoi(line[static_cast<std::size_t>(r % 3 * 3 + c % 3)]); };
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        of_data[0] += spin(r, c) * spin(r + 1, c) / 1800.0;
        of_data[1] += spin(r, c) * spin(r, c + 1) / 1800.0;
      }
  }
  REQUIRE(rows == 200);
  for (const char* share : {"", ", share = [0, 0]"}) {
    CAPTURE(share);
    write_torus(folder, "fit", 3, share, "0.0");
    folder.write("fit.toml",
                 "data = { type = \"csv\", path = \"states.csv\" }\nestimator = \"exact\"\n"
                 "optimizer = { type = \"sgd\", learning_rate = 0.05 }\n"
                 "training = { batch_size = 200, num_epochs = 200 }\n" +
                     content_of(folder / "fit.toml"));
    const Outcome trained = run(folder, {"train", "fit.toml", "--output", "fit", "--overwrite", "--quiet"});
    REQUIRE_MESSAGE(trained.status == 0, trained.err);
    REQUIRE(run(folder, {"export", "fit", "--output", "tables"}).status == 0);
    const auto lines = csv_fields(folder / "tables/lattice.spins.csv");
    REQUIRE(lines.size() == 19);
    // Site after site, at each the edge along axis 0 and that along axis 1.
    const double down = std::stod(lines[1][2]), right = std::stod(lines[2][2]);
    const Torus torus = torus_by_loops(3, {{1, 0, down}, {0, 1, right}}, 1.0);
    if (*share) {
      CHECK(down == right);
      CHECK(std::abs(torus.next[0] + torus.next[1] - of_data[0] - of_data[1]) < 1e-9);
      CHECK(std::abs(torus.next[0] - of_data[0]) > 0.05);
    } else {
      CHECK(std::abs(torus.next[0] - of_data[0]) < 1e-9);
      CHECK(std::abs(torus.next[1] - of_data[1]) < 1e-9);
      CHECK(down > right);
    }
  }
}

TEST_CASE("couplings that edges share keep their bits in files, on more threads, and after a checkpoint") {
  for (const char* precision : {"float64", "float32"}) {
    CAPTURE(precision);
    const ScratchFolder folder;
    std::string rows;
    for (unsigned r = 0; r < 24; ++r)
      for (unsigned c = 0; c < 16; ++c)
        rows += fmt::format("{}{}", (r * r + 5 * r * c + c * c) % 7 < 3 ? 1 : -1, c < 15 ? "," : "\n");
    folder.write("rows.csv", rows);
    write_torus(folder, "c", 4, ", offsets = [[1, 0], [0, 1], [1, 1]], share = [0, 1, 0]", "[0.25, -0.125]");
    std::string config = content_of(folder / "c.toml");
    config.replace(config.find("float64"), 7, precision);
    folder.write("c.toml",
                 "data = { type = \"csv\", path = \"rows.csv\", header = \"no\" }\n"
                 "estimator = { type = \"pcd\", num_chains = 20 }\n"
                 "optimizer = { type = \"adam\", learning_rate = 0.01 }\n"
                 "training = { batch_size = 7, num_epochs = 6, checkpoint_every = 3 }\n" +
                     config);
    const auto train = [&](const char* output, const Words& more) {
      Words words{"train", "c.toml", "--output", output, "--quiet"};
      words.insert(words.end(), more.begin(), more.end());
      const Outcome outcome = run(folder, words);
      REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    };
    const auto couplings = [&](const std::string& file) {
      const auto values = Hdf5File::open(folder / file).read<double>("parameters/lattice.spins").values;
      REQUIRE(values.size() == 2);
      return std::vector<double>(values.begin(), values.end());
    };
    train("long", {"--threads", "1"});
    train("wide", {"--threads", "3"});
    train("short", {"--epochs", "3"});
    CHECK(couplings("short/model.h5") != couplings("long/model.h5"));
    REQUIRE(run(folder, {"train", "--resume", "short", "--epochs", "6", "--quiet"}).status == 0);
    const std::vector<double> learned = couplings("long/model.h5");
    CHECK(couplings("wide/model.h5") == learned);
    CHECK(couplings("short/model.h5") == learned);
    REQUIRE(run(folder, {"export", "long", "--output", "tables"}).status == 0);
    REQUIRE(run(folder, {"import", "tables", "--output", "back.h5"}).status == 0);
    CHECK(couplings("back.h5") == learned);
  }
}

TEST_CASE("numbers of couplings that leave an offset or a coupling out are refused") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& term, const std::string& message) {
    write_torus(folder, "torus", 3, term, "1.0");
    check_refusal(run(folder, {"import", "torus.toml", "--output", "m.h5"}), 2, "*" + message);
  };
  refused(", share = [0]", "'share' has 1 numbers, and there are 2 offsets. Give one number an offset.");
  for (const char* list : {"0, 2", "1, 1", "0, 0.5", "-1, 0"})
    refused(fmt::format(", share = [{}]", list),
            fmt::format("'share' is [{}]. Number the couplings 0, 1, 2 and so on, without a gap, such as [0, 0, 1, 1].",
                        list));
  write_torus(folder, "each", 3, ", share = [0, 0]", "1.0");
  std::string config = content_of(folder / "each.toml");
  config.replace(config.find("uniform = true"), 14, "uniform = false");
  folder.write("each.toml", config);
  check_refusal(run(folder, {"import", "each.toml", "--output", "m.h5"}), 2,
                "*'share' says which offsets have one coupling, and each edge has its own. Set uniform = true.");
  write_torus(folder, "tied", 3, ", tied = true", "1.0");
  check_refusal(run(folder, {"import", "tied.toml", "--output", "m.h5"}), 2,
                "*unknown option 'tied' (did you mean 'uniform'?).*");
}

TEST_CASE("what is no list of a lattice's couplings, and a second lattice of a layer, is refused with the way out") {
  const ScratchFolder folder;
  write_torus(folder, "three", 3, "", "[1.0, -0.5, 0.25]");
  check_refusal(run(folder, {"import", "three.toml", "--output", "m.h5"}), 2,
                "initializer: 'mean' has 3 numbers, and lattice.spins has 2. Give one number for all of these, or one "
                "for each; with uniform = true a lattice has one coupling for each of its offsets.");
  check_refusal(run(folder, {"import", "three.toml", "--set",
                             "model={ type = \"rbm\", num_visible = 3, num_hidden = 2 }", "--output", "m.h5"}),
                2,
                "initializer: 'mean' has 3 numbers, one for each offset of a term 'lattice', and the model has no such "
                "term. Give one number for all couplings.");
  write_torus(folder, "two", 3,
              R"( }, { type = "lattice", layer = "spins", shape = [3, 3], offsets = [[1, 1]], uniform = true)", "1.0");
  check_refusal(
      run(folder, {"import", "two.toml", "--output", "m.h5"}), 2,
      "*two terms 'lattice' of layer 'spins'. Give one of them the 'offsets' of both: with uniform = true each offset "
      "has a coupling of its own, which initializer = { type = \"normal\", mean = [1.0, -0.5], std = 0.0 } sets, here "
      "those of two.");
}

}  // namespace lattice_test
