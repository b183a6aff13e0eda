#include <algorithm>
#include <cstdlib>
#include <map>

#include <sys/wait.h>

#include <doctest/doctest.h>

#include "files.hpp"

#include <harmonium/tests/support/paths.hpp>
#include <harmonium/tests/support/skip.hpp>

namespace study_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// A study of seconds: the smallest machines, a learning rate ten times the paper's.
const Words small{"study", "cd-bias",          "--set",   "sizes=[3, 5]",
                  "--set", "num_seeds=2",      "--set",   "learning_rate=0.01",
                  "--set", "trace_every=2000", "--set",   "fixed_updates=5000",
                  "--set", "most_steps=3",     "--output"};

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> results{"cd_bias.csv", "trace.csv", "fixed_updates.csv", "runs.csv", "report.md"};

}  // namespace

TEST_CASE("the study of contrastive divergence writes its tables, figures and findings") {
  const ScratchFolder folder;
  const Outcome outcome = run(folder, with(small, {"one", "--threads", "1"}));
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(like(outcome.out,
             "data *updates *r_1 %*Diag_3 *Diag_5 *1DBall_3 *1DBall_5 *Figure 1: *Figure 5: */one/report.md\n"));

  const auto bias = csv_fields(folder / "one/cd_bias.csv");
  const Words header{"data_set",         "d", "seed",  "k", "updates", "alpha", "beta", "delta", "r_median",
                     "r_ratio_of_means", "s", "cosine"};
  REQUIRE(bias.size() == 1 + 2 * 2 * 2 * 3);
  CHECK(bias[0] == header);
  std::size_t at = 1;
  for (const char* set : {"diagonal", "one_d_ball"})
    for (const char* d : {"3", "5"})
      for (const char* seed : {"1", "2"})
        for (const char* k : {"1", "2", "3"}) {
          const Words& row = bias[at++];
          REQUIRE(row.size() == header.size());
          CHECK(Words(row.begin(), row.begin() + 4) == Words{set, d, seed, k});
          CHECK(std::stol(row[4]) % 1000 == 0);
          for (const int fraction : {8, 9, 10, 11}) CHECK(std::abs(std::stod(row[fraction])) <= 1.5);
          // Where the criterion is met the bias shrinks with k.
          if (*k != '1') CHECK(std::stod(row[7]) < std::stod(bias[at - 2][7]));
        }

  const auto fixed = csv_fields(folder / "one/fixed_updates.csv");
  REQUIRE(fixed.size() == bias.size());
  CHECK(fixed[0] == header);
  for (std::size_t i = 1; i < fixed.size(); ++i) CHECK(fixed[i][4] == "5000");

  // A trace goes from the first parameters to the criterion, and its likelihood rises.
  const auto trace = csv_fields(folder / "one/trace.csv");
  CHECK(trace[0] == Words{"data_set", "d", "seed", "updates", "log_likelihood", "alpha", "beta", "delta", "r_median",
                          "r_ratio_of_means", "s", "cosine"});
  std::map<std::string, long> criterion;
  for (std::size_t i = 1; i < bias.size(); ++i) criterion[bias[i][0] + bias[i][1] + bias[i][2]] = std::stol(bias[i][4]);
  for (std::size_t i = 1; i < trace.size(); ++i) {
    CHECK(std::stol(trace[i][3]) <= criterion.at(trace[i][0] + trace[i][1] + trace[i][2]));
    if (trace[i][3] == "0") CHECK(std::stod(trace[i][4]) < -1.3);
  }
  CHECK(csv_fields(folder / "one/runs.csv").size() == 1 + 8);

  const std::string report = content_of(folder / "one/report.md");
  for (const char* part : {"# The bias of contrastive divergence", "## 1. Training", "## 5. After a fixed number"})
    CHECK(report.find(part) != std::string::npos);
  const bool gnuplot = std::system("command -v gnuplot > /dev/null 2>&1") == 0;
  if (!gnuplot) {
    skip_test("gnuplot is not installed, so that figures were not tested");
    return;
  }
  for (const char* name :
       {"figure1_training", "figure2_r_by_k", "figure3_parameters", "figure4_s_by_k", "figure5_r_by_k_fixed_updates"}) {
    CAPTURE(name);
    CHECK(content_of(folder / "one" / (std::string(name) + ".svg")).find("<svg") != std::string::npos);
    CHECK(content_of(folder / "one" / (std::string(name) + ".png")).starts_with("\x89PNG"));
    CHECK(report.find(std::string(name) + ".svg") != std::string::npos);
  }
}

