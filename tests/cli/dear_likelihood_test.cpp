// What is said where no likelihood of a run is measured, for what log Z would take.
#include <string>

#include <doctest/doctest.h>

#include <harmonium/tests/support/runs.hpp>

#include "files.hpp"

namespace dear_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

constexpr const char* dear_words =
    "log Z takes so long that it is due once in * epochs, and the run has 1. Nor is it of the model at the end, "
    "which would take some * seconds of one core. Set its "
    "'every', as in --set 'observers=[{type=\"log_likelihood\",every=1}]', or ask 'harmonium evaluate RUN' for it "
    "afterwards.";

/// What makes the small run one of 2^25 states.
const Words dear{"--epochs", "1", "--set", "data.side=5", "--set", "model.num_visible=25"};

}  // namespace

TEST_CASE("a run that has no likelihood at its end, for what log Z would take, says so when it begins") {
  const CliFolder folder;
  Words words{"train", "small.toml", "--output", "run", "--set", "model.num_hidden=25"};
  words.insert(words.end(), dear.begin(), dear.end());
  const Outcome outcome = run(folder, words);
  CHECK(outcome.status == 0);
  const std::string words_told = "*harmonium: note: log_likelihood is not measured: " + std::string(dear_words) + "\n*";
  CHECK(like(outcome.err, words_told));
  CHECK(content_of(folder / "run/metrics.jsonl").find("\"log_likelihood\"") == std::string::npos);
  // Once: a run that goes on has said it.
  CHECK_FALSE(like(run(folder, {"resume", "run"}).err, words_told));
  words[5] = "model.num_hidden=5";
  words[3] = "quick";
  const Outcome quick = run(folder, words);
  CHECK(quick.status == 0);
  CHECK(quick.err.find("not measured") == std::string::npos);
  CHECK(content_of(folder / "quick/metrics.jsonl").find("\"log_likelihood\"") != std::string::npos);
}

TEST_CASE("what takes some seconds is measured at the end of a run, without being asked for") {
  const CliFolder folder;
  const auto explained = [&](const char* hidden) {
    std::string out = run(folder, {"explain", "small.toml", "--no-timing", "--epochs", "1", "--set",
                                   "data={type=\"diagonal\",size=784}", "--set", "model.num_visible=784", "--set",
                                   std::string("model.num_hidden=") + hidden})
                          .out;
    for (std::size_t at = 0; (at = out.find("\n# ", at)) != std::string::npos;) out.replace(at, 3, " ");
    return out;
  };
  CHECK(explained("20").find("log_likelihood is measured at the end of the run alone: log Z takes so long") !=
        std::string::npos);
  CHECK(
      like(explained("22"),
           "*log_likelihood is not measured: * Nor is it of the model at the end, which would take some 2* seconds of "
           "one core. Set its 'every', *"));
}

TEST_CASE("a sweep says how many of its runs have no likelihood at their ends, before any is made") {
  const CliFolder folder;
  folder.write("widths.toml", "base = \"small.toml\"\n[grid]\n\"model.num_hidden\" = [4, 25, 26]\n");
  Words words{"sweep", "widths.toml", "--dry-run"};
  words.insert(words.end(), dear.begin(), dear.end());
  const Outcome outcome = run(folder, words);
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err,
             "*harmonium: note: log_likelihood is not measured in 2 of 3 runs, the first of them "
             "model.num_hidden = 25: " +
                 std::string(dear_words) +
                 " 'harmonium report SWEEP --no-diagnosis' finds it of all runs that have none.\n*"));
  words.insert(words.end(),
               {"--set", "observers=[{type=\"log_likelihood\", log_z={type=\"ais\", num_chains=20}, every=1}]"});
  CHECK(run(folder, words).err.find("log_likelihood") == std::string::npos);
}

TEST_CASE("a sweep counts runs whose states are too many to enumerate, too") {
  const CliFolder folder;
  folder.write("widths.toml", "base = \"small.toml\"\n[grid]\n\"model.num_hidden\" = [4, 31, 32]\n");
  const Words words{"sweep",       "widths.toml", "--dry-run",           "--epochs", "1", "--set",
                    "data.side=6", "--set",       "model.num_visible=36"};
  const Outcome outcome = run(folder, words);
  CHECK(outcome.status == 0);
  CHECK(like(
      outcome.err,
      "*harmonium: note: log_likelihood is not measured in 2 of 3 runs, the first of them model.num_hidden = 31: "
      "*2^31 states, more than the limit of 2^30*'observers=[{type=\"log_likelihood\",log_z=\"ais\",every=1}]'; or "
      "ask 'harmonium evaluate RUN' for it afterwards. 'harmonium report SWEEP --no-diagnosis' finds it of all runs "
      "that have none.\n*"));
}

}  // namespace dear_likelihood_test
