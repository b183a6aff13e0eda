// What was made of the data's numbers, in the archive of a model's arrays.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

#include "files.hpp"

namespace export_transform_arrays_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr Index num_columns = 2, num_hidden = 3;

/// Rows of two numbers of other units, in d.csv.
std::vector<std::vector<double>> write_rows(const ScratchFolder& folder) {
  std::string text = "long,wide\n";
  std::vector<std::vector<double>> rows;
  for (int r = 0; r < 12; ++r) {
    rows.push_back({50 + 10 * std::sin(r), -3 + 0.2 * std::sin(r) + std::cos(3.0 * r)});
    text += fmt::format("{},{}\n", rows.back()[0], rows.back()[1]);
  }
  folder.write("d.csv", text);
  return rows;
}

/// run.npz of a machine of Gaussian and binary units that was trained on these; what export said.
std::string export_run(const ScratchFolder& folder, const std::string& made) {
  folder.write("c.toml",
               "seed = 4\nprecision = \"float64\"\nestimator = \"cd\"\ntraining = { num_epochs = 20, batch_size = 4 }\n"
               "[data]\ntype = \"csv\"\npath = \"d.csv\"\n" +
                   made +
                   "[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 3\nvisible_units = \"gaussian\"\n"
                   "[initializer]\ntype = \"normal\"\nstd = 0.5\n");
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--quiet", "--overwrite"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const Outcome exported = run(folder, {"export", "run", "--output", "run.npz"});
  REQUIRE_MESSAGE(exported.status == 0, exported.err);
  return exported.err;
}

std::vector<double> numbers(const ScratchFolder& folder, const std::string& array) {
  CAPTURE(array);
  const Table table = read_npy(folder / "run.npz", array);
  std::vector<double> all;
  for (Index i = 0; i < table.rows * table.cols; ++i) all.push_back(table.at(i / table.cols, i % table.cols));
  return all;
}

Words arrays_of_transform(const ScratchFolder& folder) {
  Words names;
  for (const ZipMember& member : read_zip_directory(folder / "run.npz"))
    if (member.name.starts_with("transform.")) names.push_back(member.name);
  return names;
}

/// F(z) = sum (exp(p_i) z_i^2 / 2 - b_i z_i) - sum log(1 + exp(c_j + sum z_i W_ij)), by the arrays alone.
double free_energy_of(const ScratchFolder& folder, const std::vector<double>& z) {
  const std::vector<double> b = numbers(folder, "bias.visible"), c = numbers(folder, "bias.hidden"),
                            w = numbers(folder, "weight.visible.hidden"), p = numbers(folder, "log_precision.visible");
  double f = 0.0;
  for (Index i = 0; i < num_columns; ++i) f += 0.5 * std::exp(p[i]) * z[i] * z[i] - b[i] * z[i];
  for (Index j = 0; j < num_hidden; ++j) {
    double field = c[j];
    for (Index i = 0; i < num_columns; ++i) field += z[i] * w[i * num_hidden + j];
    f -= std::log1p(std::exp(field));
  }
  return f;
}

/// Of each row of d.csv, as evaluate has it.
std::vector<double> free_energies(const ScratchFolder& folder) {
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "d.csv", "--rows", "f.csv", "--log-z", "none"});
  REQUIRE_MESSAGE(judged.status == 0, judged.err);
  const auto lines = csv_fields(folder / "f.csv");
  std::size_t column = 0;
  while (lines.at(0).at(column) != "free_energy") ++column;
  std::vector<double> all;
  for (std::size_t r = 1; r < lines.size(); ++r) all.push_back(std::strtod(lines[r].at(column).c_str(), nullptr));
  return all;
}

}  // namespace

TEST_CASE("weights and scaling of one archive give the free energies of rows of the data") {
  const ScratchFolder folder;
  const auto rows = write_rows(folder);
  for (const char* made : {"standardize = true\n", "standardize = true\nscale = -0.25\n", "scale = 0.25\n"}) {
    CAPTURE(made);
    CHECK(export_run(folder, made) ==
          "harmonium: note: parameters are in units of z, not of the data's numbers x: z = (x - mean) / scale, by the "
          "arrays transform.visible.mean and transform.visible.scale.\n");
    const std::vector<double> mean = numbers(folder, "transform.visible.mean"),
                              scale = numbers(folder, "transform.visible.scale"), judged = free_energies(folder);
    REQUIRE(mean.size() == num_columns);
    REQUIRE(judged.size() == rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::vector<double> z{(rows[r][0] - mean[0]) / scale[0], (rows[r][1] - mean[1]) / scale[1]};
      CHECK(free_energy_of(folder, z) == doctest::Approx(judged[r]).epsilon(1e-9));
    }
    // The numbers are those of the folder, to the bit.
    REQUIRE(run(folder, {"export", "run", "--output", "out"}).status == 0);
    const auto lines = csv_fields(folder / "out/transform.csv");
    for (std::size_t c = 0; c < num_columns; ++c) {
      CHECK(std::strtod(lines.at(c + 1).at(1).c_str(), nullptr) == mean[c]);
      CHECK(std::strtod(lines.at(c + 1).at(2).c_str(), nullptr) == scale[c]);
    }
  }
  CHECK(export_run(folder, "").empty());
  CHECK(arrays_of_transform(folder).empty());
}

