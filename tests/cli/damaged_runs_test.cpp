// Runs whose folder was damaged, mixed with another's or taken away.

#include <cmath>

#include <hdf5.h>

#include <doctest/doctest.h>

#include "files.hpp"

#include <harmonium/framework/files/folder_lock.hpp>
#include <harmonium/framework/files/sha256.hpp>

namespace damaged_runs_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

const Words endless{"train", "small.toml", "--output", "run", "--set", "training.num_epochs=100000000"};
const Words resume{"train", "--resume", "run"};

/// A run of 4 epochs of 2 updates that was broken off after its last checkpoint, of update 8.
void broken_off(const CliFolder& folder) {
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set", "training.checkpoint_every=1",
                       "--set", "optimizer={type=\"sgd\",momentum=0.5}", "--set", "pictures.which=[]"})
              .status == 0);
  fs::remove(folder / "run/model.h5");
  fs::remove(folder / "run/model.h5.sha256");
}

/// Writes the line of a checkpoint as the run would have, and takes its checksum away: what is in it decides alone.
void accept(const CliFolder& folder, int update) {
  const std::string name = std::to_string(update);
  const fs::path file = folder / ("run/checkpoints/" + name + ".h5");
  fs::remove(file.string() + ".sha256");
  std::string kept, log = content_of(folder / "run/checkpoints.jsonl");
  for (std::size_t at = 0, end = 0; (end = log.find('\n', at)) != std::string::npos; at = end + 1)
    if (const std::string line = log.substr(at, end - at); line.find("\"update\":" + name + ",") == std::string::npos)
      kept += line + "\n";
  folder.write("run/checkpoints.jsonl",
               kept + "{\"update\":" + name + ",\"sha256\":\"" + harmonium::sha256_of_file(file) + "\"}\n");
}

/// Puts `values`, as `type` of the shape, in the place of a dataset; none: removes it.
void replace(const fs::path& path, const char* dataset, const std::vector<double>& values, hid_t type,
             const std::vector<hsize_t>& shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  REQUIRE(H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  if (!values.empty()) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t id = H5Dcreate2(file, dataset, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Dclose(id);
    H5Sclose(space);
  }
  H5Fclose(file);
}

}  // namespace

TEST_CASE("a checkpoint whose state is damaged is told by its field, without any checksum") {
  const std::string file = "*/run/checkpoints/8.h5: ", what_to_do =
                                                           ". The file is damaged: remove it to go on from an earlier "
                                                           "one, or start a new run.";
  struct Case {
    const char* dataset;
    std::vector<double> values;
    hid_t type;
    std::vector<hsize_t> shape;
    std::string message;
  };
  const Case cases[] = {
      {"state/optimizer/velocity",
       {0.5},
       H5T_IEEE_F64LE,
       {1},
       file + "the saved state holds 1 values of 'optimizer/velocity' where 59 are needed" + what_to_do},
      {"state/optimizer/velocity",
       std::vector<double>(59, std::nan("")),
       H5T_IEEE_F64LE,
       {59},
       file + "the saved state holds nan in 'optimizer/velocity', entry 0 (counted from 0)" + what_to_do},
      {"state/optimizer/velocity",
       std::vector<double>(59, 0.5),
       H5T_IEEE_F32LE,
       {59},
       file + "the saved state holds 'optimizer/velocity' as another type of number" + what_to_do},
      {"state/optimizer/velocity", {}, 0, {}, file + "the saved state lacks 'optimizer/velocity'" + what_to_do},
      {"state/optimizer/velocity",
       std::vector<double>(59, 0.5),
       H5T_IEEE_F64LE,
       {59, 1},
       file + "'state/optimizer/velocity' has 2 dimensions, and a field of a state has 1"},
      {"state/optimizer/velocity",
       std::vector<double>(59, 1.0),
       H5T_STD_I32LE,
       {59},
       file + "'state/optimizer/velocity' is of another type than a state has (float64, float32, uint64 or uint8)"},
      {"state/estimator/negative/chains/num_rows",
       {1e15},
       H5T_STD_U64LE,
       {1},
       file +
           "the saved state of 'estimator/negative/chains/num_rows' is 1000000000000000, where 8 chains of 1 "
           "temperature each are needed" +
           what_to_do},
      {"state/estimator/negative/chains/num_rows",
       {},
       0,
       {},
       file + "the saved state lacks 'estimator/negative/chains/num_rows'" + what_to_do},
      {"state/estimator/negative/chains/layer1",
       std::vector<double>(40, 0.5),
       H5T_IEEE_F64LE,
       {40},
       file +
           "the saved state of 'estimator/negative/chains/layer1' holds in row 0 what binary units of layer 'hidden' "
           "are not" +
           what_to_do},
      {"state/estimator/negative/chains/rung",
       std::vector<double>(8, 7.0),
       H5T_STD_U64LE,
       {8},
       file +
           "the saved state of 'estimator/negative/chains/rung' holds 7 in row 0: each chain has a row at each of 1 "
           "temperature" +
           what_to_do},
      {"state/position/update",
       {6},
       H5T_STD_U64LE,
       {1},
       file + "the saved state of 'position/update' is 6, and the file is named after 8" + what_to_do},
  };
  const CliFolder folder;
  broken_off(folder);
  const std::string good = content_of(folder / "run/checkpoints/8.h5");
  for (const Case& c : cases) {
    CAPTURE(c.message);
    folder.write("run/checkpoints/8.h5", good);
    replace(folder / "run/checkpoints/8.h5", c.dataset, c.values, c.type, c.shape);
    accept(folder, 8);
    check_refusal(run(folder, resume), 1, c.message);
  }
  folder.write("run/checkpoints/8.h5", good);
  accept(folder, 8);
  CHECK(run(folder, resume).status == 0);
}

