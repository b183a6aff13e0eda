#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "files.hpp"

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// A study of seconds.
const Words small{
    "study",   "estimators",         "--set", "size=4",
    "--set",   "num_seeds=2",        "--set", "updates=[200, 2000]",
    "--set",   "repeats=400",        "--set", "warm_up=50",
    "--set",   "gibbs_steps=[1, 4]", "--set", R"(estimators=["exact", "cd", "unbiased_cd", "pseudo_likelihood"])",
    "--output"};

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::map<std::string, std::string>> read_table(const fs::path& path) {
  std::istringstream lines(content_of(path));
  std::vector<Words> rows;
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  std::vector<std::map<std::string, std::string>> table;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    table.emplace_back();
    for (std::size_t c = 0; c < rows[0].size(); ++c) table.back()[rows[0][c]] = rows[r].at(c);
  }
  return table;
}

}  // namespace

TEST_CASE("the study of estimators writes a table and a figure, the same on any number of threads but for seconds") {
  const ScratchFolder folder;
  const Outcome outcome = run(folder, with(small, {"one", "--threads", "1"}));
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(like(outcome.out,
             "after 2000 updates, means over 2 seeds\n*unbiased_cd *pseudo_likelihood *one/estimators.csv\n"));
  auto table = read_table(folder / "one/estimators.csv");
  // 2 seeds, 2 stages; two estimators have two k.
  REQUIRE(table.size() == 2 * 2 * 6);
  for (const auto& row : table) {
    const auto number = [&](const char* name) { return std::stod(row.at(name)); };
    CAPTURE(row.at("estimator"));
    CHECK(number("seconds") > 0.0);
    CHECK(number("products") > 0.0);
    CHECK(number("cosine") <= 1.0 + 1e-12);
    if (row.at("estimator") == "exact") {
      CHECK(row.at("k") == "");
      CHECK(number("cosine") == doctest::Approx(1.0));
      CHECK(number("bias") < 1e-12);
      CHECK(number("cosine_at_equal_seconds") == doctest::Approx(1.0));
    }
    // Without bias: what is left of the distance once noise is taken off is noise again, of the same size.
    if (row.at("estimator") == "unbiased_cd") CHECK(number("bias") < 3.0 * number("standard_error"));
    if (row.at("estimator") == "pseudo_likelihood") {
      CHECK(number("variance") < 1e-20);
      CHECK(number("bias") > 1e-3);
    }
    // What noise takes from the cosine.
    if (row.at("estimator") == "cd") CHECK(number("cosine_at_equal_products") < number("cosine") + 0.01);
  }
  if (fs::exists(folder / "one/equal_compute.gp")) {
    CHECK(content_of(folder / "one/equal_compute.svg").find("<svg") != std::string::npos);
    CHECK(fs::exists(folder / "one/equal_compute.png"));
  }

  CHECK(run(folder, with(small, {"three", "--threads", "3"})).status == 0);
  auto again = read_table(folder / "three/estimators.csv");
  for (auto* t : {&table, &again})
    for (auto& row : *t)
      for (const char* measured : {"seconds", "cosine_at_equal_seconds"}) row.erase(measured);
  CHECK(table == again);
}

TEST_CASE("a study of estimators that cannot be meant is refused before anything is computed") {
  const ScratchFolder folder;
  const auto refused = [&](std::initializer_list<const char*> arguments, const char* why) {
    check_refusal(run(folder, with({"study", "estimators"}, arguments)), 2, why);
    CHECK(!fs::exists(folder / "estimators"));
  };
  refused({"--set", R"(estimators=["ratio"])"}, "estimator 'ratio' is not registered*");
  refused({"--set", R"(estimators=["score_matching"])"},
          "estimator 'score_matching': it follows the density along continuous units, *");
  refused({"--set", "gibbs_steps=[1.5]"},
          "*'gibbs_steps' holds 1.5, and whole numbers from 1 to 10000000 are expected.");
  refused({"--set", "updates=[]"}, "*'updates' is empty, which leaves nothing to study.");
  refused({"--set", "data_set=one_ball"}, "*'data_set' is 'one_ball'*Known: diagonal, one_d_ball.");
}
