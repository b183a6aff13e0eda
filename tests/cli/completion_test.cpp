// Rows with holes that transform completes, against the free energies of rows that evaluate tells.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files.hpp"

namespace completion_test {

using namespace harmonium::testing;

namespace {

std::vector<Words> words_of(const std::filesystem::path& file) {
  std::vector<Words> lines = csv_fields(file);
  lines.erase(lines.begin());
  return lines;
}

std::vector<std::vector<double>> numbers_of(const std::filesystem::path& file) {
  std::vector<std::vector<double>> numbers;
  for (const Words& line : words_of(file)) {
    numbers.emplace_back();
    for (const std::string& word : line) numbers.back().push_back(std::stod(word));
  }
  return numbers;
}

/// But for rounding, which may differ with the rows beside them.
bool alike(const std::vector<double>& one, const std::vector<double>& other) {
  return std::ranges::equal(one, other, [](double a, double b) { return std::abs(a - b) < 1e-12; });
}

Outcome transformed(const ScratchFolder& folder, const Words& more) {
  Words words{"transform"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

/// F of each row of a text of rows, entries of which may be missing.
std::vector<double> free_energies(const ScratchFolder& folder, const char* model, const std::string& rows) {
  folder.write("asked.csv", rows);
  const Outcome outcome = run(folder, {"evaluate", model, "--data", "asked.csv", "--set", "data.missing=nan_columns",
                                       "--log-z", "none", "--rows", "asked_rows.csv", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto lines = csv_fields(folder / "asked_rows.csv");
  const auto column = std::ranges::find(lines[0], "free_energy") - lines[0].begin();
  std::vector<double> found;
  for (std::size_t r = 1; r < lines.size(); ++r)
    found.push_back(std::stod(lines[r].at(static_cast<std::size_t>(column))));
  return found;
}

/// Bits with names, a class behind them, and the model of them.
class Named : public ScratchFolder {
 public:
  Named() {
    write("d.csv", "left,middle,right,kind\n1,1,0,0\n0,1,1,0\n1,0,1,1\n0,0,0,1\n1,1,1,1\n");
    write("c.toml",
          "seed = 2\nprecision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\", label_column = \"kind\" }\n"
          "model = { type = \"rbm\", num_visible = 3, num_labels = 2, num_hidden = 4 }\nestimator = \"exact\"\n"
          "optimizer = { type = \"sgd\", learning_rate = 0.5 }\ntraining = { num_epochs = 50, batch_size = 5 }\n");
    const Outcome outcome = run(*this, {"train", "c.toml", "--output", "run", "--quiet"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  }
};

}  // namespace

TEST_CASE("rows are completed by the expected values of what they lack, and keep what they have") {
  const Named folder;
  folder.write("holes.csv", "left,middle,right\n1,,0\n,1,1\n0,1,0\n");
  const Outcome outcome = transformed(folder, {"run", "holes.csv", "--complete", "--output", "o.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out ==
        "o.csv: rows completed by E[missing | seen], 3 x 5, 3 rows with holes, by sums over what is missing (exact)\n");
  CHECK(csv_fields(folder / "o.csv")[0] == Words{"left", "middle", "right", "kind=0", "kind=1"});
  const auto rows = numbers_of(folder / "o.csv");
  const std::string header = "left,middle,right,kind\n";
  // F of (hole, class) = (0, 0), (1, 0), (0, 1), (1, 1) of the first row, and of the second.
  const auto f =
      free_energies(folder, "run", header + "1,0,0,0\n1,1,0,0\n1,0,0,1\n1,1,0,1\n0,1,1,0\n1,1,1,0\n0,1,1,1\n1,1,1,1\n");
  for (std::size_t r = 0; r < 2; ++r) {
    double all = 0.0, hole = 0.0, second = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      const double p = std::exp(f[0] - f[4 * r + k]);
      all += p;
      hole += k % 2 == 1 ? p : 0.0;
      second += k >= 2 ? p : 0.0;
    }
    CHECK(rows[r][r == 0 ? 1 : 0] == doctest::Approx(hole / all).epsilon(1e-9));
    CHECK(rows[r][4] == doctest::Approx(second / all).epsilon(1e-9));
    CHECK(rows[r][3] == doctest::Approx(1.0 - second / all).epsilon(1e-9));
  }
  CHECK(std::vector<double>{rows[0][0], rows[0][2], rows[1][1], rows[1][2], rows[2][0], rows[2][1], rows[2][2]} ==
        std::vector<double>{1, 0, 1, 1, 0, 1, 0});

  // The same rows, of which the command says what counts as missing. Classes that were seen are kept.
  folder.write("whole.csv", header + "1,1,0,1\n1,0,0,0\n");
  REQUIRE(transformed(folder, {"run", "whole.csv", "--complete", "--clamp", "middle=free", "--clamp", "label=free",
                               "--output", "w.csv"})
              .status == 0);
  const auto freed = numbers_of(folder / "w.csv");
  CHECK(alike(freed[0], rows[0]));
  CHECK(alike(freed[1], rows[0]));
  CHECK(
      transformed(folder, {"run", "whole.csv", "--complete", "--clamp", "middle=free", "--errors", "e.csv", "--spread",
                           "s.csv", "--output", "g.csv"})
          .out ==
      "g.csv: rows completed by E[missing | seen], 2 x 5, 2 rows with holes, by sums over what is missing (exact); "
      "e.csv has the errors of means by sampling, not the spread of what is missing; s.csv has the standard deviations "
      "of what is missing\n");
  const auto given = numbers_of(folder / "g.csv");
  CHECK(given[0][1] == doctest::Approx(1.0 / (1.0 + std::exp(f[3] - f[2]))).epsilon(1e-9));
  CHECK(given[1][1] == doctest::Approx(1.0 / (1.0 + std::exp(f[1] - f[0]))).epsilon(1e-9));
  CHECK(given[0][4] == 1.0);
  CHECK(given[1][4] == 0.0);
  CHECK(numbers_of(folder / "e.csv") == std::vector<std::vector<double>>(2, std::vector<double>(5, 0.0)));
  // A bit of probability p has the standard deviation sqrt(p (1 - p)); what was seen has none.
  const auto spread = numbers_of(folder / "s.csv");
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 5; ++c)
      CHECK(spread[r][c] == doctest::Approx(std::sqrt(given[r][c] * (1.0 - given[r][c]))).epsilon(1e-6));
  CHECK(spread[0][1] > 0.0);

  // Of half a row its class.
  REQUIRE(transformed(folder, {"run", "whole.csv", "--layer", "label", "--clamp", "middle=free", "--output", "p.csv"})
              .status == 0);
  const auto p = numbers_of(folder / "p.csv");
  for (std::size_t k = 0; k < 2; ++k) CHECK(p[0][k] == doctest::Approx(rows[0][3 + k]).epsilon(1e-9));
  CHECK(alike(p[0], p[1]));

  // A column that the file lacks is missing in all rows.
  folder.write("some.csv", "left,right\n1,0\n");
  const Outcome some = transformed(folder, {"run", "some.csv", "--complete", "--output", "s.csv"});
  CHECK(some.err.find("which the training data have: missing in all rows.") != std::string::npos);
  CHECK(alike(numbers_of(folder / "s.csv")[0], rows[0]));
}

TEST_CASE("the likeliest word and class stand in rows that are as the data has them") {
  const Named folder;
  folder.write("holes.csv", "left,middle,right\n1,,0\n,1,1\n0,1,0\n");
  const auto made = [&](const Words& more) {
    Words words{"run", "holes.csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = transformed(folder, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return outcome.out;
  };
  made({"--complete", "--output", "p.csv"});
  CHECK(like(made({"--complete", "--likeliest", "--output", "o.csv"}),
             "o.csv: rows completed by E[missing | seen], of words the likeliest, 3 x 4, *"));
  const auto probabilities = words_of(folder / "p.csv"), rows = words_of(folder / "o.csv");
  CHECK(csv_fields(folder / "o.csv")[0] == Words{"left", "middle", "right", "kind"});
  CHECK(like(made({"--layer", "label", "--likeliest", "--set", "data.missing=nan", "--output", "c.csv"}),
             "c.csv: the likeliest class of layer 'label' given each row, 3 x 1, *"));
  const auto classes = csv_fields(folder / "c.csv");
  CHECK(classes[0] == Words{"kind"});
  REQUIRE(rows.size() == 3);
  REQUIRE(classes.size() == 4);
  for (std::size_t r = 0; r < 3; ++r) {
    CAPTURE(r);
    CHECK(Words(rows[r].begin(), rows[r].end() - 1) == Words(probabilities[r].begin(), probabilities[r].begin() + 3));
    const bool second = std::stod(probabilities[r][4]) > std::stod(probabilities[r][3]);
    CHECK(rows[r].back() == (second ? "1" : "0"));
    CHECK(classes[r + 1] == Words{rows[r].back()});
  }
  const auto refused = [&](const Words& more, const char* pattern) {
    Words words{"run", "holes.csv", "--likeliest"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(transformed(folder, words), 2, pattern);
  };
  refused({"--complete", "--output", "o.npy"},
          "--output o.npy: --likeliest writes words, and these are written as .csv. Give a name that ends so.");
  refused({"--complete", "--raw", "--output", "o.csv"},
          "--raw: --likeliest writes rows as the data has them. Leave it out.");
  refused({"--output", "o.csv"}, "--likeliest: it is for what --complete and --layer label write. Leave it out.");
}

TEST_CASE("a completed table of columns of several kinds is such a table again") {
  const ScratchFolder folder;
  std::string text = "length,island,sex,species\n";
  const char* islands[] = {"Dream", "Biscoe", "Torg, N"};
  for (int i = 0; i < 30; ++i)
    text += fmt::format("{}.5,\"{}\",{},{}\n", 40 + i % 3 * 5, islands[i % 3], i % 2 == 0 ? "male" : "female",
                        i % 3 == 0 ? "Gentoo" : "Adelie");
  folder.write("birds.csv", text);
  folder.write(
      "birds.toml",
      "seed = 2\ndata = { type = \"table\", path = \"birds.csv\", label_column = \"species\" }\n"
      "model = { type = \"mixed\", num_hidden = 4 }\nestimator = { type = \"cd\" }\n"
      "optimizer = { type = \"sgd\", learning_rate = 0.01 }\ntraining = { num_epochs = 5, batch_size = 10 }\n");
  const Outcome trained = run(folder, {"train", "birds.toml", "--output", "run", "--quiet"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  folder.write("holes.csv", "length,island,sex\n40.5,,male\n45.5,Biscoe,\n50.5,\"Torg, N\",female\n");
  const Outcome outcome = transformed(folder, {"run", "holes.csv", "--complete", "--likeliest", "--output", "o.csv"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  const auto rows = csv_fields(folder / "o.csv");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == Words{"length", "island", "sex", "species"});
  // A word with a comma is quoted, and two fields here.
  CHECK(rows[1][0] == "40.5");
  CHECK(rows[1][rows[1].size() - 2] == "male");
  CHECK(rows[2][1] == "Biscoe");
  CHECK(Words(rows[3].begin(), rows[3].end() - 1) == Words{"50.5", "\"Torg", " N\"", "female"});
  for (std::size_t r = 1; r < 4; ++r) CHECK((rows[r].back() == "Gentoo" || rows[r].back() == "Adelie"));
  CHECK(run(folder, {"evaluate", "run", "--data", "o.csv", "--log-z", "none", "--quiet"}).status == 0);
  CHECK(outcome.out.find("words as probabilities") == std::string::npos);
  // Beside it, what is missing in its own columns: of numbers their deviations, of words the probability that it is another.
  folder.write("more.csv", "length,island,sex\n,Biscoe,male\n45.5,,\n");
  const Outcome spread = transformed(folder, {"run", "more.csv", "--complete", "--likeliest", "--spread", "s.csv",
                                              "--errors", "e.csv", "--output", "m.csv"});
  REQUIRE_MESSAGE(spread.status == 0, spread.err);
  CHECK(spread.out.ends_with(
      "e.csv has the errors of means, of words of their probabilities, by sampling, not the spread of what is missing; "
      "s.csv has the standard deviations of what is missing, of words the probability that it is another\n"));
  REQUIRE(transformed(folder, {"run", "more.csv", "--complete", "--spread", "us.csv", "--output", "u.csv"}).status ==
          0);
  CHECK(csv_fields(folder / "s.csv")[0] == rows[0]);
  CHECK(csv_fields(folder / "e.csv")[0] == rows[0]);
  const auto own = numbers_of(folder / "s.csv"), units = numbers_of(folder / "us.csv"),
             means = numbers_of(folder / "u.csv");
  const Words header = csv_fields(folder / "u.csv")[0];  // of which one name has a comma, and is two fields here
  const auto at = [&](const char* begin) {
    const auto found = std::ranges::find_if(header, [&](const std::string& name) { return name.starts_with(begin); });
    REQUIRE(found != header.end());
    return static_cast<std::size_t>(found - header.begin());
  };
  const std::size_t length = at("length"), sex = at("sex"), island = at("island=Biscoe"), species = at("species=");
  REQUIRE(std::max({length, sex, island}) < at("\"island"));
  CHECK(own[0][0] == doctest::Approx(units[0][length]).epsilon(1e-6));
  CHECK(own[0][0] > 0.0);
  CHECK(own[0][1] == 0.0);
  CHECK(own[0][2] == 0.0);
  CHECK(own[1][0] == 0.0);
  CHECK(own[1][2] == doctest::Approx(std::min(means[1][sex], 1 - means[1][sex])).epsilon(1e-5));
  CHECK(own[1][2] > 0.0);
  const std::vector<double>& second = means[1];
  const double likeliest = std::max({second[island], second[island + 1], second[island + 2]});
  CHECK(own[1][1] == doctest::Approx(1 - likeliest).epsilon(1e-5));
  CHECK(own[1][3] == doctest::Approx(1 - std::max(second[species - 1], second[species])).epsilon(1e-5));
  // Probabilities of words are none of its columns, and nothing is to be lost of them in silence.
  const Outcome of_units = transformed(folder, {"run", "holes.csv", "--complete", "--output", "p.csv"});
  CHECK(like(of_units.out, "*; words as probabilities (--likeliest writes the words, as the data has them)\n"));
  check_refusal(
      run(folder, {"evaluate", "run", "--data", "p.csv"}), 2,
      "[data] p.csv: has the column 'island=*', of the units of the model, and not the words of 'island'. "
      "'transform --complete' writes such columns of probabilities, and with --likeliest the words, which are "
      "read here; 'sample' writes words without --raw.");
}

TEST_CASE("what rows lack too much of is estimated by chains, with errors, whatever the threads") {
  const ScratchFolder folder;
  std::string header, rows;
  for (int c = 0; c < 18; ++c) header += fmt::format("x{},", c);
  header += "kind\n";
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 18; ++c) rows += fmt::format("{},", (r >> (c % 3)) & 1);
    rows += fmt::format("{}\n", r % 2);
  }
  folder.write("d.csv", header + rows);
  folder.write(
      "c.toml",
      "seed = 2\nprecision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\", label_column = \"kind\" }\n"
      "model = { type = \"rbm\", num_visible = 18, num_hidden = 17, num_labels = 2 }\n"
      "estimator = { type = \"pcd\", num_chains = 20 }\ntraining = { num_epochs = 10, batch_size = 8 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const std::string one = "1" + std::string(17, ',');
  std::string bare = header.substr(0, header.rfind(','));
  folder.write("one.csv", bare + "\n" + one + "\n");
  const auto words = [](const char* threads, const char* seed, const Words& more) {
    Words all{"run",   "one.csv", "--set", "data.missing=nan_columns", "--steps", "1000", "--chains", "32", "--threads",
              threads, "--seed",  seed};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Outcome outcome =
      transformed(folder, words("2", "1", {"--complete", "--errors", "e.csv", "--output", "o.csv"}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(like(
      outcome.out,
      "o.csv: rows completed by E[missing | seen], 1 x 20, 1 row with holes, estimated by 32 chains of 1000 steps "
      "each, standard errors up to * (in e.csv); e.csv has the errors of means by sampling, not the spread of what is "
      "missing (--spread FILE writes that)\n"));
  const auto found = numbers_of(folder / "o.csv"), errors = numbers_of(folder / "e.csv");
  CHECK(found[0][0] == 1.0);
  CHECK(errors[0][0] == 0.0);
  // Rows that lack one column less, and have their class, have a free energy: their sum over that column and class is that of this row.
  std::string asked = header;
  for (const char* second : {"0", "1"})
    for (const char* kind : {"0", "1"}) asked += fmt::format("1,{}{},{}\n", second, std::string(16, ','), kind);
  const auto f = free_energies(folder, "run", asked);
  std::vector<double> p;
  for (const double energy : f) p.push_back(std::exp(f[0] - energy));
  const double all = p[0] + p[1] + p[2] + p[3];
  // Student's t of 31 degrees of freedom is beyond 7 once in 10^7.
  CHECK(std::abs(found[0][1] - (p[2] + p[3]) / all) < 7.0 * errors[0][1]);
  CHECK(std::abs(found[0][19] - (p[1] + p[3]) / all) < 7.0 * errors[0][19]);
  CHECK(errors[0][1] > 0.0);
  CHECK(errors[0][1] < 0.05);

  // As the data has rows, errors are of its columns: of the class that of the probability of the likeliest.
  REQUIRE(transformed(folder, words("2", "1", {"--complete", "--likeliest", "--errors", "le.csv", "--output", "l.csv"}))
              .status == 0);
  const auto of_columns = numbers_of(folder / "le.csv");
  REQUIRE(of_columns[0].size() == 19);
  CHECK(std::vector<double>(of_columns[0].begin(), of_columns[0].begin() + 18) ==
        std::vector<double>(errors[0].begin(), errors[0].begin() + 18));
  CHECK(of_columns[0][18] == errors[0][found[0][19] > found[0][18] ? 19 : 18]);

  const auto content = [&](const char* threads, const char* seed) {
    REQUIRE(transformed(folder, words(threads, seed, {"--complete", "--output", "again.csv"})).status == 0);
    return content_of(folder / "again.csv");
  };
  CHECK(content("1", "1") == content_of(folder / "o.csv"));
  CHECK(content("2", "2") != content_of(folder / "o.csv"));

  const Outcome classes =
      transformed(folder, words("2", "1", {"--layer", "label", "--errors", "pe.csv", "--output", "p.csv"}));
  CHECK(like(classes.out,
             "p.csv: probabilities of layer 'label' given each row, 1 x 2, estimated by 32 chains of 1000 "
             "steps each, standard errors up to * (in pe.csv)\n"));
  const auto told = numbers_of(folder / "p.csv");
  CHECK(std::abs(told[0][1] - (p[1] + p[3]) / all) < 7.0 * numbers_of(folder / "pe.csv")[0][1]);
  CHECK(std::abs(told[0][0] + told[0][1] - 1.0) < 1e-9);
}

TEST_CASE("completed rows have the units of the data, and what they had to the digit") {
  const ScratchFolder folder;
  const std::vector<double> first{2.1, 3.7, 2.9, 4.4, 1.3, 3.2}, second{10.5, 19.25, 14.5, 22.0, 7.75, 16.5};
  std::string text = "a,b\n";
  double mean = 0.0, square = 0.0;
  for (std::size_t r = 0; r < first.size(); ++r) {
    text += fmt::format("{},{}\n", first[r], second[r]);
    mean += second[r] / 6.0;
    square += second[r] * second[r] / 6.0;
  }
  folder.write("d.csv", text);
  folder.write("c.toml",
               "precision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\", standardize = true }\n"
               "model = { type = \"rbm\", num_visible = 2, visible_units = \"gaussian\", num_hidden = 3 }\n"
               "estimator = { type = \"cd\" }\noptimizer = { type = \"sgd\", learning_rate = 0.01 }\n"
               "training = { num_epochs = 100, batch_size = 6 }\n");
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--quiet"});
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  folder.write("holes.csv", "a,b\n2.1,\n4.4,\n1.3,7.75\n");
  REQUIRE(transformed(folder, {"run", "holes.csv", "--complete", "--output", "o.csv"}).status == 0);
  REQUIRE(transformed(folder, {"run", "holes.csv", "--complete", "--raw", "--output", "raw.csv"}).status == 0);
  const auto words = words_of(folder / "o.csv");
  CHECK(words[0][0] == "2.1");
  CHECK(words[2] == Words{"1.3", "7.75"});
  const auto own = numbers_of(folder / "o.csv"), raw = numbers_of(folder / "raw.csv");
  const double scale = std::sqrt(square - mean * mean);
  for (std::size_t r = 0; r < 2; ++r) CHECK(own[r][1] == doctest::Approx(mean + scale * raw[r][1]).epsilon(1e-9));
  CHECK(raw[2][1] == doctest::Approx((7.75 - mean) / scale).epsilon(1e-9));
}

TEST_CASE("what does not go with rows with holes is refused") {
  const Named folder;
  folder.write("holes.csv", "left,middle,right\n1,,0\n");
  const auto refused = [&](const Words& more, const char* pattern) {
    Words words{"run", "holes.csv", "--output", "x.csv"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(transformed(folder, words), 2, pattern);
  };
  refused({"--complete", "--layer", "hidden"},
          "--layer hidden: --complete writes all that is observed. Leave one of the two out.");
  refused({"--complete", "--given-label"},
          "--given-label: --complete keeps all that rows have, and their classes. Leave it out. --clamp label=free has "
          "the classes count as missing.");
  refused({"--complete", "--draws"},
          "--draws: --complete has means. Leave it out, or draw what is missing by 'harmonium sample --clamp FILE'.");
  refused(
      {"--complete", "--phase", "exact"},
      "--phase exact: it says how the means of latent layers are found, and --complete has those of observed units. "
      "Leave it out.");
  refused({"--complete", "--clamp", "left=1"},
          "--clamp left=1: each row holds what it has. Name what counts as missing, LAYER=free, LAYER[UNIT]=free, "
          "LAYER[BEGIN:END]=free or COLUMN=free.");
  refused({"--complete", "--errors", "e.h5"},
          "--errors e.h5: standard errors are written as .csv or .npy. Give a name that ends so.");
  refused({"--complete", "--errors", "x.csv"}, "--errors x.csv: --output names that file already. Give another name.");
  refused({"--layer", "visible"},
          "--layer visible: it is observed. --complete writes rows with the means of what they lack.");
  refused(
      {"--layer", "middle"},
      "--layer middle: it is a column of the model's data, and no layer. --complete --clamp middle=free fills it in, "
      "given the rest of each row. Layers: label, hidden.");
  refused({"--layer", "kind"},
          "--layer kind: it is a column of the model's data, and no layer. --layer label has the probabilities of its "
          "classes. Layers: label, hidden.");
  for (const Words& other : {Words{"--draws"}, Words{"--phase", "exact"}}) {
    const std::string rest =
        fmt::format(": it is for what rows lack, and {} takes complete rows. Leave it out.", fmt::join(other, " "));
    const auto with = [&](Words words) {
      words.insert(words.end(), other.begin(), other.end());
      return words;
    };
    refused(with({"--steps", "5"}), ("--steps" + rest).c_str());
    refused(with({"--chains", "5"}), ("--chains" + rest).c_str());
    refused(with({"--errors", "e.csv"}), ("--errors" + rest).c_str());
    refused(with({"--clamp", "left=free"}), ("--clamp" + rest).c_str());
  }
  refused({"--spread", "s.csv"}, "--spread: it is for what --complete fills in. Leave it out.");
  refused({"--complete", "--spread", "s.h5"},
          "--spread s.h5: standard deviations are written as .csv or .npy. Give a name that ends so.");
  refused({"--raw"}, "--raw: it is for the rows that --complete writes. Leave it out.");
}

}  // namespace completion_test
