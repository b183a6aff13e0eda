// By which figure compare tells the best of runs, and of settings over their seeds, where not all have a likelihood.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace compare_best_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string agreed = "\"validation_log_likelihood\":", likelihood = "\"log_likelihood\":",
                  not_agreed = "\"validation_log_likelihood_low\":-4,\"validation_log_likelihood_high\":-2",
                  pseudo = "\"validation_pseudo_log_likelihood\":";

/// A folder that looks like a run which finished.
void write_run(const ScratchFolder& folder, const std::string& name, const std::string& config,
               const std::string& figures) {
  fs::create_directories(folder / name);
  folder.write(name + "/config.toml", config);
  folder.write(name + "/metrics.jsonl", "{\"epoch\":1,\"update\":5," + figures + "}\n");
  folder.write(name + "/model.h5", "");
}

/// a and b have the likelihood, that of c is not agreed, d did not measure it; the pseudo likelihood of c is the best.
void write_four(const ScratchFolder& folder) {
  const std::string cd = "seed = 1\n[estimator]\ntype = \"phases\"\n[estimator.negative]\nstart = \"data\"\n",
                    pcd = "seed = 1\n[estimator]\ntype = \"phases\"\n[estimator.negative]\nstart = \"persistent\"\n";
  write_run(folder, "a", cd, agreed + "-3," + pseudo + "-9");
  write_run(folder, "b", pcd, agreed + "-2," + pseudo + "-8");
  write_run(folder, "c", cd, not_agreed + "," + pseudo + "-1");
  write_run(folder, "d", cd, pseudo + "-5");
}

std::string compared(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "compare");
  return run(folder, words).out;
}

/// From the line of the best on; empty where there is none.
std::string best_of(const std::string& out) {
  const std::size_t at = out.find("\nBest by ");
  return at == std::string::npos ? "" : out.substr(at + 1);
}

const std::string measure =
    "'harmonium evaluate RUN --split validation' finds it, and advises where log Z is not agreed; 'harmonium "
    "report RUN... --no-diagnosis' does so of all runs at once, or of a sweep, and keeps it for 'harmonium compare'.\n";

}  // namespace

TEST_CASE("compare names the best by the likelihood of those that have it, and of how many these are") {
  const ScratchFolder folder;
  write_four(folder);
  const std::string out = compared(folder, {"a", "b", "c", "d"});
  CHECK(best_of(out) ==
        "Best by validation_log_likelihood: b, of the 2 of 4 runs that have it\nNote: 2 of 4 runs are left out, for "
        "validation_log_likelihood is not known of them (1 not agreed, 1 not measured). " +
            measure);
  CHECK(like(out, "*\nvalidation_log_likelihood * -3 * -2 * not agreed [-4.0, -2.0] * -\n*"));
  CHECK(out.find("; not agreed: estimates of log Z differ ('harmonium evaluate RUN' advises); -: not measured "
                 "('harmonium report RUN... --no-diagnosis' measures and keeps it)\n") != std::string::npos);
  CHECK(best_of(compared(folder, {"a", "b", "c"})).find("\nNote: 1 of 3 runs is left out, for ") != std::string::npos);
  CHECK(best_of(compared(folder, {"a", "b"})) == "Best by validation_log_likelihood: b\n");
  const Json json = Json::parse(compared(folder, {"a", "b", "c", "d", "--json"}));
  CHECK(json[1]["best_by"] == "validation_log_likelihood");
  CHECK(json[1]["best_among"] ==
        Json{{"figure", "validation_log_likelihood"}, {"known", 2}, {"not_agreed", 1}, {"not_measured", 1}});
  CHECK(json[1]["passed_over"].is_null());
  CHECK(json[0]["best_by"].is_null());
  CHECK(json[0]["best_among"].is_null());
  CHECK(json[2]["figures"]["validation_log_likelihood"]["value"].is_null());
  CHECK(json[2]["figures"]["validation_log_likelihood"]["agreed"] == false);
  CHECK(!json[0]["figures"]["validation_log_likelihood"].contains("agreed"));
  CHECK(!json[3]["figures"].contains("validation_log_likelihood"));
}

