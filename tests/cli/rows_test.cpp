#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/tables.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace rows_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// The columns of a file of figures, by their names.
std::map<std::string, std::vector<double>> columns_of(const std::filesystem::path& path) {
  std::map<std::string, std::vector<double>> columns;
  const std::string text = content_of(path);
  std::vector<std::string> names(1);
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == ',') names.emplace_back();
    else names.back() += c;
  }
  for (const auto& words : words_below_header(path))
    for (std::size_t i = 0; i < names.size(); ++i) columns[names[i]].push_back(std::stod(words.at(i)));
  return columns;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

/// −log Σ_h exp(−β E(v, h)) of the foreign model.
double free_energy(unsigned v, double beta) {
  double sum = 0.0;
  for (unsigned h = 0; h < 4; ++h) sum += std::exp(-beta * foreign_energy(v, h));
  return -std::log(sum);
}

}  // namespace

TEST_CASE("the figures of each row are those of its definition, and their means those that are printed") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  for (const double beta : {1.0, 0.5}) {
    const auto printed = judged(folder, {"--data", "d.npy", "--rows", "r.csv", "--beta", beta == 1.0 ? "1" : "0.5"});
    auto columns = columns_of(folder / "r.csv");
    REQUIRE(columns.size() == 4);
    const std::vector<double> numbers = columns.extract("row").mapped();
    for (unsigned v = 0; v < 8; ++v) {
      CHECK(numbers.at(v) == v);
      const double own = free_energy(v, beta);
      double pseudo = 0.0;
      for (unsigned i = 0; i < 3; ++i) pseudo -= std::log1p(std::exp(own - free_energy(v ^ (1u << i), beta)));
      CHECK(columns["free_energy"].at(v) == doctest::Approx(own).epsilon(1e-12));
      CHECK(columns["log_likelihood"].at(v) == doctest::Approx(-own - foreign_log_z(beta)).epsilon(1e-12));
      CHECK(columns["pseudo_log_likelihood"].at(v) == doctest::Approx(pseudo).epsilon(1e-12));
    }
    for (const auto& [name, values] : columns)
      CHECK(mean(values) == doctest::Approx(printed[name].get<double>()).epsilon(1e-13));
    double squares = 0.0;
    for (const double f : columns["free_energy"]) squares += std::pow(f - mean(columns["free_energy"]), 2);
    CHECK(printed["rows_error"].get<double>() == doctest::Approx(std::sqrt(squares / 7.0 / 8.0)).epsilon(1e-12));
  }
}

TEST_CASE("figures of rows in .npy are a structured array with a field for each name") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  judged(folder, {"--data", "d.npy", "--rows", "r.csv"});
  judged(folder, {"--data", "d.npy", "--rows", "r.npy", "--threads", "2"});
  const std::string npy = content_of(folder / "r.npy");
  const std::size_t start = npy.find('\n') + 1;
  CHECK(start % 64 == 0);
  CHECK(like(npy.substr(10, start - 10),
             "{'descr': [('row', '<i8'), ('log_likelihood', '<f8'), ('free_energy', '<f8'), "
             "('pseudo_log_likelihood', '<f8'), ], "
             "'fortran_order': False, 'shape': (8,), }*\n"));
  REQUIRE(npy.size() == start + 8 * 4 * sizeof(double));
  auto columns = columns_of(folder / "r.csv");
  const char* const names[] = {"log_likelihood", "free_energy", "pseudo_log_likelihood"};
  for (std::size_t r = 0; r < 8; ++r) {
    std::int64_t row = -1;
    std::copy_n(npy.data() + start + r * 4 * sizeof row, sizeof row, reinterpret_cast<char*>(&row));
    CHECK(row == static_cast<std::int64_t>(r));
    for (std::size_t c = 0; c < 3; ++c) {
      double value = 0.0;
      std::copy_n(npy.data() + start + (r * 4 + c + 1) * sizeof value, sizeof value, reinterpret_cast<char*>(&value));
      CHECK(value == columns[names[c]][r]);
    }
  }
}

