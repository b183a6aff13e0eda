// A model's arrays, as export writes them to an archive or numpy does, read by import.
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/npy_start.hpp>
#include <harmonium/framework/files/npy_words.hpp>
#include <harmonium/tests/support/npy_words.hpp>
#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"

namespace import_arrays_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr const char* potts = R"({ type = "categorical", num_states = 3 })";

/// made.h5 of that table [model], with random parameters, and made.npz that export writes of it.
void write_archive(const ScratchFolder& folder, const std::string& model, const char* precision = "float64") {
  folder.write("made.toml", fmt::format("seed = 5\nprecision = \"{}\"\nmodel = {}\n"
                                        "initializer = {{ type = \"normal\", std = 0.7 }}\n",
                                        precision, model));
  const Outcome made = run(folder, {"import", "made.toml", "--output", "made.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  const Outcome exported = run(folder, {"export", "made.h5", "--output", "made.npz"});
  REQUIRE_MESSAGE(exported.status == 0, exported.err);
}

Outcome import_of(const ScratchFolder& folder, const std::string& what, const Words& more = {}) {
  Words words{"import", what, "--output", "back.h5"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

void check_comes_back(const ScratchFolder& folder) {
  const Outcome outcome = import_of(folder, "made.npz");
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.starts_with("made.npz: layer '"));
  REQUIRE(run(folder, {"export", "back.h5", "--output", "again.npz"}).status == 0);
  CHECK(content_of(folder / "again.npz") == content_of(folder / "made.npz"));
  CHECK(run(folder, {"evaluate", "back.h5", "--json", "--seed", "1"}).out ==
        run(folder, {"evaluate", "made.h5", "--json", "--seed", "1"}).out);
}

/// The couplings of two units of three states each, between them alone, by row.
std::vector<double> potts_couplings() {
  std::vector<double> j(36, 0.0);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t t = 0; t < 3; ++t)
      j[s * 6 + 3 + t] = j[(3 + t) * 6 + s] = 0.3 * static_cast<double>(s) - 0.2 * static_cast<double>(t * s);
  return j;
}

/// An array of that shape, as Python writes it.
std::string npy_of_shape(const char* shape, const std::vector<double>& values) {
  const std::string row = npy_bytes(1, values.size(), values);
  return npy_start("'<f8'", shape) + row.substr(row.size() - values.size() * sizeof(double));
}
const std::vector<double> potts_fields{0.1, -0.4, 0.25, 0.0, 0.5, -1.0};

double potts_log_z() {
  const std::vector<double> j = potts_couplings();
  double z = 0.0;
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t t = 0; t < 3; ++t) z += std::exp(j[s * 6 + 3 + t] + potts_fields[s] + potts_fields[3 + t]);
  return std::log(z);
}

double log_z(const ScratchFolder& folder, const std::string& model) {
  const Outcome evaluated = run(folder, {"evaluate", model, "--json"});
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
  return nlohmann::json::parse(evaluated.out)["log_z"].get<double>();
}

}  // namespace

TEST_CASE("an archive that export wrote of any model comes back to the bit") {
  for (const std::string model :
       {R"({ type = "rbm", num_visible = 4, num_hidden = 3 })", R"({ type = "rbm", num_visible = 4, num_hidden = 1 })",
        R"({ type = "rbm", num_visible = 4, num_hidden = 3, num_labels = 3 })",
        R"({ type = "rbm", num_visible = 4, num_hidden = 2, visible_units = "spin", hidden_units = "gaussian" })",
        R"({ type = "deep", num_visible = 4, num_hidden = [3, 2] })",
        R"({ type = "boltzmann_machine", num_visible = 4, num_hidden = 3 })",
        R"({ type = "fully_visible", num_visible = 4, visible_units = "spin" })",
        R"({ type = "fully_visible", num_visible = 4 })",
        R"({ type = "fully_visible", num_visible = 2, visible_units = { type = "categorical", num_states = 3 } })",
        R"({ type = "layered", layers = [{ name = "s", size = 12, units = "spin", bias = false }], )"
        R"(terms = [{ type = "lattice", layer = "s", shape = [3, 4], uniform = true }] })",
        R"({ type = "layered", layers = [{ name = "s", size = 12, units = "spin" }], )"
        R"(terms = [{ type = "lattice", layer = "s", shape = [3, 4] }] })"}) {
    CAPTURE(model);
    const ScratchFolder folder;
    write_archive(folder, model);
    check_comes_back(folder);
  }
  const ScratchFolder folder;
  write_archive(folder, R"({ type = "rbm", num_visible = 4, num_hidden = 3 })", "float32");
  check_comes_back(folder);
  CHECK(read_npy_text(folder / "made.npz", "config").starts_with("precision = \"float32\"\n"));
}

