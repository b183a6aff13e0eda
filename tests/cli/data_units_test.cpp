// Numbers on the way from a file through a model and back: what was made of the data before training, and undone behind it.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/npy.hpp>
#include <harmonium/tests/support/png.hpp>

#include "files.hpp"

namespace data_units_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Forty rows of two columns about 50 and −3, of deviations 10 and 0.5 or so.
class Measured : public ScratchFolder {
 public:
  Measured() {
    std::string rows;
    for (int r = 0; r < 40; ++r)
      rows += fmt::format("{},{}\n", 50 + 10 * std::sin(r), -3 + 0.5 * std::sin(2.0 * r + 1) + 0.01 * std::sin(r));
    write("rows.csv", rows);
  }
  void train(const std::string& data, const std::string& precision = "float32") const {
    write("c.toml", "precision = \"" + precision + "\"\n[data]\ntype = \"csv\"\npath = \"rows.csv\"\n" + data +
                        "[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 1\nvisible_units = \"gaussian\"\n"
                        "learn_precision = true\n"
                        "[estimator]\ntype = \"cd\"\n[training]\nnum_epochs = 5\nbatch_size = 10\n[optimizer]\n"
                        "learning_rate = 1e-3\n");
    const Outcome outcome = run(*this, {"train", "c.toml", "--output", "run", "--overwrite", "--quiet"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
  }
  Outcome sample(const Words& more) const {
    Words words{"sample", "run/model.h5", "--num-samples", "400", "--steps", "5", "--output", "s.npy"};
    words.insert(words.end(), more.begin(), more.end());
    return run(*this, words);
  }
  nlohmann::json judge(const std::string& file) const {
    const Outcome outcome = run(*this, {"evaluate", "run/model.h5", "--data", file, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  }
  double column_mean(Index c) const {
    const Table rows = read_npy(*this / "s.npy");
    double sum = 0.0;
    for (Index r = 0; r < rows.rows; ++r) sum += rows.at(r, c);
    return sum / static_cast<double>(rows.rows);
  }
};

}  // namespace

TEST_CASE("a value far outside the training rows is told where they are standardized") {
  const Measured folder;
  folder.train("standardize = true\n");
  double mean = 0.0, square = 0.0;
  for (int r = 0; r < 40; ++r) {
    const double x = 50 + 10 * std::sin(r);
    mean += x / 40;
    square += x * x / 40;
  }
  const double deviations = (1e6 - mean) / std::sqrt(square - mean * mean);
  folder.write("far.csv", "50,-3\n1000000,-3\n");
  const std::string warning = fmt::format(
      "*far.csv: row 1, column 0 (both counted from 0) is 1e+06, {:.3g} standard deviations of the training rows from "
      "their mean. One such value decides the figures of all rows: mend it, or leave its row out, if it is not "
      "meant.\n*",
      deviations);
  const Outcome far = run(folder, {"evaluate", "run", "--data", "far.csv"});
  CHECK(far.status == 0);
  CHECK(like(far.err, warning));
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "again", "--set", "data.test_path=far.csv"});
  CHECK(trained.status == 0);
  CHECK(like(trained.err, warning));
  // Within 20 deviations, which are some 7 and 0.36, nothing is told.
  folder.write("near.csv", "50,-3\n150,-8\n");
  CHECK(run(folder, {"evaluate", "run", "--data", "near.csv"}).err == "");
}

TEST_CASE("samples have the units of the file, whatever was made of it, and are read again as it was") {
  const Measured folder;
  folder.train("standardize = true\n");
  REQUIRE(folder.sample({}).status == 0);
  const double plain = folder.judge("rows.csv")["log_jacobian"].get<double>();
  const double of_samples = folder.judge("s.npy")["log_likelihood"].get<double>();
  // The same with a scale before it: the same model of the same z, and samples of the same file's units.
  folder.train("standardize = true\nscale = 0.1\n");
  REQUIRE(folder.sample({}).status == 0);
  CHECK(std::abs(folder.column_mean(0) - 50.0) < 4.0);
  CHECK(std::abs(folder.column_mean(1) + 3.0) < 0.2);
  const auto judged = folder.judge("s.npy");
  CHECK(judged["log_likelihood"].get<double>() == doctest::Approx(of_samples).epsilon(1e-4));
  CHECK(judged["log_jacobian"].get<double>() == doctest::Approx(plain).epsilon(1e-6));
  CHECK(judged["units"] == "standardized data");
  // Pictures show what the model has, and say so.
  for (const char* what : {"samples", "chains", "data", "reconstructions"})
    CHECK_MESSAGE(like(run(folder, {"draw", "run", "--what", what, "--output", "p.png"}).out,
                       "p.png: * (white), in units of standardized data\n"),
                  what);
  CHECK(like(read_png(folder / "run/pictures/chains.png").text("Description"), "*, in units of standardized data"));
  CHECK(
      like(run(folder, {"draw", "run", "--output", "all"}).out, "*filters.png: weight.visible.hidden; 1x2, *(red)\n*"));
  // A scale alone.
  folder.train("scale = 0.1\n");
  REQUIRE(folder.sample({}).status == 0);
  const double file_units = folder.column_mean(0);
  REQUIRE(folder.sample({"--raw"}).status == 0);
  CHECK(file_units == doctest::Approx(10.0 * folder.column_mean(0)).epsilon(1e-5));
  CHECK(folder.judge("rows.csv")["units"] == "data times its scale");
  CHECK(folder.judge("rows.csv")["log_jacobian"].get<double>() == doctest::Approx(2 * std::log(0.1)).epsilon(1e-12));
}

TEST_CASE("a value that is held has the units of the file, as a row of a file has") {
  const Measured folder;
  folder.train("standardize = true\nscale = 0.1\n");
  REQUIRE(folder.sample({"--clamp", "visible[0]=62"}).status == 0);
  CHECK(folder.column_mean(0) == doctest::Approx(62.0).epsilon(1e-5));
  const std::string by_value = content_of(folder / "s.npy");
  folder.write("held.csv", "62,\n");
  REQUIRE(folder.sample({"--clamp", "held.csv"}).status == 0);
  CHECK(content_of(folder / "s.npy") == by_value);
  // Of whitened columns one alone is no unit of the model.
  folder.train("whiten = \"zca\"\n");
  check_refusal(
      folder.sample({"--clamp", "visible[0]=62"}), 2,
      "--clamp visible[0]=62: the data were whitened, and one column alone is no unit of the model. Give whole "
      "rows in a file, or hold other units.");
}

TEST_CASE("what is held is written as it was given, in either precision") {
  const Measured folder;
  folder.write("held.csv", "30.88,\n0.3,-3.1\n");
  folder.write("whole.csv", "30.88,-2.7\n0.3,-3.1\n");
  const auto filled = [&](const std::string& clamp) {
    const Outcome outcome = run(
        folder, {"sample", "run", "--num-samples", "2", "--steps", "5", "--clamp", clamp, "--output", "filled.csv"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return csv_fields(folder / "filled.csv");
  };
  for (const char* precision : {"float32", "float64"})
    for (const char* made : {"standardize = true\n", "standardize = true\nscale = 0.3\n", "scale = 0.3\n"}) {
      CAPTURE(precision);
      CAPTURE(made);
      folder.train(made, precision);
      const auto rows = filled("held.csv");
      CHECK(rows[1][0] == "30.88");
      CHECK(rows[2] == Words{"0.3", "-3.1"});
      CHECK(filled("visible[1]=-3.1")[1][1] == "-3.1");
      CHECK(filled("visible[0]=0.3")[2][0] == "0.3");
    }
  folder.train("whiten = \"zca\"\n");
  const auto whole = filled("whole.csv");
  CHECK(whole[1] == Words{"30.88", "-2.7"});
  CHECK(whole[2] == Words{"0.3", "-3.1"});
}

TEST_CASE("samples of bits that were made of scaled gray levels are bits when they are read again") {
  const ScratchFolder folder;
  std::vector<std::uint8_t> gray;
  gray.reserve(20 * 4);
  for (int i = 0; i < 20 * 4; ++i) gray.push_back(static_cast<std::uint8_t>((i * i * 37) % 256));
  folder.write("gray.idx", idx_bytes(20, 4, gray));
  folder.write("c.toml",
               "[data]\ntype = \"idx\"\npath = \"gray.idx\"\nscale = 0.00392156862745098\nbinarize = \"threshold\"\n"
               "[model]\ntype = \"rbm\"\nnum_visible = 4\nnum_hidden = 2\n[estimator]\ntype = \"cd\"\n[training]\n"
               "num_epochs = 2\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"sample", "run/model.h5", "--num-samples", "50", "--steps", "5", "--output", "s.npy"}).status ==
          0);
  const Table rows = read_npy(folder / "s.npy");
  double log_likelihood = 0.0;
  for (Index r = 0; r < rows.rows; ++r) {
    std::string text;
    for (Index c = 0; c < 4; ++c) text += fmt::format("{}{}", c ? "," : "", rows.at(r, c));
    folder.write("row.csv", text + "\n");
    const Outcome one = run(folder, {"evaluate", "run/model.h5", "--data", "row.csv", "--json", "--set",
                                     "data.binarize=none", "--set", "data.scale=1"});
    INFO(one.err);
    REQUIRE(one.status == 0);
    log_likelihood += nlohmann::json::parse(one.out)["log_likelihood"].get<double>() / 50;
  }
  const Outcome all = run(folder, {"evaluate", "run/model.h5", "--data", "s.npy", "--json"});
  CHECK(nlohmann::json::parse(all.out)["log_likelihood"].get<double>() ==
        doctest::Approx(log_likelihood).epsilon(1e-9));
}

}  // namespace data_units_test
