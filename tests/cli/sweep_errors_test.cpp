#include <doctest/doctest.h>

#include "files.hpp"

namespace sweep_errors_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

Outcome swept(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "sweep");
  words.push_back("--quiet");
  return run(folder, words);
}

}  // namespace

TEST_CASE("mistakes in a sweep are refused before anything is started") {
  const CliFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    CAPTURE(text);
    folder.write("bad.toml", text);
    check_refusal(swept(folder, {"bad.toml"}), 2, message);
    CHECK_FALSE(fs::exists(folder / "bad"));
  };
  const std::string base = "base = \"small.toml\"\n";
  refused("seed = 1\n", "bad.toml: 'base' names the configuration that the runs share. *");
  refused(base + "seeds = [1]\n", "bad.toml:2:9: a sweep has no 'seeds' (did you mean 'seed'?). Known: *");
  refused(base + "seed = [1, -1]\n", "bad.toml:2:12: 'seed' is -1. Seeds are whole numbers from 0 on, *");
  refused(base + "data_seed = [1]\n",
          "bad.toml:2:13: 'data_seed' is a list. Seeds are whole numbers from 0 on, as in data_seed = 1.");
  refused(base + "seed = []\n", "bad.toml:2:8: 'seed' is an empty list. *");
  refused(base + "[grid]\n\"model.num_hidden\" = 5\n",
          "bad.toml:3:22: grid 'model.num_hidden': it has one value, not a list. *");
  refused(base + "[grid]\nestimator.type = \"cd\"\n",
          "bad.toml:3:18: grid 'estimator.type': it has one value, not a list. Write the values that it takes, as in "
          "\"estimator.type\" = [100, 500].");
  refused(base + "[grid]\n\"model.num_hidden\" = [3, 3]\n",
          "runs 1 and 2 of the sweep are the same (model.num_hidden = 3). Say each once.");
  refused(base + "[grid]\nseed = [1]\n[random]\npoints = 1\nseed = { low = 1, high = 2 }\n",
          "bad.toml: 'seed' is set in two places. Leave it in one.");
  refused(base + "[random]\n\"initializer.std\" = { low = 1, high = 2 }\n",
          "bad.toml:2:*: random: 'points' says how many are drawn, from 1 to a million. Give it.");
  refused(base + "[random]\npoints = 2\nx = { low = 0, high = 2, scale = \"log\" }\n",
          "bad.toml:4:*: random 'x': 'low' is 0, which has no logarithm. *");
  refused(base + "[random]\npoints = 2\nx = { low = 3, high = 2 }\n", "*random 'x': 'low' is 3, and 'high' 2. *");
  refused(base + "[random]\npoints = 2\nx = { low = 3.5, high = 9, integer = true }\n",
          "*both ends are whole numbers*");
  // Of a run: which, and where its value was written.
  refused(
      base + "seed = [1, 2]\n[grid]\n\"model.num_hiden\" = [4]\n",
      "bad.toml:4:*: model.num_hiden = 4: model 'rbm': unknown option 'num_hiden' (did you mean 'num_hidden'?)*(Run "
      "1 of 2 of the sweep: model.num_hiden = 4, seed = 1. Nothing was started.)");
  folder.write("good.toml", base);
  check_refusal(swept(folder, {"good.toml", "--task", "3/2"}), 2, "--task 3/2: write I/N, *");
  check_refusal(swept(folder, {"good.toml", "--task", "x"}), 2, "--task x: write I/N, *");
  check_refusal(swept(folder, {"good.toml", "--memory", "0.001"}), 2, "--memory 0.001: a run takes about * alone. *");
  check_refusal(swept(folder, {"good.toml", "--gather", "--task", "1/2"}), 2, "--gather makes no run, *");
  const Outcome dry = swept(folder, {"good.toml", "--dry-run"});
  CHECK(dry.status == 0);
  CHECK(like(
      dry.out,
      "1 runs, 1 of them to be made; the largest takes about * MB\ntime: about * s with 1 at a time, * s of it for "
      "updates; an estimate from a second of the longest and one time each of what it measures, draws and finds at "
      "its end, on this machine as it is now\n"));
  const Outcome early =
      swept(folder, {"good.toml", "--dry-run", "--set", "observers=[{type=\"log_likelihood\", every=1}]", "--set",
                     "training.stop_early=log_likelihood"});
  CHECK(like(early.out, "*\ntime: at most about * with 1 at a time, * of it for updates; *"));
  // At such a rate the run diverges at once.
  const Outcome lost = swept(folder, {"good.toml", "--dry-run", "--set", "optimizer.learning_rate=1e12"});
  CHECK(lost.status == 0);
  CHECK(like(lost.out, "*\ntime: not known, for the first updates of the longest fail: *\n"));
  CHECK_FALSE(fs::exists(folder / "good"));
  check_refusal(swept(folder, {"good.toml", "--slurm", "--jobs", "2"}), 2, "--slurm has each task make its runs *");
  check_refusal(swept(folder, {"good.toml", "--slurm-options", "-n1"}), 2, "--slurm-options are for --slurm, *");
}

