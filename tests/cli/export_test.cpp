// What a model file holds: told by inspect, written as text by export.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

#include "files.hpp"

namespace export_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// Two spins that couple, and what is said of them is known.
void write_pair(const ScratchFolder& folder) {
  folder.write("pair.txt", "3 2\n1 2 0.5\n2 3 -2\n");
  REQUIRE(run(folder, {"import", "pair.txt", "--output", "pair.h5"}).status == 0);
}

}  // namespace

TEST_CASE("inspect tells what a model file holds") {
  const CliFolder folder;
  write_pair(folder);
  const Outcome told = run(folder, {"inspect", "pair.h5"});
  CHECK(told.err == "");
  CHECK(told.status == 0);
  CHECK(like(told.out,
             "pair.h5: a model, float64, 5 parameters\n\nenergy   *\n\nlayer *\nvisible  *3  observed  *spin*\n\n"
             "tensor *shape *entries *norm *mean *least *greatest\n*"
             "\nharmonium_version *\n\nThe configuration that it was made from:\n\nprecision = \"float64\"\n*"));
  const auto json = nlohmann::json::parse(run(folder, {"inspect", "pair.h5", "--json"}).out);
  CHECK(json["num_parameters"] == 5);
  CHECK(json["layers"][0]["size"] == 3);
  for (const auto& tensor : json["tensors"]) {
    if (tensor["role"] != "coupling") continue;
    CHECK(tensor["shape"] == nlohmann::json::array({3, 3}));
    CHECK(tensor["entries"] == 2);  // edges that exist, a symmetric pair counted once
    CHECK(tensor["norm"].get<double>() == doctest::Approx(std::sqrt(0.25 + 4.0)));
    CHECK(tensor["mean"].get<double>() == doctest::Approx(-0.75));
    CHECK(tensor["min"] == -2.0);
    CHECK(tensor["max"] == 0.5);
  }
  // Of a run's folder the trained model; data is data, in HDF5 too.
  folder.trained();
  CHECK(run(folder, {"inspect", "run"}).out.starts_with("run/model.h5: a model, float64, "));
  CHECK(run(folder, {"inspect", "run"}).out.find("\ndata_sha256") == std::string::npos);  // generated data has no file
  check_refusal(run(folder, {"inspect", "pair.h5", "--set", "data.scale=2"}), 2,
                "--set data.scale=2: it is about data, and pair.h5 is a model. Leave it out.");
}

