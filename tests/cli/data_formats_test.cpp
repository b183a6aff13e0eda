#include <cmath>
#include <string>
#include <vector>

#include <hdf5.h>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/hdf5_table.hpp>
#include <harmonium/framework/files/npy.hpp>

#include "files.hpp"

namespace data_formats_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<double> all(const Table& table) {
  std::vector<double> values;
  for (Index r = 0; r < table.rows; ++r)
    for (Index c = 0; c < table.cols; ++c) values.push_back(table.at(r, c));
  return values;
}

/// The rows of bit_rows as text; each number is times `scale` plus `shift`.
std::string text_rows(double scale = 1, double shift = 0) {
  std::string text;
  const std::vector<double> bits = bit_rows(8, 3);
  for (std::size_t i = 0; i < bits.size(); ++i)
    text += std::to_string(bits[i] * scale + shift) + (i % 3 == 2 ? "\n" : ",");
  return text;
}

/// A model of three observed units that was trained on rows (x − 2) / 4.
void write_transformed_model(const ScratchFolder& folder) {
  write_foreign_model(folder / "m.h5");
  // The library writes whole files only: the group is put into a copy by its own means.
  const hid_t file = H5Fopen((folder / "m.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "transform", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
  H5Tset_size(type, 11);
  const hid_t kind = H5Acreate2(group, "kind", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(kind, type, "standardize");
  const hsize_t three = 3;
  const hid_t space = H5Screate_simple(1, &three, nullptr);
  const auto put = [&](const char* name, double value) {
    const double values[] = {value, value, value};
    const hid_t id = H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(id);
  };
  put("mean", 2);
  put("scale", 4);
  H5Aclose(kind);
  H5Sclose(space);
  H5Sclose(scalar);
  H5Tclose(type);
  H5Gclose(group);
  H5Fclose(file);
}

}  // namespace

TEST_CASE("the same rows are judged alike, whatever the kind of file") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const std::vector<double> bits = bit_rows(8, 3);
  folder.write("d.npy", npy_bytes(8, 3, bits));
  folder.write("d-idx2-ubyte", idx_bytes(8, 3, {bits.begin(), bits.end()}));
  folder.write("d.csv", "a,b,c\n" + text_rows());
  folder.write_gzipped("rows.gz", text_rows());
  Hdf5File file = Hdf5File::create(folder / "d.h5");
  file.write("samples", bits, {8, 3});
  file.close();
  const std::string wanted = run(folder, {"evaluate", "m.h5", "--data", "d.npy", "--json"}).out;
  CHECK(nlohmann::json::parse(wanted)["log_likelihood"].get<double>() ==
        doctest::Approx(foreign_log_likelihood()).epsilon(1e-13));
  for (const char* name : {"d-idx2-ubyte", "d.csv", "rows.gz", "d.h5"}) {
    const Outcome outcome = run(folder, {"evaluate", "m.h5", "--data", name, "--json"});
    INFO(name << ": " << outcome.err);
    CHECK(outcome.out == wanted);
  }
  folder.write("d.fasta", ">a\nA\n>b\n-\n");  // one site over three letters is three columns
  const Outcome outcome =
      run(folder, {"evaluate", "m.h5", "--data", "d.fasta", "--set", "data.alphabet=A-C", "--json"});
  CHECK(nlohmann::json::parse(outcome.out)["num_samples"] == 2);
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "m.h5"}), 2,
                "*m.h5: has no dataset 'samples'. It has: parameters/. Set data.samples.");
}

TEST_CASE("samples are written by the suffix, and read back equal") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  for (const char* name : {"s.npy", "s.csv", "s.h5"})
    REQUIRE(run(folder, {"sample", "m.h5", "--num-samples", "20", "--steps", "3", "--output", name}).status == 0);
  const std::vector<double> wanted = all(read_npy(folder / "s.npy"));
  CHECK(wanted.size() == 60);
  CHECK(all(read_csv(folder / "s.csv").table) == wanted);
  CHECK(all(read_hdf5(folder / "s.h5").table) == wanted);
  check_refusal(
      run(folder, {"sample", "m.h5", "--num-samples", "1", "--steps", "1", "--output", "s.txt"}), 2,
      "--output s.txt: samples are written as .npy, .h5 or .csv, sequences as .fasta too. Give a name that ends so.");
}