TEST_CASE("compare says why it passed likelihoods over, and what a pseudo likelihood does not tell") {
  const ScratchFolder folder;
  write_four(folder);
  const std::string by_pseudo = "Best by validation_pseudo_log_likelihood: ",
                    over = "Note: validation_log_likelihood was passed over: ",
                    local = "Note: the estimators differ, and a pseudo likelihood does not tell CD from PCD: ";
  CHECK(best_of(compared(folder, {"a", "c", "d"})) ==
        by_pseudo + "c\n" + over + "1 of 3 runs has it (1 not agreed, 1 not measured), and to compare takes two. " +
            measure);
  CHECK(best_of(compared(folder, {"c", "d"})) ==
        by_pseudo + "c\n" + over + "none of 2 runs has it (1 not agreed, 1 not measured), and to compare takes two. " +
            measure);
  const std::string differ = best_of(compared(folder, {"b", "d"}));
  CHECK(differ.starts_with(by_pseudo + "d\n" + over + "1 of 2 runs has it (1 not measured), and "));
  CHECK(differ.find("\n" + local) != std::string::npos);
  const Json json = Json::parse(compared(folder, {"a", "c", "d", "--json"}));
  CHECK(json[1]["best_by"] == "validation_pseudo_log_likelihood");
  CHECK(json[1]["passed_over"] ==
        Json{{"figure", "validation_log_likelihood"}, {"known", 1}, {"not_agreed", 1}, {"not_measured", 1}});
  // Where none measured a likelihood none was passed over.
  write_run(folder, "e", "seed = 1\n[estimator]\ntype = \"pseudo_likelihood\"\n", pseudo + "-6");
  CHECK(best_of(compared(folder, {"d", "e"})).starts_with(by_pseudo + "d\n" + local));
}

TEST_CASE("an accuracy that all runs have is taken before a likelihood that some have") {
  const ScratchFolder folder;
  const std::string accuracy = ",\"validation_accuracy\":";
  write_run(folder, "a", "seed = 1\n", agreed + "-3" + accuracy + "0.5");
  write_run(folder, "b", "seed = 1\n", agreed + "-2" + accuracy + "0.25");
  write_run(folder, "c", "seed = 1\n", not_agreed + accuracy + "0.75");
  CHECK(best_of(compared(folder, {"a", "b", "c"})) == "Best by validation_accuracy: c\n");
  write_run(folder, "d", "seed = 1\n", "\"validation_accuracy\":0.7,\"validation_accuracy_error\":0.01");
  write_run(folder, "e", "seed = 1\n", "\"validation_accuracy\":0.695,\"validation_accuracy_error\":0.01");
  const std::string out = compared(folder, {"d", "e"});
  CHECK(best_of(out) == "Best by validation_accuracy: d; 1 other is within its error of 0.01\n");
  CHECK(out.find("0.700 ± 0.010") != std::string::npos);
}

TEST_CASE("the best run of a sweep of one seed is named by its settings, and its place at the edge is told") {
  const ScratchFolder folder;
  fs::create_directories(folder / "sw/ends");
  std::string table = "run,optimizer.learning_rate,model.num_hidden,status\n";
  const auto write = [&](const char* name, const char* rate, int hidden, const char* value, const char* error) {
    table += fmt::format("runs/{},{},{},finished\n", name, rate, hidden);
    write_run(folder, fmt::format("sw/runs/{}", name),
              fmt::format("seed = 1\n[optimizer]\nlearning_rate = {}\n[model]\nnum_hidden = {}\n", rate, hidden),
              fmt::format("{}{},\"validation_log_likelihood_error\":{}", agreed, value, error));
  };
  write("aa", "0.1", 4, "-4", "0.1");
  write("bb", "0.2", 8, "-3", "0.1");
  write("cc", "0.3", 4, "-2", "0.1");
  folder.write("sw/sweep.csv", table);
  const std::string named = "Best by validation_log_likelihood: cc (learning_rate = 0.3, num_hidden = 4)",
                    edge = "\nIts optimizer.learning_rate = 0.3 is the greatest of 3 values";
  CHECK(best_of(compared(folder, {"sw"})) == named + edge + ". Try greater ones too.\n");
  write("dd", "0.2", 4, "-2.05", "0.1");
  folder.write("sw/sweep.csv", table);
  CHECK(best_of(compared(folder, {"sw"})) ==
        named + "; 1 other is within its error of 0.1" + edge +
            ", though 1 run with another value is within the error of both. Try greater ones too.\n");
  write("ee", "0.4", 4, "-5", "0.1");  // the best one is no more at the edge
  folder.write("sw/sweep.csv", table);
  CHECK(best_of(compared(folder, {"sw"})) == named + "; 1 other is within its error of 0.1\n");
  // Of two values one is always the better.
  CHECK(best_of(compared(folder, {"sw/runs/aa", "sw/runs/cc"})) ==
        "Best by validation_log_likelihood: cc (learning_rate = 0.3)\n");
}