TEST_CASE("masks come back from an archive, those between layers and those within one") {
  const ScratchFolder folder;
  folder.write("across.csv", "1,0,1\n0,1,1\n1,1,0\n0,0,1\n");
  folder.write("within.txt", "4 3\n1 2 1\n2 3 1\n3 4 1\n");
  write_archive(folder, R"({ type = "semi_restricted", num_visible = 4, num_hidden = 3, masks = [)"
                        R"({ coupling = "visible.hidden", matrix = "across.csv" }, )"
                        R"({ coupling = "visible.visible", edges = "within.txt" }] })");
  // The archive has them: the files may be gone.
  std::filesystem::rename(folder / "across.csv", folder / "kept.csv");
  check_comes_back(folder);
  CHECK(nlohmann::json::parse(run(folder, {"inspect", "back.h5", "--json"}).out)["num_parameters"] == 4 + 3 + 7 + 3);
  // Those of a configuration are the same, or refused.
  std::filesystem::rename(folder / "kept.csv", folder / "across.csv");
  CHECK(import_of(folder, "made.toml", {"--parameters", "made.npz"}).status == 0);
  folder.write("across.csv", "1,1,1\n0,1,1\n1,1,0\n0,0,1\n");
  check_refusal(
      import_of(folder, "made.toml", {"--parameters", "made.npz"}), 1,
      "*made.npz: 'mask.visible.hidden' is another mask than that of the configuration. Leave one of them out.");
}

