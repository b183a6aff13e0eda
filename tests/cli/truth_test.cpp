// Completed rows that are judged by the true ones, against the same figures from the files.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"

namespace truth_test {

using namespace harmonium::testing;

namespace {

constexpr int num_rows = 24;

/// A table of a number, a word, a word of two and a class, the model of it, all of it in full.csv, and holes.csv with parts left out.
class Birds : public ScratchFolder {
 public:
  Birds() {
    const char* islands[] = {"Dream", "Biscoe", "Torgersen"};
    std::string full = "length,island,sex,species\n", holes = full;
    for (int i = 0; i < num_rows; ++i) {
      const std::string length = fmt::format("{}.5", 40 + i % 3 * 5 + i % 2), island = islands[i % 3],
                        sex = i % 2 == 0 ? "male" : "female", species = i % 3 == 0 ? "Gentoo" : "Adelie";
      full += fmt::format("{},{},{},{}\n", length, island, sex, species);
      holes += fmt::format("{},{},{},{}\n", i % 4 == 0 ? "" : length, i % 5 == 0 ? "" : island, i % 6 == 1 ? "" : sex,
                           i % 7 == 2 ? "" : species);
    }
    write("full.csv", full);
    write("holes.csv", holes);
    write("c.toml",
          "seed = 2\nprecision = \"float64\"\n"
          "data = { type = \"table\", path = \"full.csv\", label_column = \"species\" }\n"
          "model = { type = \"mixed\", num_hidden = 4 }\nestimator = \"cd\"\n"
          "optimizer = { type = \"sgd\", learning_rate = 0.02 }\ntraining = { num_epochs = 40, batch_size = 8 }\n");
    const Outcome outcome = run(*this, {"train", "c.toml", "--output", "run", "--quiet"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  }
  Outcome completed(const Words& more) const {
    Words words{"transform", "run", "holes.csv", "--complete", "--output", "o.csv", "--truth", "full.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return run(*this, words);
  }
};

}  // namespace

TEST_CASE("what is filled in is judged by the true rows, column by column") {
  const Birds folder;
  const Outcome outcome = folder.completed({"--likeliest", "--spread", "s.csv"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  const auto found = csv_fields(folder / "o.csv"), full = csv_fields(folder / "full.csv"),
             holes = csv_fields(folder / "holes.csv"), spread = csv_fields(folder / "s.csv");
  REQUIRE(found.size() == num_rows + 1);
  const auto missing = [&](std::size_t r, std::size_t c) { return c >= holes[r].size() || holes[r][c].empty(); };
  double cells = 0.0, squares = 0.0, pulls = 0.0, sum = 0.0, sum_of_squares = 0.0;
  for (std::size_t r = 1; r <= num_rows; ++r) {
    if (!missing(r, 0)) continue;
    const double t = std::stod(full[r][0]), off = t - std::stod(found[r][0]);
    cells += 1.0;
    squares += off * off;
    pulls += std::pow(off / std::stod(spread[r][0]), 2);
    sum += t;
    sum_of_squares += t * t;
  }
  CHECK(cells == 6.0);
  const double constant = std::sqrt(sum_of_squares / cells - std::pow(sum / cells, 2));
  std::string expected = fmt::format(
      "*judged by what *full.csv has where the rows have nothing:\n\nnumbers * cells * rms error * of best "
      "constant * in its spread\nlength * {} * {:.4g} * {:.4g} * {:.4g}\n\nwords * cells * share right * of "
      "best constant\n",
      cells, std::sqrt(squares / cells), constant, std::sqrt(pulls / cells));
  for (std::size_t c = 1; c < 4; ++c) {
    double count = 0.0, right = 0.0, commonest = 0.0;
    for (std::size_t r = 1; r <= num_rows; ++r) {
      if (!missing(r, c)) continue;
      double alike = 0.0;
      for (std::size_t q = 1; q <= num_rows; ++q) alike += missing(q, c) && full[q][c] == full[r][c] ? 1.0 : 0.0;
      commonest = std::max(commonest, alike);
      count += 1.0;
      right += found[r][c] == full[r][c] ? 1.0 : 0.0;
    }
    CHECK(count >= 3.0);
    expected += fmt::format("{} * {} * {:.4g} * {:.4g}\n", full[0][c], count, right / count, commonest / count);
  }
  CHECK_MESSAGE(like(outcome.out, expected), outcome.out);
  // Probabilities in place of words, and the output of a way that takes no note of it, are the same.
  const Outcome of_units = folder.completed({});
  CHECK(of_units.out.substr(of_units.out.find("judged by")) == outcome.out.substr(outcome.out.find("judged by")));
}

TEST_CASE("the model's own draws are judged as its spread says") {
  const Birds folder;
  // Rows that the model draws lie about what it completes as its spread says.
  REQUIRE(run(folder, {"sample", "run", "--num-samples", "4000", "--steps", "300", "--output", "full.csv"}).status ==
          0);
  const Outcome outcome = run(folder, {"transform", "run", "full.csv", "--complete", "--clamp", "length=free",
                                       "--output", "o.csv", "--truth", "full.csv"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  const std::string line = outcome.out.substr(outcome.out.find("\nlength "));
  const double in_spread = std::stod(line.substr(line.rfind(' ', line.find('\n', 1))));
  // The mean of 4000 squares of about normal numbers is 1 to 2 %, its root to 1 %, and chains that mix are alike in part.
  CHECK(std::abs(in_spread - 1.0) < 0.05);
}

TEST_CASE("true rows that are others, or too few, or of no use, are refused") {
  const Birds folder;
  const std::string full = content_of(folder / "full.csv");
  const auto refused = [&](const Words& more, int status, const std::string& message) {
    check_refusal(folder.completed(more), status, message);
  };
  folder.write("full.csv", full.substr(0, full.rfind("\n", full.size() - 2) + 1));
  refused({}, 2,
          "--truth full.csv: it has 23 rows, and 24 rows are to be completed. Give the same rows in the same order.");
  std::string other = full;
  other.replace(other.find("Biscoe"), 6, "Dream");
  folder.write("full.csv", other);
  refused({}, 1,
          "--truth: *full.csv: row 1 (counted from 0) has another value in column 'island' than the row that is "
          "completed. Give the same rows in the same order.");
  folder.write("full.csv", full);
  check_refusal(run(folder, {"transform", "run", "holes.csv", "--output", "o.csv", "--truth", "full.csv"}), 2,
                "--truth: it is for what --complete fills in; 'harmonium evaluate --data' has the accuracy of classes. "
                "Leave it out.");
  check_refusal(
      run(folder, {"transform", "run", "holes.csv", "--complete", "--output", "full.csv", "--truth", "full.csv"}), 2,
      "--output full.csv: that is the file which the command reads (full.csv). Give another name.");
  CHECK(content_of(folder / "full.csv") == full);
  const Outcome whole =
      run(folder, {"transform", "run", "full.csv", "--complete", "--output", "o.csv", "--truth", "full.csv"});
  CHECK(like(whole.out, "*full.csv: nothing to judge: it lacks what the rows lack, or these are complete.\n"));
}

}  // namespace truth_test