TEST_CASE("a study that was broken off goes on to the bytes of an unbroken one, on any number of threads") {
  const ScratchFolder folder;
  CHECK(run(folder, with(small, {"whole", "--threads", "1", "--quiet"})).status == 0);
  {
    Running running(with(small, {"broken", "--threads", "2"}), {.folder = folder.path()});
    REQUIRE(appears(folder / "broken/runs/one_d_ball_5_1.toml"));
    running.signal(SIGINT);
    check_refusal(running.wait(), 1, "stopped with * of 8 runs done. The same command goes on.");
  }
  CHECK(!fs::exists(folder / "broken/cd_bias.csv"));
  {
    Running running(with(small, {"broken", "--threads", "2"}), {.folder = folder.path()});
    running.signal(SIGKILL);
    CHECK(running.wait().status == 128 + SIGKILL);
  }
  const Outcome outcome = run(folder, with(small, {"broken", "--threads", "2"}));
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: going on in */broken: * of 8 runs are done.\n"));
  for (const std::string& file : results)
    CHECK_MESSAGE(content_of(folder / "whole" / file) == content_of(folder / "broken" / file), file);
  // Once more: nothing is left to do but to draw.
  const Outcome again = run(folder, with(small, {"broken"}));
  CHECK(again.status == 0);
  CHECK(like(again.err, "harmonium: note: */broken holds all 8 runs: tables and figures are made of them anew.\n"));
}

TEST_CASE("a study goes on with more seeds, and with fewer, and keeps those that are done") {
  const ScratchFolder folder;
  const auto seeds = [&](const char* name, const char* number) {
    return run(folder, {"study", "cd-bias", "--set", "sizes=[3]", "--set", "learning_rate=0.01", "--set",
                        "fixed_updates=0", "--set", number, "--output", name});
  };
  CHECK(seeds("one", "num_seeds=1").status == 0);
  CHECK(seeds("three", "num_seeds=3").err == "");
  std::map<std::string, std::string> first;
  for (const std::string& file : files_below(folder / "one"))
    if (fs::is_regular_file(folder / "one" / file)) first[file] = content_of(folder / "one" / file);
  REQUIRE(first.contains("runs/diagonal_3_1.toml"));
  const auto written = fs::last_write_time(folder / "one/runs/diagonal_3_1.toml");

  const Outcome more = seeds("one", "num_seeds=3");
  CHECK(more.status == 0);
  CHECK(like(more.err, "harmonium: note: going on in */one: 2 of 6 runs are done.\n"));
  CHECK(fs::last_write_time(folder / "one/runs/diagonal_3_1.toml") == written);
  CHECK(content_of(folder / "one/config.toml") == content_of(folder / "three/config.toml"));
  for (const std::string& file : results)
    CHECK_MESSAGE(content_of(folder / "one" / file) == content_of(folder / "three" / file), file);

  const Outcome fewer = seeds("one", "num_seeds=1");
  CHECK(like(fewer.err, "harmonium: note: */one holds all 2 runs: tables and figures are made of them anew.\n"));
  for (const std::string& file : results) CHECK_MESSAGE(content_of(folder / "one" / file) == first.at(file), file);
}

TEST_CASE("more seeds that were broken off leave no tables of fewer") {
  const ScratchFolder folder;
  const Words one{"study", "cd-bias",         "--set", "sizes=[3]",   "--set",    "learning_rate=0.01",
                  "--set", "fixed_updates=0", "--set", "num_seeds=1", "--output", "study"};
  CHECK(run(folder, one).status == 0);
  Running running({"study", "cd-bias", "--set", "sizes=[3]", "--set", "learning_rate=0.01", "--set", "fixed_updates=0",
                   "--set", "num_seeds=400", "--output", "study"},
                  {.folder = folder.path()});
  REQUIRE(appears(folder / "study/runs/one_d_ball_3_2.toml"));
  running.signal(SIGTERM);
  const Outcome outcome = running.wait();
  CHECK(outcome.status == 1);
  CHECK(like(outcome.err,
             "harmonium: note: going on in */study: 2 of 800 runs are done.\nharmonium: stopped with * of 800 runs "
             "done. The same command goes on.\n"));
  for (const std::string& file : results) CHECK_MESSAGE(!fs::exists(folder / "study" / file), file);
  CHECK(run(folder, one).status == 0);
  CHECK(fs::exists(folder / "study/cd_bias.csv"));
}