TEST_CASE("arrays made by hand are the parameters of the model that a configuration says") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = 2, "
                           "visible_units = {} }}\n",
                           potts));
  const std::string couplings = npy_bytes(6, 6, potts_couplings());
  for (const std::string& fields : {npy_bytes(6, 1, potts_fields), npy_bytes(2, 3, potts_fields)}) {
    folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", couplings}, {"bias.visible.npy", fields}}));
    const Outcome outcome = import_of(folder, "potts.toml", {"--parameters", "p.npz"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    CHECK(outcome.out.starts_with("potts.toml: layer 'visible' of 2 categorical units"));
    CHECK(log_z(folder, "back.h5") == doctest::Approx(potts_log_z()).epsilon(1e-12));
  }
  const auto refused = [&](const std::vector<Packed>& arrays, const char* why) {
    folder.write("p.npz", zip_bytes(arrays));
    std::filesystem::remove(folder / "back.h5");
    check_refusal(import_of(folder, "potts.toml", {"--parameters", "p.npz"}), 1, why);
    CHECK_FALSE(std::filesystem::exists(folder / "back.h5"));
  };
  const Packed weight{"weight.visible.visible.npy", couplings}, bias{"bias.visible.npy", npy_bytes(2, 3, potts_fields)};
  refused({weight},
          "p.npz: there is no array 'bias.visible', which the model needs with shape (6). It has: "
          "weight.visible.visible.");
  refused({weight, bias, {"h.npy", npy_bytes(1, 1, {0})}},
          "p.npz: the array 'h' belongs to no part of the model. Leave it out.");
  refused({weight, {"bias.visible.npy", npy_bytes(3, 2, potts_fields)}},
          "p.npz: the array 'bias.visible' has shape (3, 2), and the model needs (6).");
  refused({bias, {"weight.visible.visible.npy", npy_bytes(4, 9, potts_couplings())}},
          "p.npz: the array 'weight.visible.visible' has shape (4, 9), and the model needs (6, 6).");
  refused({weight, {"bias.visible.npy", npy_bytes(2, 3, {0, 0, 0, 0, NAN, 0})}},
          "p.npz: the array 'bias.visible' holds nan at row 1, column 1: not a finite number.");
  std::vector<double> half = potts_couplings();
  for (std::size_t i = 0; i < 36; ++i)
    if (i % 6 < i / 6) half[i] = 0.0;
  refused(
      {bias, {"weight.visible.visible.npy", npy_bytes(6, 6, half)}},
      "p.npz: weight.visible.visible: entries (1, 3) and (3, 1) are *, but a lateral coupling is symmetric with zero "
      "diagonal; one of its triangles is 0: give J + J^T, of J[unit, state, unit, state] J + J.transpose(2, 3, 0, "
      "1)");
  check_refusal(import_of(folder, "potts.toml", {"--parameters", "none.npz"}), 2,
                "--parameters none.npz: this is no archive of arrays (.npz) that is there. *");
  check_refusal(
      import_of(folder, "p.npz", {"--parameters", "p.npz"}), 2,
      "--parameters p.npz: the model that they are of is that of a configuration. Name a CONFIG.toml in place "
      "of p.npz.");
}

TEST_CASE("couplings of units of several states may have four axes, as they lie, and the other order is told") {
  const ScratchFolder folder;
  const auto config = [&](int units, int states) {
    folder.write("potts.toml",
                 fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = {}, "
                             "visible_units = {{ type = \"categorical\", num_states = {} }} }}\n",
                             units, states));
  };
  const Packed bias{"bias.visible.npy", npy_bytes(2, 3, potts_fields)};
  const auto import_couplings = [&](const std::string& bytes, const std::vector<Packed>& more) {
    std::vector<Packed> arrays = more;
    arrays.push_back({"weight.visible.visible.npy", bytes});
    folder.write("p.npz", zip_bytes(arrays));
    return import_of(folder, "potts.toml", {"--parameters", "p.npz"});
  };
  config(2, 3);
  const Outcome outcome = import_couplings(npy_of_shape("(2, 3, 2, 3)", potts_couplings()), {bias});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(log_z(folder, "back.h5") == doctest::Approx(potts_log_z()).epsilon(1e-12));
  std::vector<double> ones(36, 1.0);
  const Packed mask{"mask.visible.visible.npy", npy_of_shape("(2, 3, 2, 3)", ones)};
  CHECK(import_couplings(npy_of_shape("(2, 3, 2, 3)", potts_couplings()), {bias, mask}).status == 0);
  check_refusal(import_couplings(npy_of_shape("(2, 2, 3, 3)", potts_couplings()), {bias}), 1,
                "p.npz: the array 'weight.visible.visible' has shape (2, 2, 3, 3), and the model needs (6, 6), rows "
                "and columns in the order unit*3 + state: of J[unit, unit, state, state] take J.transpose(0, 2, 1, "
                "3).reshape(6, 6).");
  std::vector<double> none = potts_couplings();
  none[4] = INFINITY;
  check_refusal(import_couplings(npy_of_shape("(2, 3, 2, 3)", none), {bias}), 1,
                "p.npz: the array 'weight.visible.visible' holds inf at row 0, column 4: not a finite number.");
  // With as many units as states the shape does not tell the order.
  config(2, 2);
  const Packed two{"bias.visible.npy", npy_bytes(2, 2, {0, 0, 0, 0})};
  check_refusal(import_couplings(npy_of_shape("(2, 2, 2, 2)", std::vector<double>(16, 0.0)), {two}), 1,
                "*of J[unit, unit, state, state] take J.transpose(0, 2, 1, 3).reshape(4, 4), of J[unit, state, unit, "
                "state] J.reshape(4, 4).");
  // Without a configuration there is one number a pair of units.
  for (const char* shape : {"(2, 2, 3, 3)", "(2, 3, 2, 3)"}) {
    const std::string j = npy_of_shape(shape, potts_couplings());
    const std::string why = fmt::format(
        "it has shape {}, as couplings of units of several states have, and one number a pair of units is read. *: "
        "rows "
        "and columns in the order unit*3 + state: of J[unit, unit, state, state] take J.transpose(0, 2, 1, "
        "3).reshape(6, 6).",
        shape);
    folder.write("j.npy", j);
    check_refusal(import_of(folder, "j.npy"), 1, "j.npy: " + why);
    folder.write("p.npz", zip_bytes({{"J.npy", j}, {"h.npy", npy_bytes(2, 3, potts_fields)}}));
    check_refusal(import_of(folder, "p.npz"), 1, "p.npz:array=J: " + why);
  }
}

