#include <limits>

#include <doctest/doctest.h>

#include <harmonium/framework/files/row_writer.hpp>

#include "files.hpp"

namespace data_errors_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// A folder with a model of three observed units, and what evaluate and train say about a data file.
class DataFolder : public ScratchFolder {
 public:
  DataFolder() {
    write_foreign_model(*this / "m.h5");
    write("t.toml",
          "[data]\ntype = \"npy\"\npath = \"d.npy\"\n[model]\ntype = \"rbm\"\nnum_visible = 3\nnum_hidden = 2\n"
          "[estimator]\ntype = \"cd\"\n[training]\nnum_updates = 1\nbatch_size = 2\n");
  }
  void refused(const std::string& content, int status, const std::string& pattern) const {
    write("d.npy", content);
    check_refusal(run(*this, {"evaluate", "m.h5", "--data", "d.npy"}), status, pattern);
    check_refusal(run(*this, {"train", "t.toml", "--output", "new"}), status, pattern);
    CHECK(!std::filesystem::exists(*this / "new"));
  }
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("data whose values or sizes do not suit the model is refused with status 2") {
  const DataFolder folder;
  folder.refused(
      npy_bytes(2, 3, {0, 1, 0, 1, 7, 0}), 2,
      "[data] */d.npy: row 1, column 1 (both counted from 0) is 7, but binary units of layer 'visible' take values "
      "from 0 to 1. Set data.scale or data.binarize.");
  folder.refused(npy_bytes(2, 3, {0, 1, 0, 1, -0.5, 0}), 2,
                 "[data] */d.npy: row 1, column 1 (both counted from 0) is -0.5, *");
  folder.refused(
      npy_bytes(2, 2, {0, 1, 0, 1}), 2,
      "[data] */d.npy has 2 columns, but the model has 3 observed ones. Set the model's size to the data's, or take "
      "other data.");
  folder.refused(
      npy_bytes(3, 2, {0, 1, 0, 1, 1, 1}), 2,
      "[data] */d.npy has 2 columns, but the model has 3 observed ones. It is of shape (3, 2), and a row is a "
      "sample: transpose it to (2, 3).");
  const std::vector<double> one_row{0, 1, 1};
  write_npy_vector(folder / "flat.npy", one_row);
  folder.refused(content_of(folder / "flat.npy"), 2,
                 "[data] */d.npy has 1 columns, but the model has 3 observed ones. It is an array of shape (3,), one "
                 "number a row: reshape it to (1, 3), one sample a row.");
}

TEST_CASE("numbers with decimal commas are refused as such, whoever reads them") {
  const ScratchFolder folder;
  folder.write("de.csv", "länge;breite\n1,5;2,25\n3;4,5\n2,5;1\n");
  const std::string comma =
      "'1,5' has a decimal comma, and numbers are read with a point. This writes all of them so: tr , . < FILE > "
      "NEW.csv";
  check_refusal(run(folder, {"init", "de.csv"}), 1, "*de.csv:2: field 1 ('länge'): " + comma);
  check_refusal(run(folder, {"inspect", "de.csv"}), 1, "*de.csv:2: column 'länge': " + comma);
  folder.write("c.toml",
               "data = { type = \"csv\", path = \"de.csv\" }\nmodel = { type = \"rbm\", num_hidden = 2 }\n"
               "estimator = \"cd\"\n");
  check_refusal(run(folder, {"train", "c.toml"}), 1, "*de.csv:2: field 1 ('länge'): " + comma);
  check_refusal(run(folder, {"train", "c.toml", "--set", "data.type=table", "--set", "model.type=mixed"}), 1,
                "*de.csv:2: column 'länge': " + comma);
}

TEST_CASE("damaged data is refused with status 1 and the place") {
  const DataFolder folder;
  const std::string good = npy_bytes(2, 3, {0, 1, 0, 1, 0, 1});
  folder.refused(npy_bytes(2, 3, {0, 1, 0, 1, not_a_number, 0}), 1,
                 "*/d.npy: row 1, column 1 (both counted from 0) is nan*set data.missing*");
  folder.refused(npy_bytes(2, 3, {0, 1, 0, 1, 0, 1 / 0.0}), 1, "*/d.npy: row 1, column 2 (both counted from 0) is inf");
  folder.refused(good.substr(0, good.size() - 3), 1, "*/d.npy: byte 128: declares 2 x 3 values of 8 bytes, but *");
  folder.refused(good.substr(0, 60), 1, "*/d.npy: byte *: the file ends within the header *");
  folder.refused(good + "more", 1, "*/d.npy: byte 176: the data ends here by its header, but more follows");
  folder.refused("", 1, "*/d.npy: byte 0: the file ends within the magic number (8 bytes expected, 0 found)");
  folder.refused("v1,v2,v3\n0,1,0\n", 1, "*/d.npy: byte 0: not an .npy file: it does not begin with 93 NUMPY");
  folder.refused(npy_bytes(0, 3, {}), 1, "*/d.npy: has no rows (its dimensions are 0 x 3)");
}

TEST_CASE("data of another kind than configured is refused, with the kind that it seems to be") {
  const DataFolder folder;
  const std::string npy = npy_bytes(2, 3, {0, 1, 0, 1, 0, 1}), idx = idx_bytes(2, 3, {0, 1, 0, 1, 0, 1});
  folder.write("d.npy", idx);
  check_refusal(run(folder, {"train", "t.toml", "--output", "new"}), 1,
                "*/d.npy: byte 0: not an .npy file: it does not begin with 93 NUMPY. It may be an IDX file.");
  folder.write("d.npy", npy);
  check_refusal(run(folder, {"train", "t.toml", "--output", "new", "--set", "data.type=idx"}), 1,
                "*/d.npy: byte 0: not an IDX file: begins with 93 4e (00 00 expected). It is an .npy file.");
  folder.write("images-idx2-ubyte", std::string("\0\0\x0A\x02", 4) + idx.substr(4));
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "images-idx2-ubyte"}), 1,
                "*: byte 2: the element type 0x0a is unknown *");
  folder.write("short-idx2-ubyte", idx.substr(0, idx.size() - 1));
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "short-idx2-ubyte"}), 1, "*/short-idx2-ubyte: byte 12: *");
  folder.write("notes.txt", "some words\n");
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "notes.txt"}), 2,
                "notes.txt: no known kind of data file, by its first bytes or its name. Known are IDX (MNIST's "
                "container), .npy, CSV "
                "and FASTA, each plain or gzipped, and HDF5.");
}