TEST_CASE("a checkpoint that the run did not write is refused, and a listed one is given its checksum") {
  const CliFolder folder;
  broken_off(folder);
  for (const char* file : {"8.h5.sha256", "4.h5.sha256"}) fs::remove(folder / "run/checkpoints" / file);
  const std::string good = content_of(folder / "run/checkpoints/8.h5");
  replace(folder / "run/checkpoints/8.h5", "state/optimizer/velocity", std::vector<double>(59, 0.5), H5T_IEEE_F64LE,
          {59});
  check_refusal(run(folder, resume), 1,
                "*/run/checkpoints/8.h5: not the file that was written by this run (its SHA-256 is *, and "
                "checkpoints.jsonl holds *). Remove it to go on from an earlier one.");
  folder.write("run/checkpoints/8.h5", good);
  const std::string list = content_of(folder / "run/checkpoints.jsonl");
  fs::remove(folder / "run/checkpoints.jsonl");
  check_refusal(
      run(folder, resume), 1,
      "*/run/checkpoints.jsonl: it is missing, so that nothing tells which of the checkpoints are this run's. "
      "Put it back, or start a new run.");
  folder.write("run/checkpoints.jsonl", list);
  CHECK(run(folder, resume).status == 0);
  CHECK(fs::exists(folder / "run/checkpoints/8.h5.sha256"));
  CHECK(fs::exists(folder / "run/checkpoints/4.h5.sha256"));
}

TEST_CASE("a checkpoint of another run is not gone on from") {
  const CliFolder folder;
  const auto train = [&](const char* output, const char* epochs) {
    REQUIRE(run(folder, {"train", "small.toml", "--output", output, "--quiet", "--set", "training.checkpoint_every=1",
                         "--set", std::string("training.num_epochs=") + epochs, "--set",
                         "optimizer={type=\"sgd\",schedule={type=\"cosine\"}}"})
                .status == 0);
  };
  train("run", "6");
  train("other", "8");  // another rate at each update, and so another model
  const std::string model = content_of(folder / "run/model.h5");
  for (const char* file : {"model.h5", "checkpoints/12.h5", "checkpoints/10.h5"}) fs::remove(folder / "run" / file);
  for (const char* file : {"10.h5", "10.h5.sha256"})
    fs::copy_file(folder / "other/checkpoints" / file, folder / "run/checkpoints" / file,
                  fs::copy_options::overwrite_existing);
  check_refusal(run(folder, resume), 1, "*/run/checkpoints/10.h5: not the file that was written by this run *");
  // Nor one that the run never came to list.
  std::string list = content_of(folder / "run/checkpoints.jsonl");
  list.resize(list.find("{\"update\":10,"));
  folder.write("run/checkpoints.jsonl", list);
  const Outcome outcome = run(folder, resume);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "harmonium: note: */run/checkpoints/10.h5 is not among the checkpoints that this run has "
             "written (checkpoints.jsonl), and is left out: a kill came between the two, or it is another "
             "run's.\n"));
  CHECK(content_of(folder / "run/model.h5") == model);
}