TEST_CASE("a row of which an entry is missing has the free energy of what was seen, and gray rows have no likelihood") {
  const ScratchFolder folder;
  write_foreign_model(folder / "m.h5");
  folder.write("holes.csv", "0,1,0\n1,,1\n1,1,1\n");
  REQUIRE(run(folder, {"evaluate", "m.h5", "--data", "holes.csv:missing=nan", "--rows", "r.csv"}).status == 0);
  auto columns = columns_of(folder / "r.csv");
  CHECK_FALSE(columns.contains("pseudo_log_likelihood"));
  CHECK(columns["free_energy"].at(0) == doctest::Approx(free_energy(2, 1.0)).epsilon(1e-12));
  const double filled = -std::log(std::exp(-free_energy(5, 1.0)) + std::exp(-free_energy(7, 1.0)));
  CHECK(columns["free_energy"].at(1) == doctest::Approx(filled).epsilon(1e-12));
  CHECK(columns["log_likelihood"].at(1) - columns["log_likelihood"].at(0) ==
        doctest::Approx(columns["free_energy"].at(0) - filled).epsilon(1e-12));
  CHECK(columns["free_energy"].at(2) == doctest::Approx(free_energy(7, 1.0)).epsilon(1e-12));
  folder.write("gray.csv", "0.5,0.5,0.5\n0,1,1\n");
  REQUIRE(run(folder, {"evaluate", "m.h5", "--data", "gray.csv", "--rows", "g.csv"}).status == 0);
  CHECK(content_of(folder / "g.csv").starts_with("row,free_energy\n"));
}

TEST_CASE("--split judges a part of a run's own rows alone, row by row too") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set", "data.validation=5"}).status == 0);
  const auto json = [&](Words words) {
    words.insert(words.begin(), {"evaluate", "run", "--json"});
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto both = json({})["splits"];
  const auto alone = json({"--split", "validation", "--rows", "v.csv"});
  CHECK(alone["num_samples"] == 5);
  CHECK(alone["log_likelihood"] == both["validation"]["log_likelihood"]);
  CHECK(alone["log_likelihood"] != both["training"]["log_likelihood"]);
  const std::vector<double> rows = columns_of(folder / "v.csv")["log_likelihood"];
  REQUIRE(rows.size() == 5);
  double mean = 0.0;
  for (const double of_row : rows) mean += of_row / 5.0;
  CHECK(mean == doctest::Approx(alone["log_likelihood"].get<double>()).epsilon(1e-12));
  CHECK(json({"--split", "training"})["log_likelihood"] == both["training"]["log_likelihood"]);

  const auto refused = [&](Words words, const char* pattern) {
    words.insert(words.begin(), "evaluate");
    check_refusal(run(folder, words), 2, pattern);
  };
  refused({"run", "--split", "validaton"},
          "--split validaton: the run has no such rows (did you mean 'validation'?). It has: training, validation.");
  refused({"run", "--split", "test"}, "--split test: the run has no such rows. It has: training, validation.");
  refused({"run", "--split", "training", "--data", "bars_and_stripes"},
          "--split training: --data names the rows already. Leave one of the two out.");
  refused({"run", "--split", "training", "--set", "data={type=\"bars_and_stripes\", side=3}"},
          "--split training: settings of data (--set data...) name rows of their own. Leave one of the two out.");
  // Of any model of the run.
  const Outcome of_file = run(folder, {"evaluate", "run/model.h5", "--split", "training", "--json"});
  REQUIRE(of_file.status == 0);
  CHECK(nlohmann::json::parse(of_file.out)["log_likelihood"] == both["training"]["log_likelihood"]);
  write_foreign_model(folder / "m.h5");
  refused({"m.h5", "--split", "training"},
          "m.h5: the model does not say which data it was trained on. Add --data FILE.");
  refused({"run", "--split", "training", "--betas", "0.5,1"},
          "--split training: --betas takes the rows of --data, or none. Give --beta, or leave --split out.");
}

