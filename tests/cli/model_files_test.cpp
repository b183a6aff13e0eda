#include <hdf5.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace model_files_test {

using namespace harmonium::testing;

namespace {

double log_z(const ScratchFolder& folder, const char* model) {
  const Outcome outcome = run(folder, {"evaluate", model, "--json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err == "");
  return nlohmann::json::parse(outcome.out)["log_z"].get<double>();
}

}  // namespace

TEST_CASE("model files of other programs load, however they write strings, integers and numbers") {
  const ScratchFolder folder;
  H5open();
  for (const bool fixed_strings : {false, true})
    for (const bool array_attributes : {false, true})
      for (const bool float32_datasets : {false, true}) {
        CAPTURE(fixed_strings);
        CAPTURE(array_attributes);
        CAPTURE(float32_datasets);
        write_foreign_model(folder / "m.h5", {.fixed_strings = fixed_strings,
                                              .array_attributes = array_attributes,
                                              .float32_datasets = float32_datasets});
        CHECK(log_z(folder, "m.h5") == doctest::Approx(foreign_log_z()).epsilon(1e-13));
      }
  for (const hid_t version : {H5T_NATIVE_INT8, H5T_NATIVE_UINT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_UINT32,
                              H5T_NATIVE_INT64, H5T_NATIVE_UINT64}) {
    CAPTURE(version);
    write_foreign_model(folder / "m.h5", {.version_type = version});
    CHECK(log_z(folder, "m.h5") == doctest::Approx(foreign_log_z()).epsilon(1e-13));
  }
  for (const bool float32_datasets : {false, true}) {
    write_foreign_model(folder / "m.h5", {.float32_datasets = float32_datasets, .precision = "float32"});
    CHECK(log_z(folder, "m.h5") == doctest::Approx(foreign_log_z()).epsilon(1e-6));
  }
}

TEST_CASE("a model file of another program serves every command") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5", {.fixed_strings = true, .version_type = H5T_NATIVE_INT8});
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  CHECK(run(folder, {"evaluate", "m.h5", "--data", "d.npy"}).err == "");
  CHECK(run(folder, {"sample", "m.h5", "--num-samples", "3", "--steps", "2", "--output", "s.npy"}).err == "");
  CHECK(run(folder, {"gradient", "m.h5", "--data", "d.npy", "--estimator", "cd", "--output", "g.h5"}).err == "");
  CHECK(files_below(folder.path()) == Words{"d.npy", "g.h5", "m.h5", "s.npy"});
}

TEST_CASE("a model file that lacks something is refused with what it lacks") {
  const ScratchFolder folder;
  const auto refused = [&](const auto& change, std::string_view pattern) {
    write_foreign_model(folder / "m.h5");
    const hid_t file = H5Fopen((folder / "m.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    check_refusal(run(folder, {"evaluate", "m.h5"}), 1, pattern);
  };
  const auto set_text = [](hid_t file, const char* name, const std::string& text) {
    H5Adelete(file, name);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, text.size());
    const hid_t id = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(id, type, text.data());
    H5Aclose(id);
  };
  refused([](hid_t f) { H5Adelete(f, "format"); }, "m.h5: no root attribute 'format' *");
  refused([](hid_t f) { H5Adelete(f, "format_version"); }, "m.h5: no root attribute 'format_version' *");
  refused([](hid_t f) { H5Adelete(f, "config"); }, "m.h5: no root attribute 'config' *");
  refused([&](hid_t f) { set_text(f, "format", "other"); }, "m.h5: its format is 'other', not 'harmonium'");
  refused([&](hid_t f) { set_text(f, "format_version", "1"); }, "m.h5: *'format_version'*");
  refused([&](hid_t f) { set_text(f, "config", "precision = \"float64\""); }, "m.h5: config*: it has no [model] table");
  refused([&](hid_t f) { set_text(f, "config", "no TOML"); }, "m.h5: config:1:*: not valid TOML: *");
  refused([&](hid_t f) { set_text(f, "config", "[model]\ntype = \"rmb\"\n"); },
          "m.h5: config:2:8: model 'rmb' is not registered*");
  refused([&](hid_t f) { set_text(f, "config", "precision = \"float16\"\n[model]\n"); },
          "m.h5: config:1:13: option 'precision' must be \"float32\" or \"float64\".");
  refused([&](hid_t f) { set_text(f, "config", "[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 4\n"); },
          "m.h5: the tensor '*' has shape (*), but the model needs (*)");
  refused(
      [](hid_t f) {
        const hid_t space = H5Screate(H5S_SCALAR),
                    id = H5Acreate2(f, "updates", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
        const std::int64_t minus = -1;
        H5Awrite(id, H5T_NATIVE_INT64, &minus);
        H5Aclose(id);
        H5Sclose(space);
      },
      "m.h5: its root attribute 'updates' is -1 (a number of updates expected)");
  refused([](hid_t f) { H5Ldelete(f, "parameters", H5P_DEFAULT); }, "m.h5: it has no group 'parameters'");
  refused([](hid_t f) { H5Ldelete(f, "parameters/bias.hidden", H5P_DEFAULT); },
          "m.h5: the tensor 'bias.hidden' is missing: the model needs it with shape (2)");
  refused([](hid_t f) { H5Lmove(f, "parameters/bias.hidden", f, "parameters/bias.hiden", H5P_DEFAULT, H5P_DEFAULT); },
          "m.h5: the tensor 'bias.hidden' is missing: *");
  refused(
      [](hid_t f) {
        const hid_t id = H5Dopen2(f, "parameters/bias.hidden", H5P_DEFAULT);
        const double values[] = {0.0, 0.0 / 0.0};
        H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(id);
      },
      "m.h5: the tensor 'bias.hidden' holds *nan at row *");
  refused([](hid_t f) { H5Gclose(H5Gcreate2(f, "parameters/extra", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); },
          "m.h5: the tensor 'extra' belongs to no part of the model");
}

TEST_CASE("a file of another version is refused with both versions") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const hid_t file = H5Fopen((folder / "m.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t id = H5Aopen(file, "format_version", H5P_DEFAULT);
  const std::int64_t three = 3;
  H5Awrite(id, H5T_NATIVE_INT64, &three);
  H5Aclose(id);
  H5Fclose(file);
  check_refusal(run(folder, {"evaluate", "m.h5"}), 1,
                "m.h5: format version 3, and this program reads versions 1 to 2. A later one reads it.");
}

TEST_CASE("what is no model file is refused") {
  const CliFolder folder;
  folder.write("d.npy", npy_bytes(1, 3, {0, 1, 0}));
  folder.write("empty.h5", "");
  check_refusal(run(folder, {"evaluate", "none.h5"}), 2, "none.h5: no such file");
  check_refusal(
      run(folder, {"evaluate", "."}), 2,
      ".: a folder that holds no run (neither model.h5 nor config.toml). Name a model file or the folder of a "
      "run.");
  check_refusal(
      run(folder, {"sample", "d.npy", "--num-samples", "1", "--steps", "1", "--output", "s.npy"}), 2,
      "d.npy: a file of data, not a model, which is an HDF5 file. Name a model file, or the folder of a run. *");
  check_refusal(run(folder, {"gradient", "empty.h5", "--data", "d.npy", "--estimator", "cd", "--output", "g.h5"}), 1,
                "empty.h5: not an HDF5 file, or a damaged one*");
}

TEST_CASE("a configuration, data or figures in the place of a model are told for what they are") {
  const CliFolder folder;
  folder.write("d.csv", "a,b\n1,x\n");
  folder.write("metrics.jsonl", "{\"epoch\": 1}\n");
  const Words commands[] = {{"evaluate"},
                            {"diagnose"},
                            {"observe"},
                            {"draw", "--output", "p.png"},
                            {"export", "--output", "e"},
                            {"transform", "d.csv", "--output", "h.csv"},
                            {"sample", "--num-samples", "1", "--steps", "1", "--output", "s.npy"},
                            {"gradient", "--data", "d.csv", "--estimator", "cd", "--output", "g.h5"}};
  for (Words words : commands) {
    CAPTURE(words.front());
    words.insert(words.begin() + 1, "small.toml");
    check_refusal(
        run(folder, words), 2,
        "small.toml: a configuration, not a model: 'harmonium train small.toml' makes a model of it. Name the "
        "folder of that run. One without training, such as a lattice, is made by 'harmonium import small.toml'.");
  }
  check_refusal(run(folder, {"evaluate", "d.csv"}), 2, "d.csv: a file of data, not a model, *named by --data.");
  check_refusal(run(folder, {"evaluate", "metrics.jsonl"}), 2,
                "metrics.jsonl: figures, not a model. Name a model file, or the folder of the run.");
  check_refusal(
      run(folder, {"inspect", "small.toml"}), 2,
      "small.toml: a configuration, not a file of data. 'harmonium explain small.toml' says what it means, "
      "'harmonium train small.toml' trains its model, 'harmonium import small.toml --output MODEL.h5' makes it "
      "with given parameters.");
}

TEST_CASE("any damage to a model that has its checksum is told") {
  const CliFolder folder;
  folder.trained();
  const std::string whole = content_of(folder / "run/model.h5");
  for (std::size_t i = 0; i < 12; ++i) {
    std::string bytes = whole;
    bytes[(2 * i + 1) * bytes.size() / 24] ^= static_cast<char>(1 << i % 8);
    folder.write("run/model.h5", bytes);
    check_refusal(run(folder, {"evaluate", "run/model.h5"}), 1, "run/model.h5: *not the file that was written*");
  }
  folder.write("run/model.h5", whole.substr(0, whole.size() / 2));
  check_refusal(run(folder, {"evaluate", "run/model.h5"}), 1, "run/model.h5: *not the file that was written*");
}

TEST_CASE("damage to a model without a checksum never crashes the program") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  const std::string whole = content_of(folder / "m.h5");
  int refusals = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    std::string bytes = whole;
    // Every part of the file, the denser beginning more closely.
    const std::size_t at = i < 100 ? i * 8 + i % 8 : 800 + (i - 100) * (bytes.size() - 800) / 50;
    bytes[at] ^= static_cast<char>(1 << i * 5 % 8);
    folder.write("m.h5", bytes);
    const Outcome outcome = run(folder, {"evaluate", "m.h5"});
    CAPTURE(at);
    CAPTURE(outcome.err);
    CHECK((outcome.status == 0 || outcome.status == 1));
    CHECK(outcome.err.find("unexpected error") == std::string::npos);
    refusals += outcome.status;
  }
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 16) {
    folder.write("m.h5", whole.substr(0, size));
    check_refusal(run(folder, {"evaluate", "m.h5"}), 1, "m.h5: *");
  }
  CHECK(refusals > 20);
}

}  // namespace model_files_test