TEST_CASE("a folder that holds something else than this study is said to") {
  const CliFolder folder;
  folder.trained();
  const std::string config = content_of(folder / "run/config.toml"), model = content_of(folder / "run/model.h5");
  for (const Words& study : {Words{"study", "cd-bias"}, Words{"study", "estimators"}}) {
    const auto refused = [&](std::initializer_list<const char*> more, const char* why) {
      check_refusal(run(folder, with(study, more)), 2, why);
    };
    refused({"--output", "run"},
            "--output */run: the folder holds a training run, and a study has a folder of its own. Take another "
            "folder.");
    refused({"--output", "run", "--overwrite"}, "--output */run: the folder holds a training run, *");
    fs::create_directories(folder / "other");
    fs::create_directories(folder / "tables");
    folder.write("other/config.toml", "a = 1\n");
    refused({"--output", "other"},
            "--output */other: the folder holds a config.toml that is of no study, and this is the study '*'. Take "
            "another folder, or add --overwrite to replace it.");
    folder.write("tables/estimators.csv", "");
    refused({"--output", "tables"},
            "--output */tables: the folder holds estimators.csv, and no config.toml that says what it is of. *");
  }
  CHECK(content_of(folder / "run/config.toml") == config);
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(!fs::exists(folder / "run/runs"));

  const Words estimators{"study",    "estimators",  "--set", "size=3",     "--set", "num_seeds=1",
                         "--set",    "updates=[2]", "--set", "repeats=40", "--set", "estimators=[\"cd\"]",
                         "--output", "study"};
  CHECK(run(folder, estimators).status == 0);
  check_refusal(run(folder, {"study", "cd-bias", "--output", "study"}), 2,
                "--output */study: the folder holds the study 'estimators', and this is the study 'cd-bias'. *");
  CHECK(run(folder, {"study", "cd-bias", "--set", "sizes=[3]", "--set", "learning_rate=0.01", "--set",
                     "fixed_updates=0", "--set", "num_seeds=1", "--output", "study", "--overwrite"})
            .status == 0);
  CHECK(!fs::exists(folder / "study/estimators.csv"));
  CHECK(!fs::exists(folder / "study/equal_compute.svg"));
  CHECK(!fs::exists(folder / "study/runs/1_2_cd_1.toml"));
  check_refusal(run(folder, estimators), 2,
                "--output */study: the folder holds the study 'cd-bias', and this is the study 'estimators'. *");
}

TEST_CASE("without gnuplot a study has its tables, and says what is missing") {
  const ScratchFolder folder;
  const fs::path program = program_path();
  const std::string command = "cd " + folder.path().string() + " && PATH=/nowhere " + program.string() +
                              " study cd-bias --set 'sizes=[3]' --set num_seeds=1 --set learning_rate=0.01 --set "
                              "fixed_updates=0 --output plain > out 2> err";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(like(content_of(folder / "err"),
             "harmonium: note: gnuplot is not installed: the study has its tables, but no figures. *\n"));
  CHECK(fs::exists(folder / "plain/cd_bias.csv"));
  CHECK(!fs::exists(folder / "plain/figure2_r_by_k.svg"));
  CHECK(content_of(folder / "plain/report.md").find("![") == std::string::npos);
}

TEST_CASE("what gnuplot says where it fails is told, and no picture is left half drawn") {
  const ScratchFolder folder;
  const fs::path program = program_path();
  folder.write("gnuplot", "#!/bin/sh\necho no terminal >&2\nexit 1\n");
  fs::permissions(folder / "gnuplot", fs::perms::owner_all);
  const std::string command = "cd " + folder.path().string() + " && PATH=$PWD:$PATH " + program.string() +
                              " study cd-bias --set 'sizes=[3]' --set num_seeds=1 --set learning_rate=0.01 --set "
                              "fixed_updates=0 --output plain > out 2> err";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
  CHECK(like(content_of(folder / "err"),
             "harmonium: gnuplot could not draw */plain/figure1_training.svg: no terminal\n"));
  const Words left = files_below(folder / "plain");
  CHECK(std::ranges::none_of(left, [](const std::string& file) {
    return file.ends_with(".svg") || file.ends_with(".png") || file.ends_with(".partial");
  }));
}