TEST_CASE("figures of rows tell which row of the file each is, and its class") {
  const ScratchFolder folder;
  // The class is the middle column, so that a row and its class are told from its bits.
  std::string text = "left,middle,right,kind\n", numbered;
  for (unsigned r = 0; r < 12; ++r) {
    const std::string bits = fmt::format("{},{},{}", r & 1, r >> 1 & 1, r >> 2 & 1);
    text += fmt::format("{},{}\n", bits, r >> 1 & 1 ? "sea" : "land");
    numbered += fmt::format("{},{}\n", bits, r >> 1 & 1);
  }
  folder.write("words.csv", text);
  folder.write("numbers.csv", numbered);
  const std::string common = R"(, validation = 5, label_column = "last" }
model = { type = "rbm", num_visible = 3, num_hidden = 2, num_labels = 2 }
estimator = "exact"
training = { num_epochs = 2, batch_size = 3 }
)";
  for (const std::string kind : {"words", "numbers"}) {
    folder.write(kind + ".toml", fmt::format("data = {{ type = \"csv\", path = \"{}.csv\"", kind) + common);
    REQUIRE(run(folder, {"train", kind + ".toml", "--output", kind, "--quiet"}).status == 0);
    const auto lines = [&](const Words& rows) {
      Words words{"evaluate", kind, "--rows", "r.csv"};
      words.insert(words.end(), rows.begin(), rows.end());
      const Outcome outcome = run(folder, words);
      INFO(outcome.err);
      REQUIRE(outcome.status == 0);
      return csv_fields(folder / "r.csv");
    };
    const auto all = lines({"--data", kind + ".csv"});
    REQUIRE(all.size() == 13);
    CHECK(Words(all[0].begin(), all[0].begin() + 3) == Words{"row", "class", "log_likelihood"});
    std::size_t found = 0;
    const Words names = kind == "words" ? Words{"land", "sea"} : Words{"0", "1"};
    for (const char* part : {"training", "validation"}) {
      const auto own = lines({"--split", part});
      for (std::size_t i = 1; i < own.size(); ++i, ++found) {
        const std::size_t r = std::stoul(own[i][0]);
        CHECK(own[i][1] == names[r >> 1 & 1]);
        REQUIRE(r < 12);
        CHECK(all[r + 1][0] == own[i][0]);
        CHECK(all[r + 1][1] == own[i][1]);
        CHECK(std::stod(all[r + 1][2]) == doctest::Approx(std::stod(own[i][2])).epsilon(1e-5));
      }
    }
    CHECK(found == 12);
  }
  // Rows without classes, some of them taken at random, are those of the file all the same.
  std::string bare;
  for (unsigned r = 0; r < 8; ++r) bare += fmt::format("{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1);
  folder.write("bare.csv", bare);
  const auto figures = [&](const Words& more) {
    Words words{"evaluate", "numbers", "--data", "bare.csv", "--rows", "b.csv"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return columns_of(folder / "b.csv");
  };
  auto whole = figures({}), some = figures({"--set", "data.rows=4"});
  CHECK_FALSE(whole.contains("class"));
  REQUIRE(some["row"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(some["free_energy"][i] ==
          doctest::Approx(whole["free_energy"].at(static_cast<std::size_t>(some["row"][i]))).epsilon(1e-5));
}

TEST_CASE("figures of rows tell the class that is predicted, by its name, and how probable it is") {
  const ScratchFolder folder;
  // Rows of the same bits have both classes, so that no prediction is right of all of them, and none wrong of all.
  const auto rows_of = [](const auto& word) {
    std::string text = "left,middle,right,kind\n";
    for (unsigned r = 0; r < 12; ++r) text += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, word(r));
    return text;
  };
  const auto own = [](unsigned r) { return ((r >> 1 & 1) != 0) != (r >= 8) ? "sea" : "land"; };
  folder.write("own.csv", rows_of(own));
  folder.write("land.csv", rows_of([](unsigned) { return "land"; }));
  folder.write("sea.csv", rows_of([](unsigned) { return "sea"; }));
  folder.write("c.toml",
               "precision = \"float64\"\ndata = { type = \"csv\", path = \"own.csv\", label_column = \"kind\" }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, num_labels = 2 }\nestimator = \"exact\"\n"
               "training = { num_epochs = 20, batch_size = 3 }\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const auto judge = [&](const Words& more) {
    Words words{"evaluate", "run", "--json", "--data"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto printed = judge({"own.csv", "--rows", "own_rows.csv"});
  judge({"land.csv", "--rows", "land_rows.csv"});
  judge({"sea.csv", "--rows", "sea_rows.csv"});
  const auto found = csv_fields(folder / "own_rows.csv"), land = csv_fields(folder / "land_rows.csv"),
             sea = csv_fields(folder / "sea_rows.csv");
  CHECK(found[0] == Words{"row", "class", "log_likelihood", "free_energy", "pseudo_log_likelihood", "predicted_class",
                          "predicted_probability", "accuracy", "label_log_likelihood"});
  REQUIRE(found.size() == 13);
  double accuracy = 0.0, likelihood = 0.0;
  for (std::size_t i = 1; i < found.size(); ++i) {
    // p(sea | x) = 1 / (1 + exp(F(x, sea) - F(x, land)))
    const double p_sea = 1.0 / (1.0 + std::exp(std::stod(sea[i][3]) - std::stod(land[i][3])));
    const bool says_sea = p_sea > 0.5, is_sea = own(static_cast<unsigned>(i - 1)) == std::string("sea");
    CHECK(found[i][5] == (says_sea ? "sea" : "land"));
    CHECK(std::stod(found[i][6]) == doctest::Approx(says_sea ? p_sea : 1.0 - p_sea).epsilon(1e-12));
    CHECK(std::stod(found[i][7]) == (says_sea == is_sea ? 1.0 : 0.0));
    CHECK(std::stod(found[i][8]) == doctest::Approx(std::log(is_sea ? p_sea : 1.0 - p_sea)).epsilon(1e-11));
    accuracy += std::stod(found[i][7]) / 12.0;
    likelihood += std::stod(found[i][8]) / 12.0;
  }
  CHECK(printed["accuracy"].get<double>() == doctest::Approx(accuracy).epsilon(1e-13));
  CHECK(printed["label_log_likelihood"].get<double>() == doctest::Approx(likelihood).epsilon(1e-12));
  CHECK(accuracy > 0.0);
  CHECK(accuracy < 1.0);
  CHECK(like(run(folder, {"evaluate", "run", "--data", "own.csv"}).out,
             "*\nlog_likelihood * nats a sample and its label together\n*"
             "\npseudo_log_likelihood * nats a sample, its label among the units\n*"));
  // Rows without classes have a prediction too, by the words of the training data.
  std::string bare;
  for (unsigned r = 0; r < 12; ++r) bare += fmt::format("{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1);
  folder.write("bare.csv", "left,middle,right\n" + bare);
  judge({"bare.csv", "--rows", "bare_rows.csv"});
  const auto unlabeled = csv_fields(folder / "bare_rows.csv");
  CHECK(unlabeled[0] == Words{"row", "log_likelihood", "free_energy", "predicted_class", "predicted_probability"});
  REQUIRE(unlabeled.size() == 13);
  for (std::size_t i = 1; i < 13; ++i) {
    CHECK(unlabeled[i][3] == found[i][5]);
    CHECK(std::stod(unlabeled[i][4]) == doctest::Approx(std::stod(found[i][6])).epsilon(1e-12));
  }
  judge({"own.csv", "--rows", "r.npy"});
  CHECK(content_of(folder / "r.npy").find("('predicted_class', '<U4'), ('predicted_probability', '<f8')") !=
        std::string::npos);
}

TEST_CASE("--rows refuses what it cannot write, and what has no figure of a row") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, {"train", "small.toml", "--output", "dealt", "--quiet", "--set", "data.validation=5"}).status ==
          0);
  check_refusal(run(folder, {"evaluate", "dealt", "--rows", "r.csv"}), 2,
                "--rows r.csv: it has the figures of one set of rows. Name that by --data, or one of the run's own by "
                "--split.");
  check_refusal(run(folder, {"evaluate", "run/model.h5", "--rows", "r.csv"}), 2,
                "--rows r.csv: it has the figures of one set of rows. Name that by --data.");
  check_refusal(run(folder, {"evaluate", "run", "--data", "bars_and_stripes", "--rows", "r.h5"}), 2,
                "--rows r.h5: the figures of rows are written as .csv or .npy. Give a name that ends so.");
  check_refusal(run(folder, {"evaluate", "run", "--data", "bars_and_stripes", "--rows", "no/r.csv"}), 1,
                "--rows no/r.csv: there is no folder no. Create it first.");
  REQUIRE(run(folder, {"train", "small.toml", "--output", "deep", "--quiet", "--set",
                       "model={type=\"deep\", num_visible=9, num_hidden=[20,20]}", "--set", "training.num_epochs=1"})
              .status == 0);
  check_refusal(
      run(folder, {"evaluate", "deep", "--data", "bars_and_stripes", "--rows", "r.csv"}), 2,
      "--rows r.csv: the model has no figure of a single row: its latent units are coupled given the observed "
      "ones, and too many to enumerate. Without --rows the mean over rows is estimated.");
  CHECK_FALSE(std::filesystem::exists(folder / "r.csv"));
  // Of a run that has but one set of rows none needs a name.
  CHECK(run(folder, {"evaluate", "run", "--rows", "r.csv"}).status == 0);
  CHECK(run(folder, {"evaluate", "run", "--split", "training", "--rows", "named.csv"}).status == 0);
  CHECK(content_of(folder / "r.csv") == content_of(folder / "named.csv"));
}

}  // namespace rows_test