TEST_CASE("couplings of a unit with itself are told by its states, and what is not symmetric by both values") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = 2, "
                           "visible_units = {} }}\n",
                           potts));
  const auto refused = [&](std::vector<double> j, const char* why) {
    folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(6, 6, j)},
                                     {"bias.visible.npy", npy_bytes(2, 3, potts_fields)}}));
    check_refusal(import_of(folder, "potts.toml", {"--parameters", "p.npz"}), 1, why);
  };
  std::vector<double> j = potts_couplings();
  j[1] = j[6] = 0.5;
  refused(
      j,
      "p.npz: weight.visible.visible: states 0 and 1 of unit 0 are coupled with each other by 0.5, and a site is in "
      "one state: put 0 into each 3 x 3 block on the diagonal");
  j = potts_couplings();
  j[4 * 6 + 4] = 2;
  refused(
      j,
      "p.npz: weight.visible.visible: state 1 of unit 1 is coupled with itself by 2: put 0 into each 3 x 3 block on "
      "the diagonal, and the energy of a state into the bias");
  j = potts_couplings();
  j[5] = 0.25;
  refused(
      j,
      "p.npz: weight.visible.visible: entries (0, 5) and (5, 0) are 0.25 and *, but a lateral coupling is symmetric "
      "with zero diagonal; where both are meant, give (J + J^T) / 2");
  folder.write("spins.toml", "model = { type = \"fully_visible\", num_visible = 2, visible_units = \"spin\" }\n");
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(2, 2, {1, 0.5, 0.5, 0})},
                                   {"bias.visible.npy", npy_bytes(2, 1, {0, 0})}}));
  check_refusal(import_of(folder, "spins.toml", {"--parameters", "p.npz"}), 1,
                "p.npz: weight.visible.visible: unit 0 is coupled with itself, by 1: put 0 on the diagonal");
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(2, 2, {0, 0, 0.5, 0})},
                                   {"bias.visible.npy", npy_bytes(2, 1, {0, 0})}}));
  check_refusal(import_of(folder, "spins.toml", {"--parameters", "p.npz"}), 1,
                "p.npz: weight.visible.visible: entries (0, 1) and (1, 0) are 0 and 0.5, but a lateral coupling is "
                "symmetric with zero diagonal; one of its triangles is 0: give J + J^T");
}

