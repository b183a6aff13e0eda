// evaluate MODEL --against OTHER --rows FILE: a line for each row, with the figures of both models.
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace paired_rows_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

using Table = std::map<std::string, Words>;

/// The words of each column of a file, by its name.
Table table_of(const std::filesystem::path& path) {
  Table table;
  const auto lines = csv_fields(path);
  for (std::size_t r = 1; r < lines.size(); ++r)
    for (std::size_t c = 0; c < lines[0].size(); ++c) table[lines[0][c]].push_back(lines[r].at(c));
  return table;
}

std::vector<double> numbers(const Table& table, const std::string& name) {
  REQUIRE(table.contains(name));
  std::vector<double> all;
  for (const std::string& word : table.at(name)) all.push_back(std::stod(word));
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

/// Machines with classes that were trained on the same rows, "short" in single precision, and "long".
class TwoModels : public ScratchFolder {
 public:
  TwoModels() {
    std::string rows = "left,middle,right,kind\n";
    for (unsigned r = 0; r < 12; ++r)
      rows += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, (r & 3) == 1 || r == 6 ? "sea" : "land");
    write("d.csv", rows);
    for (const char* name : {"short", "long"}) {
      const bool is_short = name == std::string("short");
      write("c.toml", fmt::format("precision = \"{}\"\n"
                                  "data = {{ type = \"csv\", path = \"d.csv\", label_column = \"kind\" }}\n"
                                  "model = {{ type = \"rbm\", num_visible = 3, num_hidden = 2, num_labels = 2 }}\n"
                                  "estimator = \"exact\"\noptimizer = {{ type = \"sgd\", learning_rate = 0.5 }}\n"
                                  "training = {{ num_epochs = {}, batch_size = 3 }}\n",
                                  is_short ? "float32" : "float64", is_short ? 3 : 300));
      REQUIRE(run(*this, {"train", "c.toml", "--output", name, "--quiet"}).status == 0);
    }
  }
};

}  // namespace

TEST_CASE("a line for each row has the figures of both models, and their means are what is printed") {
  const TwoModels folder;
  const json part = evaluated(folder, {"long", "--against", "short", "--rows", "both.csv"})["parts"][0];
  const Table both = table_of(folder / "both.csv");
  std::map<std::string, Table> alone;
  for (const char* name : {"long", "short"}) {
    evaluated(folder, {name, "--rows", "alone.csv"});
    alone[name] = table_of(folder / "alone.csv");
  }
  CHECK(both.at("row") == alone["long"].at("row"));
  CHECK(both.at("class") == alone["long"].at("class"));
  CHECK(both.at("predicted_class") == alone["long"].at("predicted_class"));
  CHECK(both.at("against_predicted_class") == alone["short"].at("predicted_class"));
  CHECK(both.at("predicted_class") != both.at("against_predicted_class"));
  for (const std::string name : {"log_likelihood", "pseudo_log_likelihood", "accuracy", "label_log_likelihood"}) {
    CAPTURE(name);
    const auto one = numbers(both, name), other = numbers(both, "against_" + name),
               difference = numbers(both, name + "_difference");
    CHECK(both.at(name) == alone["long"].at(name));
    CHECK(both.at("against_" + name) == alone["short"].at(name));
    REQUIRE(one.size() == 12);
    for (std::size_t r = 0; r < one.size(); ++r)
      CHECK(difference[r] == doctest::Approx(one[r] - other[r]).epsilon(1e-12));
    const json& figure = part["figures"][name];
    CHECK(mean(one) == doctest::Approx(figure["model"].get<double>()).epsilon(1e-12));
    CHECK(mean(other) == doctest::Approx(figure["against"].get<double>()).epsilon(1e-12));
    CHECK(mean(difference) == doctest::Approx(figure["difference"].get<double>()).epsilon(1e-12));
  }
  // One set of rows of several is named.
  REQUIRE(run(folder, {"train", "c.toml", "--output", "dealt", "--quiet", "--set", "data.validation=4"}).status == 0);
  check_refusal(run(folder, {"evaluate", "dealt", "--against", "dealt/model.h5", "--rows", "r.csv"}), 2,
                "--rows r.csv: it has the figures of one set of rows, and the runs have training rows, validation "
                "rows. Name one by --split, or others by --data.");
  evaluated(folder, {"dealt", "--against", "dealt/model.h5", "--split", "validation", "--rows", "r.csv"});
  CHECK(table_of(folder / "r.csv").at("row").size() == 4);
}

TEST_CASE("figures of both models in different units are those of the data, and differ by what draws of both say") {
  const ScratchFolder folder;
  folder.write("d.csv", "10,1\n14,3\n18,2\n12,5\n16,4\n11,2\n");
  for (const std::string scale : {"standardize = true", "scale = 0.1"}) {
    folder.write("c.toml",
                 "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"d.csv\"\n" + scale +
                     "\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 3\nvisible_units = \"gaussian\"\n"
                     "[estimator]\ntype = \"pcd\"\n[training]\nnum_epochs = 20\nbatch_size = 6\n");
    REQUIRE(run(folder, {"train", "c.toml", "--output", scale.substr(0, 5), "--quiet"}).status == 0);
  }
  for (const char* way : {"exact", "ais"}) {
    CAPTURE(way);
    const json figure = evaluated(folder, {"stand", "--against", "scale", "--data", "d.csv", "--rows", "r.npy",
                                           "--log-z", way})["parts"][0]["figures"]["log_likelihood"];
    evaluated(folder, {"stand", "--against", "scale", "--data", "d.csv", "--rows", "r.csv", "--log-z", way});
    const Table rows = table_of(folder / "r.csv");
    for (const auto& [column, printed] : {std::pair{"log_likelihood", "model"},
                                          {"against_log_likelihood", "against"},
                                          {"log_likelihood_difference", "difference"}})
      CHECK(mean(numbers(rows, column)) == doctest::Approx(figure[printed].get<double>()).epsilon(1e-10));
    CHECK(std::filesystem::file_size(folder / "r.npy") > 6 * 6 * sizeof(double));
  }
}

TEST_CASE("a table of both models is refused before anything is judged where it cannot be written") {
  const TwoModels folder;
  const auto refused = [&](const Words& more, int status, const std::string& pattern) {
    Words words{"evaluate", "long", "--against", "short"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), status, pattern);
  };
  refused({"--rows", "d.csv"}, 2,
          "--rows d.csv: that is the file which the command reads (*d.csv). Give another name.");
  refused({"--rows", "r.txt"}, 2, "--rows r.txt: the figures of rows are written as .csv or .npy. *");
  refused({"--rows", "no/r.csv"}, 1, "--rows no/r.csv: there is no folder no. Create it first.");
  folder.write("edges.csv", "0,1,0.5\n");
  REQUIRE(run(folder, {"import", "edges.csv", "--output", "pair.h5"}).status == 0);
  check_refusal(run(folder, {"evaluate", "pair.h5", "--against", "pair.h5", "--rows", "r.csv"}), 2,
                "--rows: it is of rows, and --against pair.h5 has none to compare on. Add --data FILE, or leave "
                "--rows out.");
  CHECK_FALSE(std::filesystem::exists(folder / "r.csv"));
}

}  // namespace paired_rows_test