TEST_CASE("a run whose logs lack lines is not gone on with") {
  for (const char* log : {"metrics.jsonl", "timing.jsonl"}) {
    const CliFolder folder;
    broken_off(folder);
    const std::string path = std::string("run/") + log, whole = content_of(folder / path);
    const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
    const auto missing = [&](int update) {
      return std::string("*/run/") + log + ": the line of update " + std::to_string(update) +
             " is missing, and the run goes on after update 8. Put the log back as it was, or start a new run.";
    };
    folder.write(path, whole.substr(0, second) + whole.substr(third));
    check_refusal(run(folder, resume), 1, missing(4));
    folder.write(path, whole.substr(0, third));
    check_refusal(run(folder, resume), 1, missing(6));
    fs::remove(folder / path);
    check_refusal(run(folder, resume), 1, missing(2));
    folder.write(path, whole.substr(0, second) + "rubbish\n" + whole.substr(second));
    check_refusal(run(folder, resume), 1, std::string("*/run/") + log + ": line 2 is none that a run writes. *");
    folder.write(path, whole);
    CHECK(run(folder, resume).status == 0);
    CHECK(content_of(folder / path) == whole);
  }
}

TEST_CASE("what is taken away from a run while it goes on is told") {
  {
    const CliFolder folder;
    Running running(endless, {.folder = folder.path()});
    REQUIRE(appears(folder / "run/metrics.jsonl"));
    fs::rename(folder / "run", folder / "elsewhere");
    check_refusal(
        running.wait(), 1,
        "*/run: the folder was removed or replaced while the run was going on. What the run had kept there is "
        "lost to it: put the folder back and resume, or start the run again.");
    CHECK_FALSE(fs::exists(folder / "run"));
  }
  for (const char* log : {"metrics.jsonl", "timing.jsonl"}) {
    const CliFolder folder;
    Running running(endless, {.folder = folder.path()});
    REQUIRE(appears(folder / "run/timing.jsonl"));
    fs::remove(folder / "run" / log);
    check_refusal(running.wait(), 1,
                  std::string("*/run/") + log +
                      ": it was removed while the run was going on, and its lines are lost. Start the run again.");
  }
}

TEST_CASE("links in the places of a run's files are not followed, and what a kill left is cleared") {
  const CliFolder folder;
  folder.write("victim", "somebody's");
  broken_off(folder);
  for (const char* name : {"config.toml", "metrics.jsonl", "timing.jsonl", "checkpoints.jsonl", "model.h5",
                           "model.h5.partial", "config.toml.partial", "checkpoints/2.h5", "checkpoints/2.h5.partial"}) {
    fs::remove(folder / "run" / name);
    fs::create_symlink(folder / "victim", folder / "run" / name);
  }
  folder.write("run/checkpoints/.harmonium-0123456789abcdef.partial", "left by a kill");
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--overwrite", "--quiet", "--set",
                     "training.checkpoint_every=1"})
            .status == 0);
  CHECK(content_of(folder / "victim") == "somebody's");
  CHECK_FALSE(fs::is_symlink(folder / "run/metrics.jsonl"));
  CHECK_FALSE(fs::exists(folder / "run/checkpoints/.harmonium-0123456789abcdef.partial"));
  folder.write("run/.harmonium-0123456789abcdef.partial", "left by a kill");
  CHECK(run(folder, {"train", "--resume", "run", "--quiet"}).status == 0);
  CHECK_FALSE(fs::exists(folder / "run/.harmonium-0123456789abcdef.partial"));
}

TEST_CASE("a folder in which another process trains is not looked into: where that is going is not known yet") {
  const CliFolder folder;
  broken_off(folder);
  fs::remove(folder / "run/checkpoints/2.h5.sha256");
  folder.write("run/checkpoints/8.h5", "being written");
  const Words before = files_below(folder / "run");
  {
    const harmonium::FolderLock lock(folder / "run", "trains");
    check_refusal(run(folder, resume), 1,
                  "*/run: another process trains in this folder. Wait for it to end, or take another folder.");
    CHECK(files_below(folder / "run") == before);
  }
  check_refusal(run(folder, resume), 1, "*/run/checkpoints/8.h5: *");
}

}  // namespace damaged_runs_test