TEST_CASE("compressed data that is cut short or damaged is refused") {
  const DataFolder folder;
  const std::string whole = content_of(folder.write_gzipped("whole.gz", npy_bytes(100, 3, bit_rows(100, 3))));
  folder.write("cut.npy.gz", whole.substr(0, whole.size() / 2));
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "cut.npy.gz"}), 1,
                "*/cut.npy.gz: byte *cut short. Fetch it again.");
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 0x10;  // in the checksum at its end
  folder.write("flipped.npy.gz", flipped);
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "flipped.npy.gz"}), 1,
                "flipped.npy.gz: near byte * of its content: the compressed file is damaged (*). Fetch it again.");
}

TEST_CASE("data that is not there, or is a folder, is a mistake in the command line") {
  const DataFolder folder;
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "none.npy"}), 2, "[data] path 'none.npy': no such file");
  check_refusal(run(folder, {"evaluate", "m.h5", "--data", "."}), 2,
                "--data .: a folder, not a file. Name the data file in it.");
  check_refusal(run(folder, {"train", "t.toml"}), 2, "[data] path '*/d.npy': no such file");
  check_refusal(run(folder, {"train", "t.toml", "--set", "data.path=."}), 2,
                "[data] path '*': a folder, not a file. Name the data file in it.");
}

TEST_CASE("rows with holes train where that is asked for, by phases that serve, and gradients do not take them") {
  const DataFolder folder;
  folder.write("d.npy", npy_bytes(4, 3, {0, 1, 0, 1, not_a_number, 0, 1, 1, not_a_number, 0, 0, 1}));
  const Words train{"train", "t.toml", "--output", "holed", "--set", "data.missing=nan"};
  CHECK(run(folder, train).status == 0);
  const std::string config = content_of(folder / "holed/config.toml");
  CHECK(like(config, "*[estimator.positive]\ntype = \"mean_field\"\n*"));
  CHECK(like(config, "*missing = \"nan\"\n*"));
  CHECK(like(config, "*log_likelihood*"));

  Words exact = train;
  exact.insert(exact.end(), {"--set", "estimator.positive.type=posterior_mean", "--overwrite"});
  check_refusal(run(folder, exact), 2,
                "phase 'posterior_mean': entries of the data are missing, and the latent units are coupled with these. "
                "Try 'mean_field' or 'chains'.");
  Words measured = train;
  measured.insert(measured.end(), {"--set", "estimator.positive.type=chains", "--overwrite"});
  CHECK(run(folder, measured).status == 0);
  check_refusal(
      run(folder, {"gradient", "holed/model.h5", "--data", "d.npy", "--estimator", "cd", "--output", "g.h5"}), 2,
      "*/d.npy: entries are missing, and only training, evaluate, draw and sample --clamp take such rows. Give "
      "complete ones.");
}

}  // namespace data_errors_test