TEST_CASE("a transform that is kept with the model is applied to data, told of and undone in samples") {
  const ScratchFolder folder;
  write_transformed_model(folder);
  folder.write("d.csv", text_rows(4, 2));
  const auto judged = nlohmann::json::parse(run(folder, {"evaluate", "m.h5", "--data", "d.csv", "--json"}).out);
  CHECK(judged["log_likelihood"].get<double>() == doctest::Approx(foreign_log_likelihood()).epsilon(1e-13));
  CHECK(judged["units"] == "standardized data");
  CHECK(judged["log_jacobian"].get<double>() == doctest::Approx(-3 * std::log(4.0)).epsilon(1e-15));
  const std::string text = run(folder, {"evaluate", "m.h5", "--data", "d.csv"}).out;
  CHECK(like(text, "*\nunits * standardized data\nlog_jacobian * -4.158883  nats*"));

  const Words draw{"sample", "m.h5", "--num-samples", "30", "--steps", "3", "--output"};
  const auto drawn = [&](Words more) {
    Words words = draw;
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(run(folder, words).status == 0);
    return all(read_csv(folder / more[0]).table);
  };
  const std::vector<double> own = drawn({"s.csv"}), raw = drawn({"r.csv", "--raw"});
  for (std::size_t i = 0; i < own.size(); ++i) CHECK(own[i] == raw[i] * 4 + 2);
  CHECK(run(folder, {"evaluate", "m.h5", "--data", "s.csv"}).status == 0);
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--data", "r.csv"}), 2,
      "[data] *r.csv: row 0, column * is -* in units of standardized data, but binary units of layer 'visible' "
      "take values from 0 to 1. Such data wants units that take any number: leave data.standardize and "
      "data.whiten out.");
  check_refusal(
      run(folder, {"evaluate", "m.h5", "--data", "d.csv", "--set", "data.whiten=zca"}), 2,
      "--set data.whiten=zca: this command transforms data as the model's training data were. Leave data.whiten "
      "out.");
  REQUIRE(run(folder, {"gradient", "m.h5", "--data", "d.csv", "--estimator", "exact", "--output", "g.h5"}).status == 0);
  folder.write("narrow.csv", "2,6\n");
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "narrow.csv"}), 2,
                "[data] *narrow.csv has 2 columns, but the transform was fitted to 3. Take data of that kind.");
}

TEST_CASE("samples of a machine with labels and a transform are read back, and classified") {
  const ScratchFolder folder;
  folder.write("d.csv", "-3.5,10,0\n-2.5,11,0\n-3,9,0\n-2,10,0\n3.5,-10,1\n2.5,-11,1\n3,-9,1\n2,-10,1\n");
  for (const char* how : {"standardize = true", "whiten = \"zca\""}) {
    CAPTURE(how);
    folder.write("c.toml", std::string("[data]\ntype = \"csv\"\npath = \"d.csv\"\nlabel_column = \"last\"\n") + how +
                               "\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 3\nnum_labels = 2\n"
                               "visible_units = \"gaussian\"\n[estimator]\ntype = \"cd\"\n[training]\n"
                               "num_updates = 3000\nbatch_size = 8\n");
    REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--overwrite"}).status == 0);
    const auto own = nlohmann::json::parse(run(folder, {"evaluate", "run/model.h5", "--data", "d.csv", "--json"}).out);
    CHECK(own["accuracy"] == 1.0);
    CHECK(own["label_log_likelihood"].get<double>() > std::log(0.6));
    REQUIRE(
        run(folder, {"sample", "run/model.h5", "--num-samples", "200", "--steps", "300", "--output", "s.npy"}).status ==
        0);
    const auto drawn =
        nlohmann::json::parse(run(folder, {"evaluate", "run/model.h5", "--data", "s.npy", "--json"}).out);
    CHECK(drawn["num_samples"] == 200);
    CHECK(drawn["accuracy"].get<double>() > 0.5);
  }
}

TEST_CASE("every kind of file is trained on, with labels carried along") {
  const ScratchFolder folder;
  folder.write(
      "d.csv", "a,b,c,class\n" + [] {
        std::string text = text_rows();
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) text.insert(at, ",1");
        return text;
      }());
  folder.write("t.toml",
               "[data]\ntype = \"csv\"\npath = \"d.csv\"\nlabel_column = \"class\"\nvalidation = 2\n[model]\ntype = "
               "\"rbm\"\nnum_visible = 3\nnum_hidden = 2\n[estimator]\ntype = \"cd\"\n[training]\nnum_updates = "
               "2\nbatch_size = 2\n");
  const Outcome outcome = run(folder, {"train", "t.toml", "--output", "new"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string config = content_of(folder / "new/config.toml");
  CHECK(config.find("num_classes = 2\n") != std::string::npos);
  CHECK(run(folder, {"train", "new/config.toml", "--output", "again"}).status == 0);
  CHECK(content_of(folder / "new/model.h5") == content_of(folder / "again/model.h5"));
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  CHECK(run(folder, {"evaluate", "new/model.h5", "--data", "d.npy"}).status == 0);  // of another kind
  check_refusal(
      run(folder, {"train", "t.toml", "--set", "data.standardize=true"}), 2,
      "[data] */d.csv: row *, column * is * in units of standardized data, but binary units of layer 'visible' "
      "take values from 0 to 1. *");
}

}  // namespace data_formats_test
