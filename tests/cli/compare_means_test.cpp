// Means over seeds: which setting is the best, which others are as good, and what the errors and marks are of.
#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace compare_means_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string data = "[data]\ntype = \"csv\"\npath = \"d.csv\"\n", aside = data + "validation = 0.25\n",
                  figure = "validation_log_likelihood";

/// Folders that look like runs which finished, with learning rates and seeds.
struct Runs {
  ScratchFolder folder;
  Words names;
  void write(const std::string& rate, const std::string& seeds, const std::string& figures,
             const std::string& more = aside) {
    const std::string name = fmt::format("run{}", names.size());
    names.push_back(name);
    fs::create_directories(folder / name);
    folder.write(name + "/config.toml", fmt::format("{}\n[optimizer]\nlearning_rate = {}\n{}", seeds, rate, more));
    folder.write(name + "/metrics.jsonl", "{\"epoch\":1,\"update\":5," + figures + "}\n");
    folder.write(name + "/model.h5", "");
  }
  /// Of seeds 1, 2, ..., which share their rows.
  void write(const std::string& rate, const std::vector<double>& values) {
    for (std::size_t s = 0; s < values.size(); ++s)
      write(rate, fmt::format("seed = {}\ndata_seed = 1", s + 1), fmt::format("\"{}\":{}", figure, values[s]));
  }
  std::string compared(const Words& more = {}) const {
    Words words{"compare"};
    words.insert(words.end(), names.begin(), names.end());
    words.emplace_back("--means");
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    return outcome.out;
  }
  Json json(Words more = {}) const {
    more.emplace_back("--json");
    return Json::parse(compared(more));
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("means over seeds name the best where all settings have the figure, and why none is") {
  Runs runs;
  runs.write("0.1", {-8.0, -8.5});
  runs.write("0.2", {-3.0, -3.5});
  CHECK(runs.compared().ends_with(
      "\n\nBest by validation_log_likelihood: learning_rate = 0.2; the other is told from it by "
      "the scatter over seeds (Welch's t, 95 %)\n"));
  CHECK(runs.json()[1]["best_by"] == figure);
  CHECK(runs.json()[0]["no_best"].is_null());
  const auto none = [](const Runs& of, const std::string& why, const Words& more = {}) {
    const std::string line = "No best setting is named: " + why;
    CHECK(has(of.compared(more), "\n\n" + line + "\n"));
    for (const Json& setting : of.json(more)) {
      CHECK(setting["best_by"].is_null());
      CHECK(setting["no_best"] == line);
    }
  };
  Runs same;
  same.write("0.1", {-4.0, -4.5});
  same.write("0.2", {-4.0, -4.5});
  none(same, "all have the same validation_log_likelihood.");
  Runs without;
  for (const char* rate : {"0.1", "0.2"})
    for (const int seed : {1, 2}) without.write(rate, fmt::format("seed = {}", seed), "\"loss\":1");
  none(without,
       "fewer than two have a likelihood, and no accuracy or the like is known of all; 'harmonium report RUN... "
       "--no-diagnosis', or of a sweep, computes the likelihoods that are not measured.");
  none(without, "loss is no figure of which more is better, such as a likelihood, of the last model.",
       {"--sort", "loss"});
  for (const char* name : {"run0", "run1"}) fs::remove(without.folder / name / "model.h5");
  none(without, "fewer than two have runs that finished and set no rows aside which were trained on before.");
  // One setting alone is the best of none, and nothing is said of it.
  Runs one;
  one.write("0.1", {-4.0, -4.5});
  CHECK(!has(one.compared(), "best"));
  CHECK(one.json()[0]["no_best"] == "No best setting is named: there is one alone.");
}

TEST_CASE("a best setting is told with those that the scatter over seeds does not tell from it") {
  // Of two seeds each with errors of 0.25 the difference has the error sqrt(0.125) = 0.354 and 2 degrees of freedom, of which Student's
  // quantile is 0.95 / sqrt(2 * 0.975 * 0.025) = 4.303: 1.51 is not told, 1.53 is, by 1.521. One standard error would tell both.
  const double least = std::sqrt(0.125) * 0.95 / std::sqrt(2.0 * 0.975 * 0.025);
  REQUIRE((1.51 < least && least < 1.53));
  Runs runs;
  runs.write("0.4", {-4.76, -4.26});
  runs.write("0.2", {-4.78, -4.28});
  runs.write("0.1", {-3.25, -2.75});
  const std::string best = "\nBest by validation_log_likelihood: learning_rate = 0.1; ",
                    by = " not told from it by the scatter over seeds (Welch's t, 95 %): ",
                    settle =
                        "\nMore seeds tell them apart, or of two of their runs on the same rows: harmonium evaluate "
                        "run4 --against run0 --split validation\n";
  CHECK(has(runs.compared(), best + "1 other is" + by + "learning_rate = 0.4" + settle));
  Json json = runs.json();
  REQUIRE(json[2]["as_good"].size() == 1);
  const Json& other = json[2]["as_good"][0];
  CHECK(other["name"] == "learning_rate = 0.4");
  CHECK(other["difference"].get<double>() == doctest::Approx(1.51).epsilon(1e-12));
  CHECK(other["error"].get<double>() == doctest::Approx(std::sqrt(0.125)).epsilon(1e-12));
  CHECK(other["degrees_of_freedom"].get<double>() == doctest::Approx(2.0).epsilon(1e-12));
  CHECK(other["least_told"].get<double>() == doctest::Approx(least).epsilon(1e-9));
  CHECK(json[0]["as_good"].empty());
  runs.write("0.3", {-4.5, -3.0});
  CHECK(has(runs.compared(), "\nBest by validation_log_likelihood: setting 3 (learning_rate = 0.1); 2 others are" + by +
                                 "settings 4, 1\nMore seeds"));
  // Errors of 0.25 and 0.75: shares of 0.1 and 0.9, and 1 / (0.01 + 0.81) degrees of freedom.
  CHECK(runs.json()[2]["as_good"][0]["degrees_of_freedom"].get<double>() == doctest::Approx(1.0 / 0.82).epsilon(1e-12));
}

TEST_CASE("settings without a scatter of their own, or of one seed, are told from the best or not as that is known") {
  // -3, -2 and -1 have the error sqrt(1/3); beside a setting whose seeds agree the degrees of freedom are 2 alone.
  Runs runs;
  runs.write("0.1", {-3.0, -2.0, -1.0});
  runs.write("0.2", {-4.0, -4.0});
  CHECK(runs.json()[0]["as_good"][0]["degrees_of_freedom"].get<double>() == doctest::Approx(2.0).epsilon(1e-12));
  runs.write("0.3", {-40.0});
  CHECK(has(runs.compared(),
            "(Welch's t, 95 %): learning_rate = 0.2\n1 other is of one seed, so that nothing is known of the scatter, "
            "and not told from it: learning_rate = 0.3.\nMore seeds tell them apart"));
  const Json json = runs.json();
  REQUIRE(json[0]["as_good"].size() == 2);
  for (const char* unknown : {"error", "degrees_of_freedom", "least_told"})
    CHECK(json[0]["as_good"][1][unknown].is_null());
  Runs one;
  one.write("0.1", {-3.0});
  one.write("0.2", {-4.0, -5.0});
  CHECK(
      has(one.compared(),
          "\nBest by validation_log_likelihood: learning_rate = 0.1\nIts mean is of one seed, so that nothing is known "
          "of its scatter, and no other is told from it.\nMore seeds tell them apart"));
  // Seeds that agree have no scatter: what differs is told.
  Runs alike;
  alike.write("0.1", {-3.0, -3.0});
  alike.write("0.2", {-4.0, -4.0});
  CHECK(alike.compared().ends_with(
      "\n\nBest by validation_log_likelihood: learning_rate = 0.1; the other is told from it by the "
      "scatter over seeds (Welch's t, 95 %)\n"));
}

TEST_CASE("standard errors from two or three seeds are said to be hardly known, once") {
  const std::string begin =
                        "\nStandard errors from few seeds are hardly known themselves: the true one is, in 95 of 100 "
                        "cases, ",
                    two = "0.45 to 32 times that of 2 seeds", three = "0.52 to 6.3 times that of 3 seeds";
  Runs runs;
  runs.write("0.1", {-3.0, -2.0, -1.0, -4.0});
  CHECK(!has(runs.compared(), "hardly known"));
  runs.write("0.2", {-3.0, -2.0, -1.0});
  CHECK(has(runs.compared(), begin + three + ".\n"));
  runs.write("0.3", {-3.0, -2.0});
  CHECK(has(runs.compared(), begin + two + ", and " + three + ".\n"));
}

TEST_CASE("no two runs are named to tell settings apart that have no rows in common") {
  Runs runs;
  for (const auto& [rate, seed, value] :
       {std::tuple{"0.1", 1, -4.0}, {"0.1", 2, -3.0}, {"0.2", 3, -4.25}, {"0.2", 4, -3.25}})
    runs.write(rate, fmt::format("seed = {}", seed), fmt::format("\"{}\":{}", figure, value));
  CHECK(has(runs.compared(), "\nMore seeds tell them apart.\n"));
}

TEST_CASE("no setting is the best by rows that others do not have") {
  Runs runs;
  for (const int data_seed : {1, 2})
    for (const int seed : {1, 2})
      runs.write("0.1", fmt::format("seed = {}\ndata_seed = {}", seed, data_seed),
                 fmt::format("\"{}\":{}", figure, -seed - 0.25 * data_seed));
  CHECK(has(runs.compared(),
            "\n\nNo best setting is named: they have different rows, and so their values of "
            "validation_log_likelihood do not compare.\n"));
  CHECK(runs.json()[0]["best_by"].is_null());
}

TEST_CASE("the error over rows is told to be of rows that all seeds share, or that each sets aside") {
  const std::string figures = "\"validation_log_likelihood\":-3,\"validation_log_likelihood_error\":0.5";
  const auto title = [&](const char* one, const char* two, const std::string& rows) {
    Runs runs;
    runs.write("0.1", one, figures, rows);
    runs.write("0.1", two, figures, rows);
    const std::string out = runs.compared(), begin = "; rows: error over the data rows of one run, ";
    const std::size_t at = out.find(begin) + begin.size();
    return out.substr(at, out.find('\n', at) - at);
  };
  CHECK(title("seed = 1", "seed = 2", aside) == "of which each seed sets its own aside");
  CHECK(title("seed = 1\ndata_seed = 1", "seed = 2\ndata_seed = 1", aside) == "which all seeds share");
  CHECK(title("seed = 1", "seed = 2", data) == "which all seeds share");
}

TEST_CASE("means over seeds mark likelihoods whose log Z is an estimate") {
  Runs runs;
  const auto interval = [](double value, double half) {
    return fmt::format(
        "\"log_likelihood\":{},\"log_likelihood_low\":{},\"log_likelihood_high\":{},"
        "\"log_likelihood_error\":0.5",
        value, value - half, value + half);
  };
  runs.write("0.1", "seed = 1", interval(-3.0, 0.125), data);
  runs.write("0.1", "seed = 2", interval(-4.0, 0.25), data);
  const std::string exact = "\"log_likelihood\":-5,\"log_likelihood_error\":0.5";
  runs.write("0.2", "seed = 1", exact, data);
  runs.write("0.2", "seed = 2", exact, data);
  const std::string out = runs.compared();
  CHECK(has(out, "-3.50* ± 0.50, rows ± 0.5"));
  CHECK(has(out, "-5.0000 ± 0.0000, rows ± 0.5\n"));
  CHECK(has(out,
            "\n*: by an estimate of log Z, whose 95 % interval in one run reaches ± 0.25 nats at most; likelihoods "
            "without the mark are by an exact log Z.\n"));
  const Json json = runs.json();
  CHECK(json[0]["figures"]["log_likelihood"]["estimated"] == 2);
  CHECK(json[0]["figures"]["log_likelihood"]["half_interval"] == 0.25);
  CHECK(!json[1]["figures"]["log_likelihood"].contains("estimated"));
  Runs all_exact;
  all_exact.write("0.2", "seed = 1", exact, data);
  all_exact.write("0.2", "seed = 2", exact, data);
  CHECK(!has(all_exact.compared(), "*"));
}

TEST_CASE("settings whose names have no room beside one another go by number, each told once") {
  Runs runs;
  for (const int rate : {1, 2, 3, 4, 5, 6})
    for (const int seed : {1, 2})
      runs.write(fmt::format("0.{}", rate), fmt::format("seed = {}\ndata_seed = 1", seed),
                 fmt::format("\"{}\":{},\"gradient_norm\":{}", figure, -8 * rate - 0.5 * seed, rate));
  const std::string out = runs.compared();
  CHECK(out.starts_with("Settings, by number\n   optimizer.learning_rate  seeds\n1  0.1                      2\n"));
  CHECK(has(out, "\n   validation_log_likelihood\n1  -8.75 ± 0.25\n2  -16.75 ± 0.25\n"));
  CHECK(
      has(out,
          "\nBest by validation_log_likelihood: setting 1 (learning_rate = 0.1); all 5 others are told from it by the "
          "scatter over seeds (Welch's t, 95 %)\nIts optimizer.learning_rate = 0.1 is the least of 6 values. Try "
          "smaller ones too.\n"));
  // Norms are left to who asks for them.
  CHECK(has(out, "\nLeft out, to be had with --figure NAME: gradient_norm\n"));
  CHECK(!has(out, "  gradient_norm\n"));
  CHECK(has(runs.compared({"--figure", "gradient_norm"}), "\n   gradient_norm\n1  1.0000 ± 0.0000\n"));
  CHECK(has(runs.compared({"--sort", "gradient_norm"}), "  gradient_norm\n"));
  // Numbers stay with their settings, whatever these are sorted by: the first line then is that of number 6 or 1.
  for (const std::string& by : {std::string("gradient_norm"), std::string(figure)})
    CHECK(has(runs.compared({"--figure", "gradient_norm", "--sort", by}), "\n6  6.0000 ± 0.0000\n"));
  CHECK(has(runs.compared({"--sort", figure}), ": setting 1 (learning_rate = 0.1); "));
  CHECK(runs.json()[0]["name"] == "learning_rate = 0.1");
  CHECK(runs.json()[0]["figures"].contains("gradient_norm"));
  // Seeds of a setting have one color, and one line of the legend.
  runs.compared({"--output", "c.svg"});
  const std::string drawn = content_of(runs.folder / "c.svg");
  for (const int rate : {1, 2, 3, 4, 5, 6}) CHECK(has(drawn, fmt::format("{0}: learning_rate = 0.{0}, 2 seeds", rate)));
}

TEST_CASE("runs of one configuration and one seed are one seed of the means") {
  // Of -3, -3 and -5 the mean is -11/3 with the error 2/3; of -3 and -5 it is -4 with the error 1.
  Runs runs;
  runs.write("0.1", "seed = 1", "\"log_likelihood\":-3", data);
  runs.write("0.1", "seed = 1", "\"log_likelihood\":-3", data);
  runs.write("0.1", "seed = 2", "\"log_likelihood\":-5", data);
  const std::string few =
      "Standard errors from few seeds are hardly known themselves: the true one is, in 95 of 100 cases, 0.45 to 32 "
      "times that of 2 seeds.\n";
  const auto own = [&](std::size_t group) { return runs.json()[group]; };
  CHECK(has(runs.compared(), "\nlog_likelihood  -4.0 ± 1.0\n" + few + "run1 repeats run0 and is not counted again.\n"));
  CHECK(own(0)["runs"] == 2);
  CHECK(own(0)["finished"] == 2);
  CHECK(own(0)["figures"]["log_likelihood"]["seeds"] == 2);
  CHECK(own(0)["figures"]["log_likelihood"]["error"] == 1.0);
  CHECK(own(0)["repeats"] == Json::parse(R"([{"run": "run1", "of": "run0", "other_figures": false}])"));
  // The one that finished counts; one that goes on has other figures, as it has not come so far.
  fs::remove(runs.folder / "run0/model.h5");
  runs.folder.write("run0/metrics.jsonl", "{\"epoch\":1,\"update\":5,\"log_likelihood\":-9}\n");
  CHECK(has(runs.compared(), "\nseeds           2\n"));
  CHECK(has(runs.compared(), "-4.0 ± 1.0\n" + few + "run0 repeats run1 and is not counted again.\n"));
  // Another version's figures: the first counts, in the order in which they were given, whatever they are sorted by.
  runs.folder.write("run0/model.h5", "");
  CHECK(has(runs.compared(),
            "-7.0 ± 2.0\n" + few + "run1 repeats run0, though with other figures, and is not counted again.\n"));
  CHECK(has(runs.compared({"--sort", "log_likelihood"}), "-7.0 ± 2.0\n" + few + "run1 repeats run0, though with"));
  CHECK(own(0)["repeats"][0]["other_figures"] == true);
  // The seed of another setting is no repeat.
  runs.write("0.2", "seed = 1", "\"log_likelihood\":-3", data);
  runs.write("0.2", "seed = 2", "\"log_likelihood\":-3", data);
  CHECK(own(0)["repeats"].size() == 1);
  CHECK(own(1)["repeats"].empty());
  CHECK(own(1)["runs"] == 2);
  // Of more than two their number is told, with one of them.
  for (int i = 0; i < 2; ++i) runs.write("0.2", "seed = 2", "\"log_likelihood\":-3", data);
  CHECK(has(runs.compared(),
            "\n3 runs repeat others, by configuration and seed, and are not counted again, such as run1, which repeats "
            "run0; 1 of them with other figures, such as run1, which repeats run0.\n"));
}

TEST_CASE("a run and its repeat, beside a run of another setting and another seed, are no seeds to take means over") {
  Runs runs;
  for (const auto& [rate, seed] : {std::pair{"0.1", "seed = 1"}, {"0.1", "seed = 1"}, {"0.2", "seed = 2"}})
    runs.write(rate, seed, "\"log_likelihood\":-3", data);
  const Outcome outcome = run(runs.folder, {"compare", "run0", "run1", "run2", "--means"});
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "--means: no two of the runs differ in the seed alone"));
}

}  // namespace compare_means_test