TEST_CASE("the matrix of whitened data stands in the archive") {
  const ScratchFolder folder;
  const auto rows = write_rows(folder);
  for (const char* made : {"whiten = \"zca\"\n", "whiten = \"zca\"\nscale = 0.25\n"}) {
    CAPTURE(made);
    CHECK(export_run(folder, made) ==
          "harmonium: note: parameters are in units of z, not of the data's numbers x: z = (x - mean) M, by the arrays "
          "transform.visible.mean and transform.visible.matrix.\n");
    CHECK(arrays_of_transform(folder) == Words{"transform.visible.mean.npy", "transform.visible.matrix.npy"});
    const Table m = read_npy(folder / "run.npz", "transform.visible.matrix");
    REQUIRE(m.rows == num_columns);
    REQUIRE(m.cols == num_columns);
    const std::vector<double> mean = numbers(folder, "transform.visible.mean"), judged = free_energies(folder);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double x = rows[r][0] - mean[0], y = rows[r][1] - mean[1];
      const std::vector<double> z{x * m.at(0, 0) + y * m.at(1, 0), x * m.at(0, 1) + y * m.at(1, 1)};
      CHECK(free_energy_of(folder, z) == doctest::Approx(judged.at(r)).epsilon(1e-9));
    }
  }
}

TEST_CASE("the arrays are those of each layer of the data, and none of the labels") {
  const ScratchFolder folder;
  std::string text = "height,weight,count,kind\n";
  for (int r = 0; r < 12; ++r)
    text += fmt::format("{},{},{},{}\n", 50 + 10 * std::sin(r), std::cos(3.0 * r), r % 4, r % 2 == 0 ? "ash" : "oak");
  folder.write("t.csv", text);
  folder.write(
      "t.toml",
      "estimator = \"cd\"\ntraining = { num_epochs = 1, batch_size = 4 }\n[data]\ntype = \"table\"\npath = "
      "\"t.csv\"\nlabel_column = \"kind\"\nkinds = [{ column = \"count\", kind = \"count\" }]\n[model]\ntype = "
      "\"mixed\"\nnum_hidden = 2\n");
  const Outcome trained = run(folder, {"train", "t.toml", "--output", "run", "--quiet"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const Outcome exported = run(folder, {"export", "run", "--output", "run.npz"});
  REQUIRE_MESSAGE(exported.status == 0, exported.err);
  CHECK(like(exported.err,
             "*z = (x - mean) / scale, by the arrays transform.LAYER.mean and transform.LAYER.scale of each layer.\n"));
  REQUIRE(run(folder, {"export", "run", "--output", "out"}).status == 0);
  const auto lines = csv_fields(folder / "out/transform.csv");
  // One layer behind the other they are the lines of the table.
  std::vector<double> means;
  for (const std::string& name : arrays_of_transform(folder)) {
    CHECK(name.find("label") == std::string::npos);
    if (!name.ends_with(".mean.npy")) continue;
    const std::string array = name.substr(0, name.size() - 4), layer = array.substr(10, array.size() - 15);
    const std::vector<double> mean = numbers(folder, array);
    CHECK(mean.size() == numbers(folder, "bias." + layer).size());
    CHECK(mean.size() == numbers(folder, "transform." + layer + ".scale").size());
    means.insert(means.end(), mean.begin(), mean.end());
  }
  REQUIRE(means.size() + 1 == lines.size());
  for (std::size_t c = 0; c < means.size(); ++c) CHECK(std::strtod(lines[c + 1].at(1).c_str(), nullptr) == means[c]);
}

TEST_CASE("import reads such an archive, and says that it leaves the transform") {
  const ScratchFolder folder;
  write_rows(folder);
  export_run(folder, "standardize = true\n");
  const std::string said =
      "transform.visible.mean, transform.visible.scale not taken over: data of this model are the z that they make of "
      "numbers x\n";
  const Outcome archive = run(folder, {"import", "run.npz", "--output", "back.h5"});
  REQUIRE_MESSAGE(archive.status == 0, archive.err);
  CHECK(archive.out.ends_with(said));
  folder.write("m.toml",
               "precision = \"float64\"\n"
               "model = { type = \"rbm\", num_visible = 2, num_hidden = 3, visible_units = \"gaussian\" }\n");
  const Outcome described = run(folder, {"import", "m.toml", "--parameters", "run.npz", "--output", "same.h5"});
  REQUIRE_MESSAGE(described.status == 0, described.err);
  CHECK(described.out.ends_with(said));
  // The parameters are the same, and there is no transform any more.
  for (const char* model : {"back.h5", "same.h5"}) {
    const Outcome again = run(folder, {"export", model, "--output", "again"});
    CHECK(again.err == "");
    REQUIRE(run(folder, {"export", "run", "--numbered", "--output", "first"}).status == 0);
    for (const char* table : {"weight.visible.hidden.csv", "bias.visible.csv", "bias.hidden.csv"})
      CHECK(content_of(folder / "again" / table) == content_of(folder / "first" / table));
  }
}

}  // namespace export_transform_arrays_test
