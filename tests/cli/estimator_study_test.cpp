#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "files.hpp"

namespace estimator_study_test {

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
  const std::vector<Words> rows = csv_fields(path);
  std::vector<std::map<std::string, std::string>> table;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    table.emplace_back();
    for (std::size_t c = 0; c < rows[0].size(); ++c) table.back()[rows[0][c]] = rows[r].at(c);
  }
  return table;
}

using Table = std::vector<std::map<std::string, std::string>>;

/// Without what is measured by a clock, and so never the same twice.
Table without_seconds(Table table) {
  for (auto& row : table)
    for (const char* measured : {"seconds", "cosine_at_equal_seconds"}) row.erase(measured);
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
  const Table table = read_table(folder / "one/estimators.csv");
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
  CHECK(without_seconds(table) == without_seconds(read_table(folder / "three/estimators.csv")));
}

TEST_CASE("a study of estimators that was broken off goes on to the table of an unbroken one, but for seconds") {
  const ScratchFolder folder;
  const auto study = [](const char* name) { return with(small, {name, "--threads", "2", "--set", "repeats=4000"}); };
  CHECK(run(folder, study("whole")).status == 0);
  {
    Running running(study("broken"), {.folder = folder.path()});
    REQUIRE(appears(folder / "broken/runs/1_200_exact.toml"));
    running.signal(SIGINT);
    check_refusal(running.wait(), 1, "stopped with * of 24 measurements done. The same command goes on.");
  }
  CHECK(!fs::exists(folder / "broken/estimators.csv"));
  const std::string kept = content_of(folder / "broken/runs/1_200_exact.toml");
  {
    Running running(study("broken"), {.folder = folder.path()});
    running.signal(SIGKILL);
    CHECK(running.wait().status == 128 + SIGKILL);
  }
  const Outcome outcome = run(folder, study("broken"));
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: going on in */broken: * of 24 measurements are done.\n"));
  // What was measured before stays as it was, seconds too.
  CHECK(content_of(folder / "broken/runs/1_200_exact.toml") == kept);
  CHECK(without_seconds(read_table(folder / "broken/estimators.csv")) ==
        without_seconds(read_table(folder / "whole/estimators.csv")));

  const std::string table = content_of(folder / "broken/estimators.csv");
  const Outcome again = run(folder, study("broken"));
  CHECK(again.status == 0);
  CHECK(like(again.err,
             "harmonium: note: */broken holds all 24 measurements: tables and figures are made of them anew.\n"));
  CHECK(content_of(folder / "broken/estimators.csv") == table);
}

TEST_CASE("a study of estimators goes on with more seeds") {
  const ScratchFolder folder;
  const auto study = [&](const char* name, const char* seeds) {
    return run(folder, with(small, {name, "--set", seeds}));
  };
  CHECK(study("grown", "num_seeds=1").status == 0);
  const auto first = read_table(folder / "grown/estimators.csv");
  CHECK(like(study("grown", "num_seeds=2").err,
             "harmonium: note: going on in */grown: 12 of 24 measurements are done.\n"));
  const auto grown = read_table(folder / "grown/estimators.csv");
  REQUIRE(grown.size() == 2 * first.size());
  CHECK(std::equal(first.begin(), first.end(), grown.begin()));
  CHECK(study("whole", "num_seeds=2").err == "");
  CHECK(without_seconds(grown) == without_seconds(read_table(folder / "whole/estimators.csv")));
}