TEST_CASE("the sum of a triangle and its transpose, as the refusal of a triangle says, is what was meant") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               fmt::format("precision = \"float64\"\nmodel = {{ type = \"fully_visible\", num_visible = 2, "
                           "visible_units = {} }}\n",
                           potts));
  std::vector<double> upper = potts_couplings(), sum(36);
  for (std::size_t i = 0; i < 36; ++i)
    if (i % 6 < i / 6) upper[i] = 0.0;
  // J[i, a, j, b] + J[j, b, i, a], by four indices.
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t b = 0; b < 3; ++b)
          sum[((i * 3 + a) * 2 + j) * 3 + b] =
              upper[((i * 3 + a) * 2 + j) * 3 + b] + upper[((j * 3 + b) * 2 + i) * 3 + a];
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_of_shape("(2, 3, 2, 3)", sum)},
                                   {"bias.visible.npy", npy_bytes(2, 3, potts_fields)}}));
  const Outcome outcome = import_of(folder, "potts.toml", {"--parameters", "p.npz"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(log_z(folder, "back.h5") == doctest::Approx(potts_log_z()).epsilon(1e-12));
}

TEST_CASE("the lattice of an archive is that of its model, and each edge has the coupling that it shares") {
  const ScratchFolder folder;
  folder.write(
      "ring.toml",
      "precision = \"float64\"\n[model]\ntype = \"layered\"\nlayers = [{ name = \"s\", size = 3, units = \"spin\", "
      "bias = false }]\nterms = [{ type = \"lattice\", layer = \"s\", shape = [3], uniform = true }]\n");
  const auto ring = [&](const std::vector<double>& values, const std::vector<double>& pairs) {
    folder.write("r.npz", zip_bytes({{"lattice.s.npy", npy_bytes(3, 1, values)},
                                     {"lattice.s.pairs.npy", npy_bytes(3, 2, pairs)}}));
    return import_of(folder, "ring.toml", {"--parameters", "r.npz"});
  };
  REQUIRE(run(folder, {"import", "ring.toml", "--output", "made.h5"}).status == 0);
  REQUIRE(run(folder, {"export", "made.h5", "--output", "tables"}).status == 0);
  std::vector<double> pairs;
  for (const Words& line : csv_fields(folder / "tables/lattice.s.csv"))
    if (line[0] != "unit")
      for (const int k : {0, 1}) pairs.push_back(std::stod(line[static_cast<std::size_t>(k)].substr(2)));
  REQUIRE(pairs.size() == 6);
  const Outcome outcome = ring({0.5, 0.5, 0.5}, pairs);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  // Of eight states two have all three bonds, the others one in three.
  CHECK(log_z(folder, "back.h5") == doctest::Approx(std::log(2 * std::exp(1.5) + 6 * std::exp(-0.5))).epsilon(1e-12));
  check_refusal(
      ring({0.5, 0.5, 0.75}, pairs), 1,
      "r.npz: 'lattice.s' is 0.75 at row 2, another value than that of an edge before, whose coupling it has.");
  std::swap(pairs[0], pairs[1]);
  check_refusal(ring({0.5, 0.5, 0.5}, pairs), 1, "r.npz: row 0 of 'lattice.s.pairs' is *, where the model has *");
}

TEST_CASE("an archive without a configuration is told by its shapes what to name") {
  const ScratchFolder folder;
  const std::string j = npy_bytes(3, 3, {0, 0.5, -1, 0.5, 0, 2, -1, 2, 0}), h = npy_bytes(3, 1, {0.25, 0, -1}),
                    ones = npy_bytes(3, 3, {0, 1, 1, 1, 0, 1, 1, 1, 0});
  folder.write(
      "g.npz",
      zip_bytes({{"bias.visible.npy", h}, {"mask.visible.visible.npy", ones}, {"weight.visible.visible.npy", j}}));
  check_refusal(
      import_of(folder, "g.npz"), 2,
      "import g.npz: it holds 3 arrays: bias.visible, mask.visible.visible, weight.visible.visible. Of spins "
      "name that of the couplings, and that of the fields where there are any, as in harmonium import "
      "g.npz:array=weight.visible.visible --fields g.npz:array=bias.visible --output back.h5. Of another model "
      "say what it is in a configuration, whose tensors are called as the arrays: harmonium import CONFIG.toml "
      "--parameters g.npz --output back.h5.");
  const Outcome named =
      import_of(folder, "g.npz:array=weight.visible.visible", {"--fields", "g.npz:array=bias.visible"});
  CHECK(named.err == "");
  CHECK(named.status == 0);
  const Outcome bare = import_of(folder, "g.npz:array=weight.visible.visible");
  CHECK(bare.status == 0);
  CHECK(bare.err ==
        "harmonium: note: the model has no fields. Where the array 'bias.visible' of g.npz holds them, add --fields "
        "g.npz:array=bias.visible.\n");
  folder.write("w.npz", zip_bytes({{"W.npy", npy_bytes(2, 3, {0, 1, 2, 3, 4, 5})}, {"c.npy", h}}));
  check_refusal(import_of(folder, "w.npz"), 2,
                "import w.npz: it holds 2 arrays: W, c. None is a square matrix of couplings. Of a model with other "
                "parameters say what it is in a configuration, *");
}

TEST_CASE("couplings of units of several states are not taken for those of spins, where the archive tells") {
  const ScratchFolder folder;
  write_archive(folder, fmt::format(R"({{ type = "fully_visible", num_visible = 2, visible_units = {} }})", potts));
  check_refusal(import_of(folder, "made.npz:array=weight.visible.visible"), 2,
                "import made.npz:array=weight.visible.visible: the units of its layer 'visible' are categorical (array "
                "'config'), and a matrix alone makes spins. The archive keeps the model: harmonium import made.npz "
                "--output back.h5.");
  write_archive(folder, R"({ type = "fully_visible", num_visible = 3 })");
  check_refusal(import_of(folder, "made.npz:array=weight.visible.visible"), 2, "*'visible' are binary (array*");
  write_archive(folder, R"({ type = "fully_visible", num_visible = 3, visible_units = "spin" })");
  CHECK(import_of(folder, "made.npz:array=weight.visible.visible").status == 0);

  const std::string j = npy_bytes(6, 6, potts_couplings());
  const std::string why =
      "is that of 2 units of 3 states, and a matrix alone makes 6 spins. Say what the units are, as in model = { type "
      "= "
      "\"fully_visible\", num_visible = 2, visible_units = { type = \"categorical\", num_states = 3 } }, and call the "
      "arrays as its tensors, weight.visible.visible and bias.visible: harmonium import CONFIG.toml --parameters p.npz "
      "--output back.h5.";
  folder.write("p.npz", zip_bytes({{"J.npy", j}, {"h.npy", npy_bytes(2, 3, potts_fields)}}));
  check_refusal(import_of(folder, "p.npz:array=J"), 2, "import p.npz:array=J: its array 'h' of shape (2, 3) " + why);
  check_refusal(import_of(folder, "p.npz"), 2, "import p.npz:array=J: its array 'h' of shape (2, 3) " + why);
  folder.write("p.npz", zip_bytes({{"J.npy", j}, {"mask.npy", npy_bytes(2, 2, {0, 1, 1, 0})}}));
  check_refusal(import_of(folder, "p.npz:array=J"), 2, "import p.npz:array=J: its array 'mask' of shape (2, 2) " + why);
  check_refusal(
      import_of(folder, "p.npz"), 2,
      "import p.npz: it holds 2 arrays: J, mask. Of units of several states say what it is in a configuration, "
      "*");
  // Of six spins all is as it was.
  folder.write("p.npz", zip_bytes({{"J.npy", j}, {"h.npy", npy_bytes(6, 1, potts_fields)}}));
  CHECK(import_of(folder, "p.npz").status == 0);
}

TEST_CASE("a configuration in an archive is a text, in either form of numpy, and says what options are not needed") {
  const ScratchFolder folder;
  const std::string weight = npy_bytes(2, 2, {0, 0.5, 0.5, 0}), bias = npy_bytes(2, 1, {0.25, -1});
  const auto archive = [&](const std::string& config) {
    folder.write(
        "a.npz",
        zip_bytes({{"config.npy", config}, {"weight.visible.visible.npy", weight}, {"bias.visible.npy", bias}}));
  };
  const std::string text =
      "precision = \"float64\"\nmodel = { type = \"fully_visible\", num_visible = 2, visible_units = \"binary\" }\n";
  archive(npy_words({std::u32string(text.begin(), text.end())}));
  REQUIRE(import_of(folder, "a.npz").status == 0);
  const double wanted = std::log(1 + std::exp(0.25) + std::exp(-1.0) + std::exp(0.5 + 0.25 - 1.0));
  CHECK(log_z(folder, "back.h5") == doctest::Approx(wanted).epsilon(1e-12));
  archive(npy_byte_words({text}));
  REQUIRE(import_of(folder, "a.npz").status == 0);
  CHECK(log_z(folder, "back.h5") == doctest::Approx(wanted).epsilon(1e-12));
  for (const char* option : {"--seed", "--fields"})
    check_refusal(import_of(folder, "a.npz", {option, "1"}), 2,
                  std::string(option) +
                      ": the arrays of a.npz say what couplings and biases are, and its array 'config' what the model "
                      "is. Leave it out.");
  archive(npy_bytes(1, 1, {3}));
  check_refusal(import_of(folder, "a.npz"), 1,
                "a.npz:config.npy: an array of dtype '<f8' and shape (1, 1) (one text "
                "expected, as of dtype '<U9')");
  archive(npy_byte_words({"model = {"}));
  check_refusal(import_of(folder, "a.npz"), 2, "a.npz:config:1:*");
}

}  // namespace import_arrays_test