TEST_CASE("what the command line sets is refused where the sweep sets it in each run") {
  const CliFolder folder;
  const std::string base = "base = \"small.toml\"\n";
  const auto swept_with = [&](const std::string& text, const Words& settings) {
    folder.write("varied.toml", base + text);
    Words words{"varied.toml", "--dry-run"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    return swept(folder, words);
  };
  const auto lost = [&](const std::string& text, const std::string& setting) {
    CAPTURE(setting);
    check_refusal(swept_with(text, {"training.num_epochs=2", setting}), 2,
                  "--set " + setting +
                      ": the sweep itself sets this in each of its runs, so that it would be lost. Leave out this "
                      "option, or take the key out of the sweep's file.");
  };
  lost("[grid]\n\"model.num_hidden\" = [4, 8]\n", "model.num_hidden=5");
  lost("[random]\npoints = 2\n\"model.num_hidden\" = { low = 4, high = 8, integer = true }\n", "model.num_hidden=5");
  lost("seed = [1, 2]\n", "seed=5");
  lost("[[list]]\ntraining.batch_size = 5\n[[list]]\ntraining.batch_size = 6\n", "training.batch_size=7");
  lost("[grid]\nestimator = [\"cd\", \"pcd\"]\n", "estimator.num_chains=5");
  const auto lost_option = [&](const std::string& text, const std::string& option) {
    folder.write("varied.toml", base + text);
    check_refusal(swept(folder, {"varied.toml", "--dry-run", option, "3"}), 2,
                  option +
                      " 3: the sweep itself sets this in each of its runs, so that it would be lost. Leave out this "
                      "option, or take the key out of the sweep's file.");
  };
  lost_option("seed = [1, 2]\n", "--seed");
  lost_option("[grid]\n\"training.num_epochs\" = [4, 8]\n", "--epochs");
  lost_option("[grid]\n\"training.num_updates\" = [4, 8]\n", "--epochs");
  // Where a run keeps it, it is heard.
  for (const char* text :
       {"[[list]]\ntraining.batch_size = 5\n[[list]]\nseed = 6\n", "[grid]\n\"estimator.num_chains\" = [5, 6]\n"}) {
    const Outcome outcome = swept_with(text, {"training.batch_size=7", "estimator={type=\"pcd\", gibbs_steps=2}"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
  }
}

TEST_CASE("a number that was drawn for an option of whole numbers is refused with what draws these") {
  const CliFolder folder;
  const auto drawn = [&](const std::string& range) {
    folder.write("drawn.toml",
                 "base = \"small.toml\"\n[random]\npoints = 2\n\"optimizer.learning_rate\" = { low = 0.01, "
                 "high = 0.1 }\n\"model.num_hidden\" = { " +
                     range + " }\n");
    return swept(folder, {"drawn.toml", "--dry-run"});
  };
  check_refusal(drawn("low = 4, high = 16"), 2,
                "drawn.toml:5:22: random 'model.num_hidden': the option takes whole numbers, and 10.0 was drawn. Add "
                "integer = true to the range. (Run 1 of 2 of the sweep: optimizer.learning_rate = 0.055, "
                "model.num_hidden = 10.0. Nothing was started.)");
  check_refusal(drawn("low = 4, high = 17"), 2, "*and 10.5 was drawn. Add integer = true to the range. *");
  CHECK(drawn("low = 4, high = 16, integer = true").status == 0);
}

TEST_CASE("scripts for Slurm hold what the command line and the table say, in words that a shell reads as they stand") {
  const CliFolder folder;
  folder.write("it's.toml",
               "base = \"small.toml\"\nseed = [1, 2, 3]\n[slurm]\ntasks = 2\nmem = \"1G\"\nexclusive = true\n");
  const Outcome outcome = swept(
      folder, {"it's.toml", "--slurm", "--dry-run", "--slurm-options", "--qos=high", "--set", "training.num_epochs=2"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  const std::string script = content_of(folder / "it's/slurm/array.sh");
  CHECK(like(script,
             "#!/bin/sh\n*#SBATCH --array=1-2\n*#SBATCH --mem=\"1G\"\n#SBATCH --exclusive\n#SBATCH --qos=high\n"
             "exec '*/harmonium' sweep '*/it'\\''s.toml' --output '*/it'\\''s' --quiet --task "
             "\"$SLURM_ARRAY_TASK_ID/2\" * --set 'training.num_epochs=2'\n"));
  CHECK(like(content_of(folder / "it's/slurm/gather.sh"), "*--quiet --gather --set 'training.num_epochs=2'\n"));

  const auto refused = [&](const std::string& line, const std::string& message) {
    folder.write("bad.toml", "base = \"small.toml\"\n[slurm]\n" + line + "\n");
    check_refusal(swept(folder, {"bad.toml", "--slurm", "--dry-run"}), 2, message);
    CHECK_FALSE(fs::exists(folder / "bad"));
  };
  refused("tasks = 0", "bad.toml:3:9: slurm: 'tasks' is the length of the array job, a whole number from 1 on.");
  refused("array = \"1-3\"", "bad.toml:3:9: slurm: 'array' is said by the sweep itself. Leave it out.");
  refused("mem = [1]", "bad.toml:3:7: slurm: 'mem' is no value that sbatch takes. Write a text, a number or true.");
}

TEST_CASE("scripts for Slurm hand the length and the seed of the command line on") {
  const CliFolder folder;
  folder.write("widths.toml", "base = \"small.toml\"\n[grid]\n\"model.num_hidden\" = [2, 3]\n");
  const Outcome outcome = swept(folder, {"widths.toml", "--slurm", "--dry-run", "--epochs", "2", "--seed", "0"});
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  for (const char* script : {"array", "gather"})
    CHECK(content_of(folder / ("widths/slurm/" + std::string(script) + ".sh")).ends_with(" --epochs 2 --seed 0\n"));
}

TEST_CASE("no word of a script for Slurm ends its line") {
  const CliFolder folder;
  folder.write("good.toml", "base = \"small.toml\"\n");
  const auto refused = [&](Words words, const std::string& message) {
    words.insert(words.end(), {"--slurm", "--dry-run"});
    check_refusal(swept(folder, words), 2, message);
    CHECK_FALSE(fs::exists(folder / "good/slurm"));
  };
  const std::string rest = " it holds a line's end or another control character (here ?), *";
  refused({"good.toml", "--output", "a\ntouch ran"}, "--output '*/a?touch ran':" + rest);
  refused({"good.toml", "--slurm-options", "-n1\n#SBATCH --mem=0"}, "--slurm-options '-n1?#SBATCH --mem=0':" + rest);
  refused({"good.toml", "--slurm-options", "-n1\r"}, "--slurm-options '-n1?':" + rest);
  folder.write("it\nself.toml", "base = \"small.toml\"\n");
  refused({"it\nself.toml", "--output", "good"}, "the sweep '*/it?self.toml':" + rest);
  const auto slurm = [&](const std::string& line, const std::string& message) {
    folder.write("good.toml", "base = \"small.toml\"\n[slurm]\n" + line + "\n");
    refused({"good.toml"}, message);
  };
  slurm("\"mem\\ntouch ran #\" = 1", "good.toml:3:*: slurm: a key is no option of sbatch. *");
  slurm("\"mem=1 --qos\" = 1", "good.toml:3:*: slurm: a key is no option of sbatch. *");
  slurm("\"\" = 1", "good.toml:3:*: slurm: a key is no option of sbatch. *");
  slurm("comment = \"a\\rb\"", "good.toml:3:*: slurm: 'comment' is no value that sbatch takes. *");
}

TEST_CASE("gathering with other settings than the runs were made with keeps the table") {
  const CliFolder folder;
  folder.write("grid.toml", "base = \"small.toml\"\nseed = [1, 2]\n[grid]\n\"model.num_hidden\" = [2, 3]\n");
  const Words made{"grid.toml", "--epochs", "2", "--set", "data_seed=1"};
  REQUIRE(swept(folder, made).status == 0);
  const std::string table = content_of(folder / "grid/sweep.csv");
  const Words files = files_below(folder / "grid");
  const auto gathered = [&](Words words) {
    words.push_back("--gather");
    return swept(folder, words);
  };
  check_refusal(gathered({"grid.toml"}), 2,
                "--gather: 4 finished runs in */grid are of other settings (data_seed = 1, training.num_epochs = 2), "
                "and none of the sweep's own is there: give the same --set and --epochs, *. Nothing was replaced.");
  check_refusal(gathered({"grid.toml", "--epochs", "3", "--set", "data_seed=1"}), 2,
                "--gather: 4 finished runs in */grid are of other settings (training.num_epochs = 2), and *");
  // Short forms of components are not held against what they stand for.
  Words chains = made;
  chains.insert(chains.end(), {"--set", "estimator.gibbs_steps=2"});
  check_refusal(gathered(chains), 2,
                "--gather: 4 finished runs in */grid are of other settings, and none of the sweep's own is there: *");
  CHECK(content_of(folder / "grid/sweep.csv") == table);
  CHECK(files_below(folder / "grid") == files);
  CHECK(gathered(made).status == 0);
  CHECK(content_of(folder / "grid/sweep.csv") == table);

  // Runs of both: those that were asked for are gathered, finished or not.
  REQUIRE(swept(folder, {"grid.toml", "--task", "1/4"}).status == 0);
  CHECK(gathered({"grid.toml"}).status == 1);
  CHECK(content_of(folder / "grid/sweep.csv") != table);
}

TEST_CASE("what a sweep would replace in a folder that is none of its own is kept") {
  const CliFolder folder;
  folder.write("good.toml", "base = \"small.toml\"\n");
  for (const char* name : {"sweep.csv", "by_seed.svg"}) {
    fs::create_directory(folder / "mine");
    folder.write(std::string("mine/") + name, "mine\n");
    for (const Words& more : {Words{}, Words{"--gather"}, Words{"--dry-run"}, Words{"--slurm", "--dry-run"}}) {
      Words words{"good.toml", "--output", "mine"};
      words.insert(words.end(), more.begin(), more.end());
      check_refusal(swept(folder, words), 2,
                    std::string("--output */mine: the folder holds a file '") + name +
                        "' and no sweep (no folder 'ends') that it is of, and the sweep would replace it. *");
    }
    CHECK(content_of(folder / "mine" / name) == "mine\n");
    CHECK(files_below(folder / "mine") == Words{name});
    fs::remove_all(folder / "mine");
  }
  folder.write("mine", "a file");
  for (const Words& more : {Words{}, Words{"--gather"}, Words{"--slurm", "--dry-run"}}) {
    Words words{"good.toml", "--output", "mine"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(swept(folder, words), 2, "--output mine: a file of this name exists. Give the name of a folder.");
  }
  CHECK(content_of(folder / "mine") == "a file");
}

}  // namespace sweep_errors_test