TEST_CASE("a study that cannot be meant is refused before anything is computed") {
  const ScratchFolder folder;
  const auto refused = [&](std::initializer_list<const char*> arguments, int status, const char* why) {
    check_refusal(run(folder, with({"study"}, arguments)), status, why);
    CHECK(!fs::exists(folder / "cd-bias"));
  };
  refused({"cd-bias", "--set", "num_seed=3"}, 2,
          "--set num_seed=3: study 'cd-bias': unknown option 'num_seed' (did you mean 'num_seeds'?). *");
  refused({"cd-bias", "--set", "sizes=[6, 12]"}, 2,
          "*'sizes' holds 12, and whole numbers from 3 to 11 are expected (2^d states are enumerated).");
  refused({"cd-bias", "--set", "sizes=[6.5]"}, 2, "*'sizes' holds 6.5, and whole numbers from 3 to 11 are expected*");
  refused({"cd-bias", "--set", "sizes=[6, 6]"}, 2,
          "*'sizes' holds 6 twice, and the study takes each once. Remove one.");
  refused({"cd-bias", "--set", "sizes=[]"}, 2, "*'sizes' is empty, which leaves nothing to study.");
  refused({"cd-bias", "--set", "data_sets=[\"diagonals\"]"}, 2,
          "*'data_sets' holds 'diagonals' (did you mean 'diagonal'?). Known: diagonal, one_d_ball.");
  refused({"cd-bias", "--set", "max_updates=1000"}, 2,
          "*'fixed_updates' is 300000, which no run reaches with 'max_updates' 1000. Raise that.");
  refused({"cd-bias", "--set", "num_seeds=1000000000000"}, 2,
          "*option 'num_seeds' = 1000000000000 is not allowed: it must be from 1 to 10000.");
  refused({"cd-bias", "--seed", "9223372036854775807", "--set", "num_seeds=2"}, 2,
          "*'seed' is 9223372036854775807, and with 'num_seeds' 2 the last seed would be beyond *Lower 'seed'.");
  refused({"cd-bias", "--set", "sizes=[3]", "--set", "data_sets=[\"diagonal\"]", "--set", "num_seeds=1", "--set",
           "learning_rate=1e300", "--output", "diverged"},
          1,
          "study 'cd-bias': the training of diagonal of size 3, seed 1 diverged (learning_rate = 1e+300). Lower "
          "learning_rate.");
  refused({"cd-bais"}, 2,
          "NAME: study 'cd-bais' is not registered (did you mean 'cd-bias'?). Known: cd-bias, estimators.");
  refused({"cd-bias", "--plugin", "wolff"}, 2, "--plugin wolff: this study takes nothing from plugins. Leave it out.");
  refused({}, 2, "study: NAME is missing. See 'harmonium study --help'.");
  refused({"cd-bias", "absent.toml"}, 2, "*absent.toml*");
  refused({"cd-bias", "--set", "sizes=[3]", "--set", "max_updates=2000", "--set", "fixed_updates=0", "--set",
           "num_seeds=1", "--set", "data_sets=[\"diagonal\"]", "--output", "short"},
          1,
          "diagonal of size 3, seed 1: after 2000 updates the mean of -log P is *, and the criterion is 1.4556. Raise "
          "max_updates or learning_rate.");
  refused({"cd-bias", "--set", "sizes=[3]", "--set", "fixed_updates=0", "--output", "short"}, 2,
          "--output */short: its config.toml is not the configuration of this study (different: 'data_sets', "
          "'num_seeds', 'max_updates'), so it cannot go on with what the folder holds. Take another folder, or add "
          "--overwrite to replace "
          "it.");
}

TEST_CASE("describe tells the options of a study") {
  const ScratchFolder folder;
  const Outcome outcome = run(folder, {"describe", "study", "cd-bias"});
  CHECK(outcome.status == 0);
  for (const char* option : {"data_sets", "sizes", "num_seeds", "learning_rate", "trace_every", "fixed_updates"})
    CHECK(outcome.out.find(option) != std::string::npos);
}

}  // namespace study_test