TEST_CASE("the study of estimators takes a machine of Gaussian visible units and the estimators that serve it") {
  const ScratchFolder folder;
  const auto study = [&](std::initializer_list<const char*> more) {
    return run(folder, with({"study", "estimators", "--set", "size=4", "--set", "visible_units=gaussian", "--set",
                             "num_seeds=1", "--set", "updates=[300]", "--set", "repeats=2000", "--set", "warm_up=100",
                             "--set", "gibbs_steps=[1, 50]"},
                            more));
  };
  const Outcome outcome = study({"--output", "all"});
  CHECK(outcome.err == "");
  CHECK(like(outcome.out,
             "after 300 updates*\nscore_matching *\ndenoising_score_matching *\nnot for Gaussian visible units, and "
             "left out: pseudo_likelihood, ratio_matching, minimum_probability_flow*all/estimators.csv\n"));
  std::map<std::string, double> in_errors;
  for (const auto& row : read_table(folder / "all/estimators.csv")) {
    const auto number = [&](const char* name) { return std::stod(row.at(name)); };
    CAPTURE(row.at("estimator"));
    CHECK(row.at("visible_units") == "gaussian");
    CHECK(number("exact_norm") > 0.01);
    CHECK(std::isfinite(number("bias")));
    CHECK(number("seconds") > 0.0);
    in_errors[row.at("estimator") + row.at("k")] = number("bias") / number("standard_error");
    if (row.at("estimator") == "score_matching") {
      CHECK(number("variance") < 1e-20);
      CHECK(number("bias") > 0.1);  // it is the gradient of another loss
    }
    if (row.at("estimator") == "denoising_score_matching") CHECK(number("variance") > 1e-6);
  }
  // Chains of 50 steps have forgotten their start, and what is left of the distance once noise is taken off is noise again,
  // of the same size. After one step they have not, which would be seen.
  for (const char* mixed : {"cd50", "pcd50", "tempered_pcd50", "naive_mcmc50", "unbiased_cd1", "unbiased_cd50"})
    CHECK_MESSAGE(in_errors.at(mixed) < 3.0, mixed);
  for (const char* early : {"cd1", "naive_mcmc1"}) CHECK_MESSAGE(in_errors.at(early) > 4.0, early);
  // The summary says so: column four of a line is the bias, or '<' where it is within its noise.
  std::map<std::string, std::string> told;
  std::istringstream lines(outcome.out);
  for (std::string line, name, k, cosine, bias; std::getline(lines, line);)
    if (std::istringstream(line) >> name >> k >> cosine >> bias) told[name + k] = bias;
  for (const char* mixed : {"cd50", "pcd50", "unbiased_cd50"}) CHECK_MESSAGE(told.at(mixed) == "<", mixed);
  for (const char* seen : {"cd1", "naive_mcmc1", "score_matching-"})
    CHECK_MESSAGE(std::stod(told.at(seen)) > 0.0, seen);
  CHECK(outcome.out.find("A bias after '<' is within three standard errors") != std::string::npos);
  CHECK(content_of(folder / "all/config.toml").find("deviation = 0.4") != std::string::npos);

  // By the exact gradient itself there is none; the precisions, which are not learned, have none either way.
  CHECK(study({"--set", R"(estimators=["exact"])", "--set", "deviation=0.7", "--output", "exact"}).err == "");
  for (const auto& row : read_table(folder / "exact/estimators.csv")) CHECK(std::stod(row.at("bias")) < 1e-12);
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
  refused({"--set", R"(estimators=["pseudo_likelihood"])", "--set", "visible_units=gaussian"},
          "estimator 'pseudo_likelihood': *");
  refused({"--set", R"(estimators=["cd", "pcd", "cd"])"},
          "*study 'estimators': 'estimators' holds cd twice, and the study takes each once. Remove one.");
  refused({"--set", "gibbs_steps=[1, 2, 1]"},
          "*'gibbs_steps' holds 1 twice, and the study takes each once. Remove one.");
  refused({"--set", "updates=[300, 300]"}, "*'updates' holds 300 twice, and the study takes each once. Remove one.");
  refused(
      {"--set", "deviation=0.5"},
      "*'deviation' is that of Gaussian units, and the visible units are binary. Leave it out, or set visible_units "
      "= \"gaussian\".");
  refused({"--set", "visible_units=gaussian", "--set", "deviation=1e-200"},
          "*option 'deviation' = 1e-200 is not allowed: it must be from 0.01 to 100.");
  refused({"--set", "num_seeds=1000000000000"},
          "*option 'num_seeds' = 1000000000000 is not allowed: it must be from 1 to 10000.");
  refused({"--set", "seed=9223372036854775807", "--set", "num_seeds=2"},
          "*'seed' is 9223372036854775807, and with 'num_seeds' 2 the last seed would be beyond 9223372036854775807, "
          "the largest. Lower 'seed'.");
  refused({"--set", "updates=[]"}, "*'updates' is empty, which leaves nothing to study.");
  refused({"--set", "data_set=one_ball"}, "*'data_set' is 'one_ball'*Known: diagonal, one_d_ball.");
}

