// What import makes models of: edges, matrices, and what export wrote.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/zip.hpp>

#include "files.hpp"

namespace import_test {

using namespace harmonium::testing;

namespace {

double log_z_of(const ScratchFolder& folder, const std::string& model) {
  const Outcome evaluated = run(folder, {"evaluate", model, "--json"});
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
  return nlohmann::json::parse(evaluated.out)["log_z"].get<double>();
}

/// NAME.h5 of three units of that kind, coupled and biased, and in the folder NAME what export writes of it.
void write_exported(const ScratchFolder& folder, const std::string& name, const std::string& units) {
  folder.write("edges.txt", "3 2\n1 2 0.25\n2 3 -0.4\n");
  folder.write("h.csv", "0.25\n-0.5\n1\n");
  folder.write(name + ".toml",
               "precision = \"float64\"\n[model]\ntype = \"fully_visible\"\nnum_visible = 3\nvisible_units = " + units +
                   "\n[initializer]\ntype = \"edge_list\"\npath = \"edges.txt\"\nfields = \"h.csv\"\n");
  const Outcome imported = run(folder, {"import", name + ".toml", "--output", name + ".h5"});
  REQUIRE_MESSAGE(imported.status == 0, imported.err);
  REQUIRE(run(folder, {"export", name + ".h5", "--output", name}).status == 0);
}

}  // namespace

TEST_CASE("import says of files of parameters what serves them") {
  const CliFolder folder;
  folder.write("weights.csv", "1,2\n3,4\n");
  check_refusal(
      run(folder, {"import", "weights.csv", "--output", "m.h5"}), 2,
      "import weights.csv: this is neither a file of edges*, nor a square matrix of couplings (symmetric, its "
      "diagonal 0), *weights.csv:1: 2 edges: 1 nodes have 0 pairs at "
      "most. Where the line is an edge, its weight is missing: write 'i j w')*docs/file_format.md*");
}

TEST_CASE("import of a matrix of couplings is that of its edges") {
  const ScratchFolder folder;
  folder.write("edges.txt", "4 3\n1 2 0.5\n1 4 -1\n3 4 2\n");
  folder.write("j.csv", "0,0.5,0,-1\n0.5,0,0,0\n0,0,0,2\n-1,0,2,0\n");
  const Outcome of_edges = run(folder, {"import", "edges.txt", "--output", "a.h5"});
  const Outcome of_matrix = run(folder, {"import", "j.csv", "--output", "b.h5"});
  INFO(of_matrix.err);
  REQUIRE(of_edges.status == 0);
  REQUIRE(of_matrix.status == 0);
  CHECK(of_matrix.out.substr(of_matrix.out.find(": ")) == of_edges.out.substr(of_edges.out.find(": ")));
  const Outcome a = run(folder, {"evaluate", "a.h5", "--json"}), b = run(folder, {"evaluate", "b.h5", "--json"});
  CHECK(a.out == b.out);
}

TEST_CASE("couplings and fields are arrays of an archive too, named behind it") {
  const ScratchFolder folder;
  const std::vector<double> couplings{0, 0.5, -1, 0.5, 0, 2, -1, 2, 0}, fields{0.25, 0, -1};
  folder.write("j.npy", npy_bytes(3, 3, couplings));
  folder.write("h.npy", npy_bytes(3, 1, fields));
  folder.write("a.npz", zip_bytes({{"J.npy", npy_bytes(3, 3, couplings)}, {"h.npy", npy_bytes(3, 1, fields), true}}));
  folder.write("one.npz", zip_bytes({{"J.npy", npy_bytes(3, 3, couplings)}}));
  const auto model = [&](const std::string& edges, const std::string& h) {
    const Outcome outcome = run(folder, {"import", edges, "--fields", h, "--output", "m.h5"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return run(folder, {"evaluate", "m.h5", "--json"}).out;
  };
  const std::string wanted = model("j.npy", "h.npy");
  CHECK(model("a.npz:array=J", "a.npz:array=h") == wanted);
  CHECK(model("one.npz", "h.npy") == wanted);
  CHECK(model("j.npy", "0.5") != wanted);
  folder.write(
      "c.toml",
      "precision = \"float64\"\nmodel = { type = \"fully_visible\", num_visible = 3, visible_units = \"spin\" }\n"
      "initializer = { type = \"edge_list\", path = \"a.npz:array=J\", fields = \"a.npz:array=h\" }\n");
  REQUIRE(run(folder, {"import", "c.toml", "--output", "c.h5"}).status == 0);
  CHECK(std::abs(log_z_of(folder, "c.h5") - nlohmann::json::parse(wanted)["log_z"].get<double>()) < 1e-12);
  // Named alone, what its arrays are called says what they are; fields that are named besides come first.
  const Outcome alone = run(folder, {"import", "a.npz", "--output", "m.h5"});
  REQUIRE_MESSAGE(alone.status == 0, alone.err);
  CHECK(like(alone.out, "a.npz:array=J: a 3 x 3 matrix, 3 spins*\nh = the numbers of a.npz:array=h\n*"));
  CHECK(run(folder, {"evaluate", "m.h5", "--json"}).out == wanted);
  CHECK(model("a.npz", "0.5") == model("j.npy", "0.5"));
  CHECK(model("a.npz", "h.npy") == wanted);
  folder.write("three.npz", zip_bytes({{"W.npy", npy_bytes(3, 3, couplings)},
                                       {"b.npy", npy_bytes(3, 1, fields)},
                                       {"c.npy", npy_bytes(3, 1, fields)}}));
  check_refusal(
      run(folder, {"import", "three.npz", "--output", "m.h5"}), 2,
      "import three.npz: it holds 3 arrays: W, b, c. Of spins name that of the couplings, and that of the fields where "
      "there are any, as in harmonium import three.npz:array=W --fields three.npz:array=b --output m.h5. Of another *");
  folder.write("two.npz", zip_bytes({{"J.npy", npy_bytes(3, 3, couplings)}, {"W.npy", npy_bytes(3, 3, couplings)}}));
  check_refusal(
      run(folder, {"import", "two.npz", "--output", "m.h5"}), 2,
      "import two.npz: it holds 2 arrays: J, W. *, as in harmonium import two.npz:array=J --output m.h5. Of another *");
  // Fields in one row are fields.
  folder.write("row.npy", npy_bytes(1, 3, fields));
  folder.write("row.csv", "0.25,0,-1\n");
  CHECK(model("j.npy", "row.npy") == wanted);
  CHECK(model("j.npy", "row.csv") == wanted);
  folder.write("square.npy", npy_bytes(3, 3, couplings));
  check_refusal(run(folder, {"import", "j.npy", "--fields", "square.npy", "--output", "m.h5"}), 1,
                "square.npy: has 3 rows of 3 columns (one field a row, or all in one row, expected)");
  check_refusal(run(folder, {"import", "b.npz:array=J", "--output", "m.h5"}), 2,
                "import b.npz:array=J: there is no such file.*");
}

TEST_CASE("a matrix of couplings of bits is had by the configuration that import names") {
  const ScratchFolder folder;
  folder.write("j.csv", "0,0.5,0\n0.5,0,-1\n0,-1,0\n");
  folder.write("bits.toml", R"(precision = "float64"
model = { type = "fully_visible", num_visible = 3, visible_units = "binary" }
initializer = { type = "edge_list", path = "j.csv" }
)");
  REQUIRE(run(folder, {"import", "bits.toml", "--output", "m.h5"}).status == 0);
  double z = 0.0;
  for (int x = 0; x < 8; ++x) z += std::exp(0.5 * (x & 1) * (x >> 1 & 1) - 1.0 * (x >> 1 & 1) * (x >> 2 & 1));
  CHECK(log_z_of(folder, "m.h5") == doctest::Approx(std::log(z)).epsilon(1e-12));
}

TEST_CASE("import reads back what export wrote of spins, a unit without couplings among them") {
  const ScratchFolder folder;
  folder.write("glass.txt", "# a glass\n5 3\n1 2 0.5\n2 3 -2\n1 4 0.123456789012345678\n");
  folder.write("h.csv", "0.25\n-0.5\n0\n1\n0.75\n");
  REQUIRE(run(folder, {"import", "glass.txt", "--fields", "h.csv", "--output", "a.h5"}).status == 0);
  REQUIRE(run(folder, {"export", "a.h5", "--output", "parts"}).status == 0);
  const Outcome told = run(folder, {"import", "parts", "--output", "told.h5"});
  CHECK(like(told.out, "parts: layer 'visible' of 5 spin units; 8 parameters\n*"));
  CHECK(log_z_of(folder, "told.h5") == log_z_of(folder, "a.h5"));
  // As other programs write such a folder.
  std::filesystem::remove(folder / "parts/model.toml");
  const Outcome whole = run(folder, {"import", "parts", "--output", "b.h5"});
  CHECK(whole.err == "");
  CHECK(like(whole.out, "parts/weight.visible.visible.csv: 5 spins counted from 0, 3 couplings*"));
  REQUIRE(run(folder,
              {"import", "parts/weight.visible.visible.csv", "--fields", "parts/bias.visible.csv", "--output", "c.h5"})
              .status == 0);
  CHECK(log_z_of(folder, "b.h5") == log_z_of(folder, "a.h5"));
  CHECK(log_z_of(folder, "c.h5") == log_z_of(folder, "a.h5"));

  check_refusal(run(folder, {"import", "parts", "--fields", "h.csv", "--output", "d.h5"}), 2,
                "--fields: parts has fields already, in parts/bias.visible.csv. Leave it out.");
  folder.write("parts/bias.visible.csv", "unit,value\nvisible[0],1\nvisible[2],1\n");
  check_refusal(run(folder, {"import", "parts", "--output", "d.h5"}), 1,
                "parts/bias.visible.csv:3: 'visible[2],1': unit 1 and its field were expected, as in "
                "'visible[1],0.5'.");
  folder.write("parts/other.csv", "unit,hidden[0]\nvisible[0],1\n");
  check_refusal(run(folder, {"import", "parts", "--output", "d.h5"}), 1,
                "import parts: other.csv holds couplings between layers. *");
  std::filesystem::create_directory(folder / "empty");
  folder.write("empty/notes.csv", "1,2\n");
  check_refusal(run(folder, {"import", "empty", "--output", "d.h5"}), 1,
                "import empty: this folder has 0 files of couplings*");
}

TEST_CASE("binary units stay binary, and spins spins, where they are exported and imported") {
  const ScratchFolder folder;
  for (const std::string kind : {"binary", "spin"}) {
    CAPTURE(kind);
    write_exported(folder, kind, "\"" + kind + "\"");
    CHECK(content_of(folder / (kind + "/layers.csv")) == "layer,size,units\nvisible,3," + kind + "\n");
    for (const bool told : {true, false}) {
      if (!told) std::filesystem::remove(folder / kind / "model.toml");
      const Outcome whole = run(folder, {"import", kind, "--output", "back.h5"});
      CHECK(whole.err == "");
      REQUIRE(whole.status == 0);
      CHECK(log_z_of(folder, "back.h5") == doctest::Approx(log_z_of(folder, kind + ".h5")).epsilon(1e-14));
    }
    // The file of couplings alone is of the same units.
    REQUIRE(run(folder, {"import", kind + "/weight.visible.visible.csv", "--fields", kind + "/bias.visible.csv",
                         "--output", "back.h5"})
                .status == 0);
    CHECK(log_z_of(folder, "back.h5") == doctest::Approx(log_z_of(folder, kind + ".h5")).epsilon(1e-14));
  }
  CHECK(log_z_of(folder, "binary.h5") != log_z_of(folder, "spin.h5"));
  CHECK(like(
      run(folder, {"import", "binary", "--output", "back.h5"}).out,
      "binary/weight.visible.visible.csv: 3 binary units counted from 0, 3 couplings J from -0.4 to 0.25: 1 above 0 "
      "(units want to be 1 together), 1 below\nE = -sum J x x - sum h x, *\nenergy of all units 1: -0.6\n"));
}

TEST_CASE("import takes what an older export wrote for spins and says so, and refuses units of other kinds") {
  const ScratchFolder folder;
  write_exported(folder, "spins", "\"spin\"");
  std::filesystem::remove(folder / "spins/layers.csv");
  std::filesystem::remove(folder / "spins/model.toml");
  const Outcome older = run(folder, {"import", "spins", "--output", "back.h5"});
  REQUIRE(older.status == 0);
  CHECK(like(older.out,
             "*: 3 spins counted from 0, *\nspins, -1 or 1, are assumed: no layers.csv beside it says what the units "
             "are\n*"));
  CHECK(log_z_of(folder, "back.h5") == doctest::Approx(log_z_of(folder, "spins.h5")).epsilon(1e-14));

  write_exported(folder, "sites", "\"gaussian\"");
  std::filesystem::remove(folder / "sites/model.toml");
  for (const char* input : {"sites", "sites/weight.visible.visible.csv"})
    check_refusal(
        run(folder, {"import", input, "--output", "back.h5"}), 1,
        "import sites*: the units of its layer 'visible' are gaussian (layers.csv). Without the model.toml that "
        "export writes, one layer of spins or of binary units can be read back. *");
  folder.write("spins/layers.csv", "layer,size,units\nvisible,3,spin\nlone,2,spin\n");
  check_refusal(run(folder, {"import", "spins", "--output", "back.h5"}), 1, "import spins: it has 2 layers. *");
  folder.write("spins/layers.csv", "layer,size,units\nvisible,2,spin\n");
  check_refusal(run(folder, {"import", "spins", "--output", "back.h5"}), 1,
                "spins/weight.visible.visible.csv: it has units up to visible[2], and layers.csv beside it says that "
                "there are 2. Export the model again.");
  folder.write("spins/layers.csv", "layer,size,units\nvisible,spin\n");
  check_refusal(run(folder, {"import", "spins", "--output", "back.h5"}), 1,
                "spins/layers.csv:2: 'visible,spin': a layer, its size and its units were expected, as in "
                "'visible,5,spin'.");
}

TEST_CASE("a matrix of couplings is refused in the same words, whatever its format and size") {
  const ScratchFolder folder;
  folder.write("two.csv", "0,0.5\n0.5,0\n");
  folder.write("three.csv", "a,b,c\n0,0.5,1\n0.5,0,-1\n1,-1,0\n");
  CHECK(like(run(folder, {"import", "two.csv", "--output", "m.h5"}).out, "two.csv: 2 spins, 1 couplings *"));
  CHECK(like(run(folder, {"import", "three.csv", "--output", "m.h5"}).out, "three.csv: 3 spins, 3 couplings *"));
  const std::vector<double> skew{0, 1, 2, 1, 0, 3, 2.5, 3, 0}, loop{0, 0.5, 2, 0.5, 7, 3, 2, 3, 0};
  folder.write("skew.npy", npy_bytes(3, 3, skew));
  folder.write("skew.csv", "0,1,2\n1,0,3\n2.5,3,0\n");
  folder.write("loop.npy", npy_bytes(3, 3, loop));
  folder.write("loop.csv", "0,0.5,2\n0.5,7,3\n2,3,0\n");
  folder.write("loop.txt", "0 0.5 2 0 0\n0.5 7 3 0 0\n2 3 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n");
  for (const char* input : {"skew.npy", "skew.csv"})
    check_refusal(
        run(folder, {"import", input, "--output", "m.h5"}), 1,
        "skew.*: row 0, column 2 (both counted from 0) is 2 and row 2, column 0 is 2.5: a matrix of couplings "
        "is symmetric, to 1e-06 of its largest entry, or one of its triangles is 0. Where both are meant, take "
        "(J + J^T) / 2.");
  for (const char* input : {"loop.npy", "loop.csv", "loop.txt"})
    check_refusal(
        run(folder, {"import", input, "--output", "m.h5"}), 1,
        "loop.*: row 1 (counted from 0) couples a unit with itself, by 7. *: put 0 in its place; fields h stand in a "
        "file of their own, *--fields FILE*");
  folder.write("either.csv", "0,1,5\n2,0,7\n3,1,0\n");
  check_refusal(run(folder, {"import", "either.csv", "--output", "m.h5"}), 1,
                "either.csv: are these three edges 'i j w', or a 3 x 3 matrix of couplings? *");
}

TEST_CASE("edges come from an array of three columns or from what numpy.savetxt writes, and import says what it took") {
  const ScratchFolder folder;
  folder.write("e.txt",
               "0.000e+00 1.000e+00 5.000e-01\n1.000e+00 2.000e+00 -1.000e+00\n2.000e+00 3.000e+00 2.000e+00\n"
               "3.000e+00 0.000e+00 1.250e-01\n");
  folder.write("e.csv", "0.0,1.0,0.5\n1.0,2.0,-1.0\n2.0,3.0,2.0\n3.0,0.0,0.125\n");
  folder.write("e.npy", npy_bytes(4, 3, {0, 1, 0.5, 1, 2, -1, 2, 3, 2, 3, 0, 0.125}));
  folder.write("j.npy", npy_bytes(3, 3, {0, 0.5, 0, 0.5, 0, -1, 0, -1, 0}));
  const std::string read = "4 spins counted from 0, 4 couplings J from -1 to 2: 3 above 0 (*";
  for (const char* edges : {"e.txt", "e.csv", "e.npy"}) {
    const Outcome outcome = run(folder, {"import", edges, "--output", "m.h5"});
    CHECK(outcome.err == "");
    CHECK(like(outcome.out, std::string(edges) + (edges[2] == 'n' ? ": rows 'i j w', " : ": ") + read));
  }
  CHECK(
      like(run(folder, {"import", "j.npy", "--output", "m.h5"}).out, "j.npy: a 3 x 3 matrix, 3 spins, 2 couplings *"));
}

TEST_CASE("what import is given and is not there is a mistake of the command line") {
  const ScratchFolder folder;
  folder.write("pair.txt", "2 1\n1 2 0.5\n");
  for (const char* absent : {"absent.txt", "absent.npy", "absent.h5", "absent/"})
    check_refusal(run(folder, {"import", absent, "--output", "m.h5"}), 2,
                  std::string("import ") + absent + ": there is no such file. Name a file of edges *");
  for (const char* field : {"0.3x", "inf", "absent.csv"})
    check_refusal(run(folder, {"import", "pair.txt", "--fields", field, "--output", "m.h5"}), 2,
                  std::string("--fields ") + field +
                      ": this is neither a finite number nor a file that is there. Give one number for all units, or a "
                      "file with one for each.");
  CHECK(like(run(folder, {"import", "pair.txt", "--fields", "+0.3", "--output", "m.h5"}).out,
             "*h = 0.3 of every spin\n*"));
}

TEST_CASE("a matrix with a number that is none is refused with its place, in CSV, .npy and any text") {
  const ScratchFolder folder;
  folder.write("m.csv", "0,1,nan,2\n1,0,1,1\nnan,1,0,1\n2,1,1,0\n");
  const double none = std::numeric_limits<double>::quiet_NaN();
  folder.write("m.npy", npy_bytes(4, 4, {0, 1, none, 2, 1, 0, 1, 1, none, 1, 0, 1, 2, 1, 1, 0}));
  const auto refused = [&](const char* name, const char* pattern) {
    CAPTURE(std::string(name));
    check_refusal(run(folder, {"import", name, "--output", "m.h5"}), 1, pattern);
  };
  refused("m.csv", "*m.csv:1: field 3 is nan (a finite number expected)*");
  refused("m.npy",
          "*m.npy: row 0, column 2 (both counted from 0) is nan: not a finite number, as couplings are. Write 0 where "
          "two units do not couple.");
  // On the diagonal, where a number would be the coupling of a unit with itself.
  folder.write("m.npy", npy_bytes(2, 2, {none, 1, 1, 0}));
  refused("m.npy", "*m.npy: row 0, column 0 (both counted from 0) is nan: not a finite number, as couplings are. *");
  // Of a text without a name that tells its kind, too.
  folder.write("m.txt", "0 1 nan 2\n1 0 1 1\nnan 1 0 1\n2 1 1 0\n");
  refused("m.txt", "*m.txt:1: field 3 is nan (a finite number expected)*");
  folder.write("m.txt", "0 1 2 -Inf\n1 0 1 1\n2 1 0 1\n-Inf 1 1 0\n");
  refused("m.txt", "*m.txt:1: field 4 is -Inf (a finite number expected)*");
}

}  // namespace import_test
