// Of which epoch and rows the figures of a sweep are.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace sweep_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// The cells of a column of sweep.csv; none where it has no such column.
Words column(const fs::path& table, const std::string& name) {
  const std::vector<Words> rows = csv_fields(table);
  const auto at = std::ranges::find(rows[0], name) - rows[0].begin();
  Words cells;
  if (static_cast<std::size_t>(at) == rows[0].size()) return cells;
  for (std::size_t r = 1; r < rows.size(); ++r) cells.push_back(rows[r].at(static_cast<std::size_t>(at)));
  return cells;
}

/// Four runs of four epochs, whose likelihood is measured along the way after the third one alone, and at their ends.
void write_seldom(const ScratchFolder& folder) {
  std::string config(small_config);
  config += "\n[[observers]]\ntype = \"log_likelihood\"\nevery = 3\n";
  folder.write("seldom.toml", config);
  folder.write("widths.toml", "base = \"seldom.toml\"\nseed = [1, 2]\n[grid]\n\"model.num_hidden\" = [3, 5]\n");
}

/// Takes what was measured at the runs' ends out of their logs, as runs have it that take too long for that.
void forget_ends(const fs::path& sweep) {
  for (const auto& run : fs::directory_iterator(sweep / "runs")) {
    const fs::path log = run.path() / "metrics.jsonl";
    std::string lines = content_of(log);
    lines.resize(lines.rfind('\n', lines.size() - 2) + 1);
    std::ofstream(log, std::ios::trunc) << lines;
  }
}

/// What gnuplot is given for the figures of a sweep, by what stands in its place.
std::string script_of_gathering(const ScratchFolder& folder) {
  fs::create_directories(folder / "programs");
  folder.write("programs/gnuplot", "#!/bin/sh\ncat \"$2\" > '" + (folder / "script").string() + "'\n");
  fs::permissions(folder / "programs/gnuplot", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ((folder / "programs").string() + ":" + path).c_str(), 1);
  const Outcome outcome = run(folder, {"sweep", "widths.toml", "--gather", "--quiet"});
  ::setenv("PATH", path.c_str(), 1);
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
  return content_of(folder / "script");
}

}  // namespace

TEST_CASE("a sweep compares the likelihoods of all rows at the runs' ends, and tells the epoch of what is earlier") {
  const CliFolder folder;
  write_seldom(folder);
  REQUIRE(run(folder, {"sweep", "widths.toml", "--quiet"}).status == 0);
  const fs::path table = folder / "widths/sweep.csv";
  const Words runs = column(table, "run"), likelihoods = column(table, "all_rows.log_likelihood"),
              errors = column(table, "all_rows.log_likelihood_error");
  REQUIRE(runs.size() == 4);
  REQUIRE(likelihoods.size() == 4);
  REQUIRE(errors.size() == 4);
  for (std::size_t r = 0; r < 4; ++r) {
    const auto found = nlohmann::json::parse(content_of(folder / "widths" / runs[r] / "final.jsonl"));
    CHECK(found["epoch"] == 4);
    CHECK(std::stod(likelihoods[r]) == found["log_likelihood"].get<double>());
    CHECK(std::stod(errors[r]) == doctest::Approx(found["log_likelihood_error"].get<double>()).epsilon(1e-12));
  }
  CHECK(column(table, "log_likelihood").empty());
  CHECK(column(table, "all_rows.log_likelihood_epoch").empty());
  CHECK(column(table, "log_z_epoch").empty());
  forget_ends(folder / "widths");
  REQUIRE(run(folder, {"sweep", "widths.toml", "--gather", "--quiet"}).status == 0);
  CHECK(column(table, "all_rows.log_likelihood") == likelihoods);
  CHECK(column(table, "log_z_epoch") == Words(4, "3"));
  const std::string script = script_of_gathering(folder);
  CHECK(script.find("all_rows.log_likelihood") != std::string::npos);
  CHECK(script.find("log_likelihood at 3") == std::string::npos);

  // Where one run has no such likelihood, those along the runs stay, with their epoch.
  fs::remove(folder / "widths" / runs[1] / "final.jsonl");
  CHECK(script_of_gathering(folder).find("log_likelihood at 3") != std::string::npos);
  CHECK(column(table, "all_rows.log_likelihood") == Words{likelihoods[0], "", likelihoods[2], likelihoods[3]});
  CHECK(column(table, "log_likelihood_epoch") == Words(4, "3"));
  for (const std::string& value : column(table, "log_likelihood")) CHECK(std::stod(value) < 0.0);
}

TEST_CASE("a sweep and means over its seeds are sorted by the likelihood of all rows where its plain name is given") {
  const CliFolder folder;
  write_seldom(folder);
  REQUIRE(run(folder, {"sweep", "widths.toml", "--quiet"}).status == 0);
  const auto gathered = [&](const std::string& figure) {
    return run(folder, {"sweep", "widths.toml", "--gather", "--sort", figure});
  };
  const Outcome outcome = gathered("log_likelihood");
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  CHECK(like(outcome.out, "*sweep.csv: sorted by all_rows.log_likelihood, the greatest first; without it last\n*"));
  const fs::path table = folder / "widths/sweep.csv";
  std::vector<double> values;
  for (const std::string& cell : column(table, "all_rows.log_likelihood")) values.push_back(std::stod(cell));
  CHECK(values.size() == 4);
  CHECK(std::ranges::is_sorted(values, std::ranges::greater{}));
  const std::string sorted = content_of(table);
  REQUIRE(gathered("all_rows.log_likelihood").status == 0);
  CHECK(content_of(table) == sorted);
  CHECK(gathered("test_log_likelihood").status == 2);

  for (const bool json : {false, true}) {
    CAPTURE(json);
    const auto means = [&](const std::string& figure) {
      Words words{"compare", "widths", "--means", "--sort", figure};
      if (json) words.push_back("--json");
      return run(folder, words);
    };
    CHECK(means("log_likelihood").status == 0);
    CHECK(means("log_likelihood").out == means("all_rows.log_likelihood").out);
  }
}

TEST_CASE("a sweep's folder stands for its runs with --json too, and where it has one run") {
  const CliFolder folder;
  write_seldom(folder);
  REQUIRE(run(folder, {"sweep", "widths.toml", "--quiet"}).status == 0);
  const Words runs = column(folder / "widths/sweep.csv", "run");
  const auto all = nlohmann::json::parse(run(folder, {"compare", "widths", "--json"}).out);
  REQUIRE(all.size() == runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) CHECK(all[r]["run"] == "widths/" + runs[r]);

  REQUIRE(run(folder, {"sweep", "widths.toml", "--quiet", "--output", "task", "--task", "2/4"}).status == 0);
  REQUIRE(run(folder, {"sweep", "widths.toml", "--quiet", "--output", "task", "--gather"}).status == 1);
  const Outcome one = run(folder, {"compare", "task", "--json"});
  CHECK(one.err == "");
  REQUIRE(one.status == 0);
  const auto json = nlohmann::json::parse(one.out);
  REQUIRE(json.size() == 1);
  CHECK(json[0]["run"] == "task/" + runs[1]);
  CHECK(json[0]["figures"].contains("all_rows.log_likelihood"));
  CHECK(run(folder, {"compare", "task"}).status == 0);
}

}  // namespace sweep_likelihood_test