TEST_CASE("a study of estimators tells of training that diverged by its own options, and of a part that is no record") {
  const ScratchFolder folder;
  const auto study = [&](std::initializer_list<const char*> more) {
    return run(folder, with({"study", "estimators", "--set", "size=4", "--set", "num_seeds=1", "--set", "updates=[20]",
                             "--set", "repeats=40", "--set", "estimators=[\"cd\"]", "--set", "gibbs_steps=[1]"},
                            more));
  };
  check_refusal(study({"--set", "learning_rate=1e300", "--output", "diverged"}), 1,
                "study 'estimators': the training of the machine of seed 1 diverged (learning_rate = 1e+300). Lower "
                "learning_rate.");
  check_refusal(
      study({"--set", "visible_units=gaussian", "--set", "deviation=100", "--output", "wide"}), 1,
      "study 'estimators': the training of the machine of seed 1 diverged (learning_rate = 0.1). Lower learning_rate, "
      "or bring deviation nearer to 0.4.");
  REQUIRE(study({"--output", "whole"}).status == 0);
  folder.write("whole/runs/1_20_cd_1.toml", "cosine = = 1\n");
  const Outcome broken = study({"--output", "whole"});
  CHECK(broken.status == 1);
  CHECK(like(broken.err,
             "*/whole/runs/1_20_cd_1.toml:1:*: not valid TOML: * Remove the file, and the run is made again.\n"));
}

TEST_CASE("--overwrite removes what studies write, and nothing else") {
  const ScratchFolder folder;
  const auto study = [&](std::initializer_list<const char*> more) {
    return run(folder, with({"study", "estimators", "--set", "size=3", "--set", "updates=[2]", "--set", "repeats=40",
                             "--output", "study", "--set"},
                            more));
  };
  REQUIRE(study({R"(estimators=["pseudo_likelihood", "cd", "pcd"])", "--set", "num_seeds=2"}).status == 0);
  const Words others{"figure_of_mine.svg",      "equal_compute_notes.txt", "runs/notes.toml",
                     "runs/2024_10_notes.toml", "runs/1_2_cd_1.txt",       "runs/1_2_cd_x.toml"};
  for (const std::string& other : others) folder.write("study/" + other, "mine");
  for (const char* part : {"1_2_cd_1", "2_2_pcd_10", "2_2_pseudo_likelihood"})
    REQUIRE(fs::exists(folder / "study/runs" / (std::string(part) + ".toml")));
  folder.write("study/runs/1_2_ratio_matching.toml", "of the study that is about to be made");
  REQUIRE(study({R"(estimators=["ratio_matching"])", "--set", "num_seeds=1", "--overwrite"}).status == 0);
  for (const std::string& other : others) CHECK_MESSAGE(content_of(folder / "study" / other) == "mine", other);
  Words left;
  for (const auto& entry : fs::directory_iterator(folder / "study/runs"))
    left.push_back("runs/" + entry.path().filename().string());
  std::ranges::sort(left);
  CHECK(left == Words{"runs/1_2_cd_1.toml", "runs/1_2_cd_1.txt", "runs/1_2_cd_x.toml", "runs/1_2_ratio_matching.toml",
                      "runs/2024_10_notes.toml", "runs/notes.toml"});
}

}  // namespace estimator_study_test