TEST_CASE("compare tells how runs on the same rows are told apart that are within the error over rows of the best") {
  const ScratchFolder folder;
  const std::string data = "[data]\ntype = \"csv\"\npath = \"d.csv\"\n", aside = data + "validation = 0.2\n";
  const auto write = [&](const char* name, const char* value, const std::string& config,
                         const char* error = "\"validation_log_likelihood_error\":1.3") {
    write_run(folder, name, config, fmt::format("{}{},{}", agreed, value, error));
  };
  const auto told = [&](const Words& runs) {
    const std::string out = best_of(compared(folder, runs));
    return out.substr(35, out.find('\n') - 35);  // behind "Best by validation_log_likelihood: "
  };
  const std::string better = ", but on the same rows differences are known better: harmonium evaluate ";
  write("best", "-8", "seed = 1\n" + aside);
  write("near", "-8.26", "seed = 2\ndata_seed = 1\n" + aside);  // dealt as by seed 1
  write("nearer", "-8.25", "seed = 1\n" + aside);
  write("nearest", "-8.1", "seed = 2\n" + aside);  // of other rows
  CHECK(told({"near", "best", "nearer"}) ==
        "best; 2 others are within its error over rows of 1.3" + better + "best --against nearer --split validation");
  CHECK(best_of(compared(folder, {"nearest", "best", "near"})) == "");
  // Rows that no seed deals are the same under each, and those of other data are not.
  write("whole1", "-8", "seed = 1\n" + data);
  write("whole2", "-8.5", "seed = 2\n" + data);
  write("fewer", "-8.5", "seed = 1\n" + data + "rows = 5\n");
  CHECK(told({"whole1", "whole2"}).ends_with(better + "whole1 --against whole2 --split validation"));
  CHECK(told({"whole1", "fewer"}) == "whole1; 1 other is within its error of 1.3");
  // An interval of log Z alone is no error over rows.
  const char* interval = "\"validation_log_likelihood_low\":-8.5,\"validation_log_likelihood_high\":-7.5";
  write("bounded", "-8", "seed = 1\n" + aside, interval);
  CHECK(told({"bounded", "nearer"}) == "bounded; 1 other is within its error of 0.5");
}

