// Likelihoods that a report computed, and that are kept for comparisons.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/tests/support/runs.hpp>

#include "files.hpp"

namespace kept_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

constexpr const char* figure = "all_rows.log_likelihood";

/// As of a run whose log Z takes too long: no likelihood of all rows at its end.
double forget_end(const fs::path& run) {
  const double found = nlohmann::json::parse(content_of(run / "final.jsonl"))["log_likelihood"].get<double>();
  fs::remove(run / "final.jsonl");
  return found;
}

nlohmann::json figures_of(const ScratchFolder& folder, const Words& runs) {
  Words words{"compare", "--json"};
  words.insert(words.end(), runs.begin(), runs.end());
  const Outcome outcome = run(folder, words);
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)[0]["figures"];
}

}  // namespace

TEST_CASE("a comparison and the table of a sweep have the likelihoods that a report computed") {
  const CliFolder folder;
  folder.write("seeds.toml", "base = \"small.toml\"\nseed = [1, 2]\n");
  REQUIRE(run(folder, {"sweep", "seeds.toml", "--quiet"}).status == 0);
  double first = 0.0;
  const std::string first_run = csv_fields(folder / "seeds/sweep.csv")[1][0];
  for (const auto& made : fs::directory_iterator(folder / "seeds/runs")) {
    const double found = forget_end(made.path());
    if (first_run == "runs/" + made.path().filename().string()) first = found;
  }
  CHECK_FALSE(figures_of(folder, {"seeds"}).contains(figure));
  REQUIRE(run(folder, {"report", "seeds", "--no-likelihood", "--no-diagnosis"}).status == 0);
  CHECK_FALSE(figures_of(folder, {"seeds"}).contains(figure));
  REQUIRE(run(folder, {"report", "seeds", "--no-diagnosis"}).status == 0);
  const nlohmann::json known = figures_of(folder, {"seeds"})[figure];
  CHECK(known["value"].get<double>() == doctest::Approx(first).epsilon(1e-9));
  CHECK(known["error"].get<double>() > 0.0);
  REQUIRE(run(folder, {"sweep", "seeds.toml", "--gather", "--quiet"}).status == 0);
  CHECK(content_of(folder / "seeds/sweep.csv").find(std::string(",") + figure + "," + figure + "_error,") !=
        std::string::npos);
}

TEST_CASE("likelihoods that are kept are of one model, and go where the run goes on") {
  const CliFolder folder;
  for (const char* name : {"one", "two"})
    REQUIRE(run(folder, {"train", "small.toml", "--output", name, "--quiet", "--set", "training.checkpoint_every=1"})
                .status == 0);
  const double found = forget_end(folder / "one");
  REQUIRE(run(folder, {"report", "one", "--no-diagnosis", "--no-pictures"}).status == 0);
  CHECK(figures_of(folder, {"one", "two"})[figure]["value"].get<double>() == doctest::Approx(found).epsilon(1e-9));
  // A run that has its own likelihood keeps no other.
  REQUIRE(run(folder, {"report", "two", "--no-diagnosis", "--no-pictures"}).status == 0);
  CHECK_FALSE(fs::exists(folder / "two/likelihood.toml"));

  const std::string kept = content_of(folder / "one/likelihood.toml"), sum = content_of(folder / "one/model.h5.sha256");
  folder.write("one/model.h5.sha256", std::string(64, '0') + "  model.h5\n");
  CHECK_FALSE(figures_of(folder, {"one", "two"}).contains(figure));
  folder.write("one/model.h5.sha256", sum);
  folder.write("one/likelihood.toml", kept.substr(0, kept.find("[figures]")) +
                                          "[figures]\nlog_likelihood_low = -9.0\nlog_likelihood_high = -8.0\n");
  const nlohmann::json apart = figures_of(folder, {"one", "two"})[figure];
  CHECK(apart["value"].is_null());
  CHECK(apart["interval"] == nlohmann::json{-9.0, -8.0});
  folder.write("one/likelihood.toml", "seed = 1\n");
  check_refusal(
      run(folder, {"compare", "one", "two"}), 2,
      "one/likelihood.toml: this is no file of likelihoods that 'harmonium report' wrote. Remove it, and make "
      "the report again.");
  folder.write("one/likelihood.toml", kept);

  REQUIRE(run(folder, {"resume", "one", "--epochs", "6", "--quiet"}).status == 0);
  CHECK_FALSE(fs::exists(folder / "one/likelihood.toml"));
}

}  // namespace kept_likelihood_test