TEST_CASE("export writes every parameter as text") {
  const CliFolder folder;
  write_pair(folder);
  const Outcome outcome = run(folder, {"export", "pair.h5", "--output", "out"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  CHECK(content_of(folder / "out/weight.visible.visible.csv") ==
        "unit,other,value\nvisible[0],visible[1],0.5\nvisible[1],visible[2],-2\n");
  CHECK(content_of(folder / "out/bias.visible.csv") == "unit,value\nvisible[0],0\nvisible[1],0\nvisible[2],0\n");

  // Names of the data's columns, quoted where they must be; every digit of a number.
  folder.write("named.csv", "\"a,b\",c\n0,1\n1,1\n1,0\n0,0\n");
  folder.write("named.toml",
               "precision = \"float64\"\ndata = { type = \"csv\", path = \"named.csv\" }\n"
               "model = { type = \"rbm\", num_visible = 2, num_hidden = 3 }\nestimator = { type = \"exact\" }\n"
               "training = { num_epochs = 3 }\n");
  REQUIRE(run(folder, {"train", "named.toml", "--output", "named"}).status == 0);
  REQUIRE(run(folder, {"export", "named", "--output", "out"}).status == 0);
  const std::string weights = content_of(folder / "out/weight.visible.hidden.csv");
  CHECK(like(weights, "unit,hidden[0],hidden[1],hidden[2]\n\"a,b\",*,*,*\nc,*,*,*\n"));
  double norm = 0.0;
  const auto rows = csv_fields(folder / "out/bias.hidden.csv");
  REQUIRE(rows.size() == 4);
  for (std::size_t r = 1; r < rows.size(); ++r) norm += std::pow(std::strtod(rows[r][1].c_str(), nullptr), 2);
  const auto json = nlohmann::json::parse(run(folder, {"inspect", "named", "--json"}).out);
  for (const auto& tensor : json["tensors"])
    if (tensor["name"] == "bias.hidden") CHECK(std::abs(tensor["norm"].get<double>() - std::sqrt(norm)) < 1e-15);
  check_refusal(run(folder, {"export", "named", "--output", "named.toml"}), 2,
                "--output named.toml: a file of this name exists. Give the name of a folder.");
}

TEST_CASE("names of the data's columns are those of the layers that have them, and none of labels") {
  const ScratchFolder folder;
  // As many columns as classes, so that both layers are as wide.
  std::string rows = "long,wide,deep,kind\n";
  for (int r = 0; r < 12; ++r) rows += fmt::format("{},{},{},{}\n", r % 2, r / 2 % 2, r / 4 % 2, r % 3);
  folder.write("d.csv", rows);
  folder.write("c.toml",
               "[data]\ntype = \"csv\"\npath = \"d.csv\"\nlabel_column = \"kind\"\n"
               "[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\nnum_labels = 3\n"
               "[estimator]\ntype = \"cd\"\n[training]\nnum_epochs = 1\n");
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--quiet"});
  INFO(trained.err);
  REQUIRE(trained.status == 0);
  REQUIRE(run(folder, {"export", "run", "--output", "out"}).status == 0);
  CHECK(like(content_of(folder / "out/bias.visible.csv"), "unit,value\nlong,*\nwide,*\ndeep,*\n"));
  CHECK(like(content_of(folder / "out/bias.label.csv"), "unit,value\nlabel=0,*\nlabel=1,*\nlabel=2,*\n"));
  // Classes that are words are called by them.
  std::string words = "long,wide,deep,kind\n";
  for (int r = 0; r < 12; ++r)
    words += fmt::format("{},{},{},{}\n", r % 2, r / 2 % 2, r / 4 % 2, r % 3 == 0 ? "oak" : "ash");
  folder.write("d.csv", words);
  REQUIRE(run(folder, {"train", "c.toml", "--output", "named", "--quiet", "--set", "model.num_labels=2"}).status == 0);
  REQUIRE(run(folder, {"export", "named", "--output", "out"}).status == 0);
  CHECK(like(content_of(folder / "out/bias.label.csv"), "unit,value\nkind=ash,*\nkind=oak,*\n"));
  REQUIRE(run(folder, {"export", "named", "--output", "out", "--numbered"}).status == 0);
  CHECK(like(content_of(folder / "out/bias.label.csv"), "unit,value\nlabel=0,*\nlabel=1,*\n"));
  CHECK(like(content_of(folder / "out/bias.visible.csv"), "unit,value\nvisible[0],*\nvisible[1],*\nvisible[2],*\n"));
}

TEST_CASE("export of a model of standardized, whitened or scaled data has the way back") {
  const ScratchFolder folder;
  std::string text = "long,\"wide, cm\",class\n";
  std::vector<std::array<double, 2>> rows;
  for (int r = 0; r < 12; ++r) {
    rows.push_back({50 + 10 * std::sin(r), -3 + 0.2 * std::sin(r) + std::cos(3.0 * r)});
    text += fmt::format("{},{},{}\n", rows[r][0], rows[r][1], r % 2);
  }
  folder.write("d.csv", text);
  const auto exported = [&](const std::string& made) {
    folder.write("c.toml",
                 "precision = \"float64\"\nestimator = \"cd\"\ntraining = { num_epochs = 1, batch_size = 12 }\n[data]\n"
                 "type = \"csv\"\npath = \"d.csv\"\nlabel_column = \"class\"\n" +
                     made +
                     "[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 1\nnum_labels = 2\n"
                     "visible_units = \"gaussian\"\n");
    REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet", "--overwrite"}).status == 0);
    fs::remove_all(folder / "out");
    const Outcome outcome = run(folder, {"export", "run", "--output", "out"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    CHECK((outcome.out.find("out/transform.csv\n") != std::string::npos) == !made.empty());
    return outcome.err;
  };
  const auto number = [](const std::string& field) { return std::strtod(field.c_str(), nullptr); };
  double mean = 0.0, square = 0.0;
  for (const auto& row : rows) {
    mean += row[0] / 12;
    square += row[0] * row[0] / 12;
  }
  for (const char* scale : {"", "scale = -0.25\n"}) {
    CHECK(exported(std::string("standardize = true\n") + scale) ==
          "harmonium: note: parameters are in units of z, not of the data's numbers x: z = (x - mean) / scale, by the "
          "mean and scale of each column in transform.csv.\n");
    const auto lines = csv_fields(folder / "out/transform.csv");
    REQUIRE(lines.size() == 3);  // none of the classes
    CHECK(lines[0] == Words{"column", "mean", "scale"});
    CHECK(lines[1][0] == "long");
    CHECK(content_of(folder / "out/transform.csv").find("\n\"wide, cm\",") != std::string::npos);
    CHECK(number(lines[1][1]) == doctest::Approx(mean).epsilon(1e-12));
    CHECK(number(lines[1][2]) == doctest::Approx((*scale ? -1 : 1) * std::sqrt(square - mean * mean)).epsilon(1e-9));
  }
  exported("scale = 0.25\n");
  CHECK(content_of(folder / "out/transform.csv") == "column,mean,scale\nlong,0,4\n\"wide, cm\",0,4\n");
  CHECK(exported("") == "");

  // Whitened rows have the covariance 1, but for the ε of 1e-5.
  for (const char* scale : {"", "scale = 0.25\n"}) {
    CHECK(exported(std::string("whiten = \"zca\"\n") + scale).find("z = (x - mean) M, by ") != std::string::npos);
    const auto means = csv_fields(folder / "out/transform.csv");
    const std::string matrix_text = content_of(folder / "out/whitening.csv");
    CHECK(matrix_text.starts_with("column,long,\"wide, cm\"\nlong,"));
    const auto lines = csv_fields(folder / "out/whitening.csv");
    REQUIRE(lines.size() == 3);
    double covariance[2][2] = {};
    for (const auto& row : rows) {
      double z[2] = {};
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t k = 0; k < 2; ++k)
          z[k] += (row[j] - number(means[j + 1].at(means[j + 1].size() - 1))) *
                  number(lines[j + 1].at(lines[j + 1].size() - 2 + k));
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t k = 0; k < 2; ++k) covariance[j][k] += z[j] * z[k] / 12;
    }
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k) CHECK(std::abs(covariance[j][k] - (j == k ? 1 : 0)) < 1e-3);
  }
}

TEST_CASE("export into the folder of an earlier one leaves nothing of that, and all that is somebody's own") {
  const ScratchFolder folder;
  std::string text;
  for (int r = 0; r < 12; ++r) text += fmt::format("{},{}\n", 50 + 10 * std::sin(r), std::cos(3.0 * r));
  folder.write("d.csv", text);
  folder.write("c.toml",
               "estimator = \"cd\"\ntraining = { num_epochs = 1, batch_size = 12 }\n[data]\ntype = \"csv\"\npath = "
               "\"d.csv\"\nwhiten = \"zca\"\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 1\nvisible_units "
               "= \"gaussian\"\nlearn_precision = true\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  write_pair(folder);
  REQUIRE(run(folder, {"export", "pair.h5", "--output", "fresh"}).status == 0);
  REQUIRE(run(folder, {"export", "run", "--output", "out"}).status == 0);
  const Words former = files_below(folder / "out");
  for (const char* name : {"transform.csv", "whitening.csv", "weight.visible.hidden.csv", "bias.hidden.csv"})
    CHECK(std::ranges::find(former, name) != former.end());
  folder.write("out/notes.txt", "mine");
  folder.write("out/mine.csv", "column,mean\nx,1\n");
  const Outcome outcome = run(folder, {"export", "pair.h5", "--output", "out"});
  CHECK(outcome.err == "");
  Words wanted = files_below(folder / "fresh");
  for (const std::string& file : wanted)
    CHECK(content_of(folder / "out" / file) == content_of(folder / "fresh" / file));
  wanted.insert(wanted.end(), {"mine.csv", "notes.txt"});
  std::ranges::sort(wanted);
  CHECK(files_below(folder / "out") == wanted);
  CHECK(run(folder, {"import", "out", "--output", "back.h5"}).status == 0);

  // A table of nobody's model stays, and is told; so does a file that is called as one of export, and is another.
  folder.write("out/bias.old.csv", "unit,value\nold[0],1\n");
  folder.write("out/transform.csv", "my own\n");
  CHECK(run(folder, {"export", "pair.h5", "--output", "out"}).err ==
        "harmonium: note: out holds tables that are no part of this model, and import refuses the folder beside them: "
        "bias.old.csv. Remove them, or export to a new folder.\n");
  CHECK(content_of(folder / "out/bias.old.csv") == "unit,value\nold[0],1\n");
  CHECK(content_of(folder / "out/transform.csv") == "my own\n");
  // Where there was no export, a file of that name is somebody's own, whatever is in it.
  fs::create_directory(folder / "new");
  folder.write("new/transform.csv", "column,mean,scale\nx,1,2\n");
  REQUIRE(run(folder, {"export", "pair.h5", "--output", "new"}).status == 0);
  CHECK(fs::exists(folder / "new/transform.csv"));
}

TEST_CASE("export says of what units layers are, and leaves out pairs of states of one unit") {
  const ScratchFolder folder;
  folder.write("potts.toml",
               "[model]\ntype = \"fully_visible\"\nnum_visible = 2\n"
               "visible_units = { type = \"categorical\", num_states = 2 }\n");
  REQUIRE(run(folder, {"import", "potts.toml", "--output", "potts.h5"}).status == 0);
  const Outcome exported = run(folder, {"export", "potts.h5", "--output", "out"});
  CHECK(exported.out == "out/layers.csv\nout/model.toml\nout/bias.visible.csv\nout/weight.visible.visible.csv\n");
  CHECK(content_of(folder / "out/layers.csv") == "layer,size,units\nvisible,2,categorical\n");
  CHECK(like(content_of(folder / "out/weight.visible.visible.csv"),
             "unit,other,value\nvisible[0]=0,visible[1]=0,*\nvisible[0]=0,visible[1]=1,*\n"
             "visible[0]=1,visible[1]=0,*\nvisible[0]=1,visible[1]=1,*\n"));
  CHECK(csv_fields(folder / "out/weight.visible.visible.csv").size() == 5);
}

TEST_CASE("a matrix of categorical units, which import would take for spins, is refused, and their folder is read") {
  const ScratchFolder folder;
  folder.write("pairs.toml",
               "seed = 1\n[model]\ntype = \"fully_visible\"\nnum_visible = 2\n"
               "visible_units = { type = \"categorical\", num_states = 3 }\n");
  folder.write("lattice.toml",
               "seed = 1\n[model]\ntype = \"layered\"\n"
               "layers = [{ name = \"visible\", size = 4, units = { type = \"categorical\", num_states = 3 } }]\n"
               "terms = [{ type = \"lattice\", layer = \"visible\", shape = [4] }]\n");
  for (const char* name : {"pairs", "lattice"}) {
    CAPTURE(name);
    const std::string model = std::string(name) + ".h5";
    REQUIRE(run(folder, {"import", std::string(name) + ".toml", "--output", model}).status == 0);
    check_refusal(
        run(folder, {"export", model, "--output", "J.npy"}), 2,
        "--output J.npy: the units of layer 'visible' are categorical, of 3 columns each, and 'harmonium "
        "import' would take a matrix of all * columns for as many spins. Name a folder: *The model file keeps "
        "the model, and every command takes it.");
    CHECK_FALSE(std::filesystem::exists(folder / "J.npy"));
    REQUIRE(run(folder, {"export", model, "--output", name}).status == 0);
    REQUIRE(run(folder, {"import", name, "--output", "back.h5"}).status == 0);
    CHECK(run(folder, {"evaluate", "back.h5", "--json"}).out == run(folder, {"evaluate", model, "--json"}).out);
    // Its couplings by themselves are taken for those of no other model.
    std::filesystem::remove(folder / name / "model.toml");
    check_refusal(run(folder, {"import", name, "--output", "back.h5"}), 1,
                  "*import " + std::string(name) +
                      ": the units of its layer 'visible' are categorical (layers.csv). Without the model.toml that "
                      "export writes, one layer of spins or of binary units can be read back. Name the folder that "
                      "export wrote.");
  }
}

TEST_CASE("couplings within a layer are written as the matrix that import reads") {
  const ScratchFolder folder;
  folder.write("glass.txt", "1 2 0.5\n2 3 -1.25\n3 4 2\n1 4 0.125\n");
  REQUIRE(run(folder, {"import", "glass.txt", "--output", "glass.h5"}).status == 0);
  const Outcome written = run(folder, {"export", "glass.h5", "--output", "J.npy"});
  CHECK(written.out == "J.npy\n");
  CHECK(content_of(folder / "J.npy") ==
        npy_bytes(4, 4, {0, 0.5, 0, 0.125, 0.5, 0, -1.25, 0, 0, -1.25, 0, 2, 0.125, 0, 2, 0}));
  REQUIRE(run(folder, {"import", "J.npy", "--output", "back.h5"}).status == 0);
  CHECK(run(folder, {"evaluate", "back.h5", "--json"}).out == run(folder, {"evaluate", "glass.h5", "--json"}).out);
  check_refusal(
      run(folder, {"export", "glass.h5", "--output", "J.txt"}), 2,
      "--output J.txt: export writes a folder of CSV files, all tensors as arrays of FILE.npz, or couplings within a "
      "layer as a matrix in FILE.npy. Name one of these.");
  write_foreign_model(folder / "m.h5");
  check_refusal(
      run(folder, {"export", "m.h5", "--output", "W.npy"}), 2,
      "--output W.npy: a matrix is that of one tensor of couplings within a layer, and the model has 0. Name a "
      "folder for all tensors.");
  CHECK_FALSE(std::filesystem::exists(folder / "W.npy"));
}

TEST_CASE("all tensors are written as arrays of one archive, edges with their units, masks beside what they mask") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  CHECK(run(folder, {"export", "m.h5", "--output", "m.npz"}).out == "m.npz\n");
  for (const char* name : {"weight.visible.hidden", "bias.visible", "bias.hidden"}) {
    CAPTURE(name);
    const Table written = read_npy(folder / "m.npz", name);
    const auto held = Hdf5File::open(folder / "m.h5").read<double>(std::string("parameters/") + name);
    REQUIRE(written.rows * written.cols == held.values.size());
    for (Index i = 0; i < held.values.size(); ++i)
      CHECK(written.at(i / written.cols, i % written.cols) == held.values[i]);
  }
  folder.write("glass.txt", "1 2 0.5\n2 3 -1.25\n1 4 0.125\n");
  REQUIRE(run(folder, {"import", "glass.txt", "--output", "glass.h5"}).status == 0);
  REQUIRE(run(folder, {"export", "glass.h5", "--output", "glass.npz"}).status == 0);
  const Table j = read_npy(folder / "glass.npz", "weight.visible.visible"),
              mask = read_npy(folder / "glass.npz", "mask.visible.visible");
  CHECK(j.at(1, 2) == -1.25);
  CHECK(mask.at(3, 0) == 1.0);
  CHECK(mask.at(3, 1) == 0.0);
  // A lattice keeps its edges as a list.
  folder.write(
      "ring.toml",
      "precision = \"float64\"\n[model]\ntype = \"layered\"\nlayers = [{name = \"ring\", size = 6, units = \"spin\"}]\n"
      "terms = [{type = \"lattice\", layer = \"ring\", shape = [6]}]\n"
      "[initializer]\ntype = \"normal\"\nmean = 0.25\nstd = 0.0\n");
  const Outcome made = run(folder, {"import", "ring.toml", "--output", "ring.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  REQUIRE(run(folder, {"export", "ring.h5", "--output", "ring.npz"}).status == 0);
  std::string edges;
  for (const ZipMember& member : read_zip_directory(folder / "ring.npz"))
    if (const auto end = member.name.find(".pairs.npy"); end != std::string::npos) edges = member.name.substr(0, end);
  REQUIRE_FALSE(edges.empty());
  const Table units = read_npy(folder / "ring.npz", edges + ".pairs"), values = read_npy(folder / "ring.npz", edges);
  REQUIRE(units.rows == 6);
  REQUIRE(values.rows * values.cols == 6);
  for (Index e = 0; e < 6; ++e) {
    const double apart = std::abs(units.at(e, 0) - units.at(e, 1));
    CHECK((apart == 1.0 || apart == 5.0));
    CHECK(values.at(e / values.cols, e % values.cols) == 0.25);
  }
}

}  // namespace export_test