TEST_CASE("means over seeds tell what is not agreed from what was not measured, and of how many seeds they are") {
  const ScratchFolder folder;
  const std::string apart = "\"log_likelihood_low\":-4,\"log_likelihood_high\":-2",
                    other = "\"pseudo_log_likelihood\":-7";
  struct {
    const char* rate;
    std::string one, two;
  } const made[] = {{"0.1", likelihood + "-2", apart},
                    {"0.2", likelihood + "-3", likelihood + "-3.25"},
                    {"0.5", apart, apart},
                    {"0.7", "\"loss\":1", "\"loss\":1"}};
  Words words;
  for (const auto& setting : made)
    for (const int seed : {1, 2}) {
      words.push_back(fmt::format("run{}", words.size()));
      write_run(folder, words.back(), fmt::format("seed = {}\n[optimizer]\nlearning_rate = {}\n", seed, setting.rate),
                (seed == 1 ? setting.one : setting.two) + "," + other);
    }
  words.emplace_back("--means");
  const std::string out = compared(folder, words);
  CHECK(out.find("; not agreed: estimates of log Z differ ('harmonium evaluate RUN' advises); -: not measured ") !=
        std::string::npos);
  for (const char* cell : {"-2 (1 of 2 seeds)", "-3.12 ± 0.12", "not agreed", " -"})
    CHECK_MESSAGE(out.find(cell) != std::string::npos, cell);
  CHECK(out.ends_with(
      "\nBest by log_likelihood: setting 1 (learning_rate = 0.1), of the 2 of 4 settings that have it\nIts "
      "mean is of one seed, so that nothing is known of its scatter, and no other is told from it.\nMore seeds tell "
      "them apart.\nIts optimizer.learning_rate = 0.1 is the least of 4 values, though 1 setting with another value is "
      "not told from it. Try smaller ones too.\nNote: 2 of 4 settings are left "
      "out, for log_likelihood "
      "is not known of them (1 not agreed, 1 not measured). 'harmonium evaluate RUN' finds it, and advises where "
      "log Z is not agreed; 'harmonium report RUN... --no-diagnosis' does so of all runs at once, or of a sweep, and "
      "keeps it for 'harmonium compare'.\n"));
  words.emplace_back("--json");
  const Json json = Json::parse(compared(folder, words));
  REQUIRE(json.size() == 4);
  const auto figure = [&](int setting) { return json[setting]["figures"]["log_likelihood"]; };
  CHECK(figure(0) == Json{{"seeds", 1},
                          {"not_agreed", 1},
                          {"not_measured", 0},
                          {"mean", -2},
                          {"error", nullptr},
                          {"rows_error", nullptr}});
  CHECK(figure(1)["seeds"] == 2);
  CHECK(figure(2)["seeds"] == 0);
  CHECK(figure(2)["not_agreed"] == 2);
  CHECK(figure(2)["mean"].is_null());
  CHECK(!json[3]["figures"].contains("log_likelihood"));
  CHECK(json[0]["best_by"] == "log_likelihood");
  CHECK(json[0]["best_among"] ==
        Json{{"figure", "log_likelihood"}, {"known", 2}, {"not_agreed", 1}, {"not_measured", 1}});
}

TEST_CASE("means over seeds say what their best was judged by where a likelihood was passed over") {
  const ScratchFolder folder;
  Words words{"--means"};
  const auto write = [&](const char* estimator, int seed, const std::string& figures) {
    words.push_back(fmt::format("run{}", words.size()));
    write_run(folder, words.back(), fmt::format("seed = {}\n[estimator]\ntype = \"{}\"\n", seed, estimator), figures);
  };
  for (const int seed : {1, 2}) {
    write("exact", seed, agreed + "-3," + pseudo + "-9");
    write("pseudo_likelihood", seed, (seed == 1 ? not_agreed + "," : "") + pseudo + "-8");
  }
  CHECK(best_of(compared(folder, words))
            .starts_with(
                "Best by validation_pseudo_log_likelihood: estimator = pseudo_likelihood; the other is told from it "
                "by the scatter over seeds (Welch's t, 95 %)\nNote: "
                "validation_log_likelihood was passed over: 1 of 2 settings has it (1 not agreed), and to "
                "compare takes two. " +
                measure + "Note: the estimators differ, and a pseudo likelihood does not tell CD from PCD: "));
  words.emplace_back("--json");
  const Json json = Json::parse(compared(folder, words));
  CHECK(json[1]["best_by"] == "validation_pseudo_log_likelihood");
  CHECK(json[1]["passed_over"]["known"] == 1);
  // Who asks for the figure knows that no other was taken, and not what it does not tell.
  words.back() = "--sort";
  words.emplace_back("validation_pseudo_log_likelihood");
  const std::string sorted = compared(folder, words);
  CHECK(best_of(sorted).starts_with(
      "Best by validation_pseudo_log_likelihood: estimator = pseudo_likelihood; the other "));
  CHECK(sorted.find("passed over") == std::string::npos);
  CHECK(sorted.find("\nNote: the estimators differ, ") != std::string::npos);
}

}  // namespace compare_best_test
