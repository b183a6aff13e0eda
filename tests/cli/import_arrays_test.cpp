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
#include "made_archives.hpp"

namespace import_arrays_test {

using namespace harmonium;
using namespace harmonium::testing;
using namespace harmonium::testing::made_archives;

namespace {

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

TEST_CASE("of couplings that most pairs of units have none of a mask is advised, and with it no more") {
  const ScratchFolder folder;
  std::vector<double> ring(256, 0.0);
  std::string edges = "16 16\n";
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t j = (i + 1) % 16;
    ring[16 * i + j] = ring[16 * j + i] = 0.5;
    edges += fmt::format("{} {} 1\n", i, j);
  }
  folder.write("ring.txt", edges);
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(16, 16, ring)},
                                   {"bias.visible.npy", npy_bytes(16, 1, std::vector<double>(16, 0.0))}}));
  const std::string advice =
      "weight.visible.visible: 16 of 120 pairs of units are coupled. A mask leaves the others out, and what goes from "
      "unit to unit is as much faster: masks = [{ coupling = \"visible.visible\", edges = \"PAIRS.txt\" }] of "
      "[model], or beside couplings in an archive an array 'mask.visible.visible', J != 0\n";
  const auto out_of = [&](const char* masks) {
    folder.write(
        "all.toml",
        fmt::format("[model]\ntype = \"fully_visible\"\nnum_visible = 16\nvisible_units = \"spin\"\n{}", masks));
    const Outcome outcome = import_of(folder, "all.toml", {"--parameters", "p.npz"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    std::filesystem::remove(folder / "back.h5");
    return outcome.out;
  };
  CHECK(out_of("").find(advice) != std::string::npos);
  CHECK(out_of(R"(masks = [{ coupling = "visible.visible", edges = "ring.txt" }])").find("A mask") ==
        std::string::npos);
  for (double& w : ring) w = 0.5;
  for (std::size_t i = 0; i < 16; ++i) ring[17 * i] = 0.0;
  folder.write("p.npz", zip_bytes({{"weight.visible.visible.npy", npy_bytes(16, 16, ring)},
                                   {"bias.visible.npy", npy_bytes(16, 1, std::vector<double>(16, 0.0))}}));
  CHECK(out_of("").find("A mask") == std::string::npos);
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
  refused({weight}, "p.npz: the model needs 'bias.visible' (6), which is not there.");
  refused({weight, bias, {"h.npy", npy_bytes(1, 1, {0})}},
          "p.npz: 'h' (1, 1) belongs to no part of the model. Leave out what the model has not.");
  refused(
      {{"J.npy", couplings}, {"h.npy", npy_bytes(2, 3, potts_fields)}},
      "p.npz: the model needs 'bias.visible' (6), 'weight.visible.visible' (6, 6), which are not there; 'J' (6, 6), "
      "'h' (2, 3) belong to no part of the model. Call each array as the model does, and leave out what it has "
      "not.");
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
  REQUIRE(run(folder, {"export", "made.h5", "--output", "made.npz"}).status == 0);
  const std::string config = read_npy_text(folder / "made.npz", "config");
  CHECK(config.find("\nshape = [3]\n") != std::string::npos);  // lengths are integers, for other readers too
  CHECK(config == content_of(folder / "tables/model.toml"));
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
  folder.write("r.npz", zip_bytes({{"pairs.npy", npy_bytes(3, 2, pairs)}}));
  check_refusal(import_of(folder, "ring.toml", {"--parameters", "r.npz"}), 1,
                "r.npz: the model needs 'lattice.s' (3), 'lattice.s.pairs' (3, 2), which are not there; 'pairs' (3, 2) "
                "belongs to no part of the model. *");
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
