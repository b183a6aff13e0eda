#include <doctest/doctest.h>
#include <fmt/format.h>

#include "files.hpp"

namespace command_line_test {

using namespace harmonium::testing;

TEST_CASE("a command line that cannot be meant is refused in one line that says what to do") {
  const CliFolder folder;
  const auto refused = [&](const Words& arguments, std::string_view pattern) {
    check_refusal(run(folder, arguments), 2, pattern);
  };
  refused(
      {},
      "no command is given. Commands: train, resume, sweep, stack, init, inspect, explain, check, import, export, "
      "sample, evaluate, "
      "transform, diagnose, observe, gradient, draw, compare, report, watch, study, recipe, list, describe, plugins. "
      "See "
      "'harmonium --help'.");
  refused({"evalute", "m.h5"},
          "there is no command 'evalute' (did you mean 'evaluate'?). Commands: *. See 'harmonium --help'.");
  refused({"--verson"}, "unknown option '--verson' (did you mean '--version'?) (the command comes first). See *");
  refused({"--quiet", "train", "small.toml"},
          "'--quiet' is an option of 'train'. Write it behind the command. See 'harmonium train --help'.");
  refused({"train", "small.toml", "--outptu", "x"},
          "train: unknown option '--outptu' (did you mean '--output'?). See 'harmonium train --help'.");
  refused({"train", "small.toml", "--outptu=x"},
          "train: unknown option '--outptu' (did you mean '--output'?). See 'harmonium train --help'.");
  refused({"sample", "m.h5", "--num-samples", "1", "--steps", "1", "--output", "s.npy", "--temperatures", "2"},
          "sample: unknown option '--temperatures' (temperatures are given as --temperature, or as --beta, the inverse "
          "1/T). See *");
  refused({"evaluate", "m.h5", "-T", "2"},
          "evaluate: unknown option '-T' (temperatures are given as --temperature or --temperatures, or as --beta or "
          "--betas, the "
          "inverse 1/T). See *");
  for (const char* option : {"--T", "--temp"})
    refused(
        {"observe", "m.h5", option, "1"},
        fmt::format(
            "observe: unknown option '{}' (temperatures are given as --temperature or --temperatures, or as --beta or "
            "--betas, the inverse 1/T). See *",
            option));
  refused({"train", "small.toml", "--learning-rate", "0.1"},
          "train: unknown option '--learning-rate' (settings are given as --set SECTION.KEY=VALUE). See *");
  refused({"evaluate", "m.h5", "--data", "d.npy", "--labels", "l.npy"},
          "evaluate: unknown option '--labels' (labels of rows are given as --set data.labels=FILE, or behind the rows "
          "as --data ROWS:labels=FILE). See *");
  refused({"init", "d.npy", "--labels", "l.npy"},
          "init: unknown option '--labels' (labels of rows are given as --set data.labels=FILE). See *");
  const auto settings_of_run = [](const char* run, const char* setting) {
    return fmt::format(
        "resume: unknown option '--set'. A run goes on with its own configuration, of which only its length can be "
        "another (--epochs N). 'harmonium train CONFIG --from {} --set {}' starts from its model with other settings. "
        "See 'harmonium resume --help'.",
        run, setting);
  };
  refused({"resume", "runs/first", "--set", "model.num_hidden=96"},
          settings_of_run("runs/first", "model.num_hidden=96"));
  refused({"resume", "runs/first", "--set=model.num_hidden=96"}, settings_of_run("runs/first", "model.num_hidden=96"));
  refused({"resume", "--set", "model.num_hidden=96", "runs/first"},
          settings_of_run("runs/first", "model.num_hidden=96"));
  refused({"resume", "runs/first", "--set"}, settings_of_run("runs/first", "SECTION.KEY=VALUE"));
  refused({"evaluate", "m.h5", "d.csv"},
          "evaluate: 'd.csv' is one word too many (data is given as --data FILE). See *");
  refused({"evaluate", "m.h5", "--betas", "0.2,", "0.4"},
          "evaluate: '0.4' is one word too many (a list has no blanks, as in --betas 0.2,0.4). See *");
  refused({"init", "d.csv", "--force"}, "init: unknown option '--force' (did you mean '--overwrite'?). See *");
  refused({"train", "small.toml", "--force"}, "train: unknown option '--force' (did you mean '--overwrite'?). See *");
  refused({"inspect", "m.h5", "--force"}, "inspect: unknown option '--force'*. See *");
  refused({"sample", "m.h5", "-n", "10"}, "sample: unknown option '-n' (did you mean '--num-samples'?). See *");
  refused({"import", "ring.txt", "-o", "m.h5"}, "import: unknown option '-o' (did you mean '--output'?). See *");
  refused({"sample", "m.h5", "--num_samples", "10"},
          "sample: unknown option '--num_samples' (did you mean '--num-samples'?). See *");
  refused({"sample", "m.h5", "--steps", "10"}, "sample: --output is missing. See *");
  refused({"train", "small.toml", "-x"}, "train: unknown option '-x'. See 'harmonium train --help'.");
  refused({"train", "small.toml", "other.toml"},
          "train: 'other.toml' is one word too many. See 'harmonium train --help'.");
  refused({"train"}, "train: CONFIG.toml is missing. See 'harmonium train --help'.");
  refused({"sample"}, "sample: MODEL.h5|RUN is missing. See 'harmonium sample --help'.");
  refused({"sample", "m.h5", "--steps", "1", "--output", "s.npy"},
          "sample: --num-samples is missing. How many are enough depends on the model, and 'harmonium diagnose' tells; "
          "'harmonium draw' takes --num-samples 100 --steps 1000. See 'harmonium sample --help'.");
  refused({"sample", "m.h5", "--num-samples", "1", "--output", "s.npy"}, "sample: --steps is missing. *");
  refused({"sample", "m.h5", "--num-samples", "1", "--thin", "2", "--sampler", "exact", "--output", "s.npy"},
          "sample: --steps is missing. *");
  refused({"sample", "m.h5", "--num-samples", "1", "--steps", "1"},
          "sample: --output is missing. See 'harmonium sample --help'.");
  refused({"export", "m.h5", "--output", "-"},
          "--output: nothing is written to standard output by it. Name a file or folder, as the help says. *");
  refused({"evaluate"}, "evaluate: MODEL.h5|RUN is missing. See 'harmonium evaluate --help'.");
  refused({"gradient", "m.h5", "--data", "d.npy", "--output", "g.h5"},
          "gradient: --estimator is missing. See 'harmonium gradient --help'.");
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}

TEST_CASE("a value that an option cannot take is refused by name") {
  const CliFolder folder;
  const auto refused = [&](const char* option, const char* value, std::string_view pattern) {
    Words words{"sample", "m.h5", "--num-samples", "4", "--steps", "3", "--output", "s.npy"};
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == option)
        words.erase(words.begin() + static_cast<long>(i), words.begin() + static_cast<long>(i) + 2);
    words.insert(words.end(), {option, value});
    check_refusal(run(folder, words), 2, pattern);
  };
  for (const char* value : {"0", "-1", "1.5", "1e3", "0x10", "ten", "99999999999999999999", "4 "})
    refused(
        "--num-samples", value,
        "--num-samples: '" + std::string(value) +
            "' is not allowed: it must be a whole number of at least 1, below 2^63. See 'harmonium sample --help'.");
  refused("--steps", "-3", "--steps: '-3' is not allowed: it must be a whole number of at least 0, *");
  refused("--thin", "0", "--thin: '0' is not allowed: it must be a whole number of at least 1, *");
  refused("--seed", "-1", "--seed: '-1' is not allowed: it must be a whole number of at least 0, below 2^63. *");
  refused("--seed", "9223372036854775808", "--seed: '9223372036854775808' is not allowed: *");
  refused("--threads", "0", "--threads: '0' is not allowed: it must be a whole number from 1 to 4096. *");
  for (const char* value : {"-1", "nan", "inf", "1e999", "1,5", "x"})
    refused("--beta", value,
            "--beta: '" + std::string(value) + "' is not allowed: it must be a finite number, 0 or more. *");
  for (const char* value : {"0", "-1", "nan", "x"})
    refused("--temperature", value,
            "--temperature: '" + std::string(value) + "' is not allowed: it must be a finite number above 0. *");
  for (const char* command : {"observe", "evaluate", "diagnose"}) {
    check_refusal(run(folder, {command, "m.h5", "--temperature", "0"}), 2,
                  "--temperature: '0' is not allowed: it must be a finite number above 0. *");
    check_refusal(
        run(folder, {"evaluate", "m.h5", "--temperature", "1,2"}), 2,
        "--temperature: '1,2' is several. 'evaluate' and 'observe' take these by --temperatures, or --betas. *");
    check_refusal(run(folder, {command, "m.h5", "--temperature", "2", "--beta", "0.5"}), 2,
                  "--temperature: --beta names the inverse temperature already. Leave one of the two out. *");
    check_refusal(run(folder, {command, "m.h5", "--temperature", "1e-309"}), 2,
                  "--temperature: the inverse of 1e-309 is beyond what a number holds. Give a higher temperature. *");
  }
  check_refusal(run(folder, {"evaluate", "m.h5", "--beta", "-1"}), 2,
                "--beta: '-1' is not allowed: it must be a finite number, 0 or more. See 'harmonium evaluate --help'.");
  refused("--output", "", "--output: the name is empty. See 'harmonium sample --help'.");
  refused("--sampler", "", "--sampler: the name is empty. See 'harmonium sample --help'.");
  check_refusal(run(folder, {"train", "small.toml", "--seed"}), 2,
                "--seed: its value is missing. See 'harmonium train --help'.");
  check_refusal(run(folder, {"train", "small.toml", "--set"}), 2,
                "--set: its value is missing. See 'harmonium train --help'.");
  check_refusal(run(folder, {"train", "small.toml", "--output", "a", "--output", "b"}), 2,
                "--output: it may be given once only. See 'harmonium train --help'.");
  CHECK(files_below(folder.path()) == Words{"small.toml"});
}

TEST_CASE("a file behind --energies is told where energies go") {
  const ScratchFolder folder;
  const auto refused = [&](const Words& words, const std::string& why) {
    Words all{"sample", "m.h5", "--num-samples", "3", "--steps", "5"};
    all.insert(all.end(), words.begin(), words.end());
    check_refusal(run(folder, all), 2, why + " See 'harmonium sample --help'.");
  };
  const std::string extra = "sample: 'e.npy' is one word too many (--energies takes no value: energies are ";
  refused({"--energies", "e.npy", "--output", "s.npy"}, extra + "written beside --output s.npy, to s.energies.npy).");
  refused({"--output", "out/s.npy", "--energies", "e.npy"},
          extra + "written beside --output out/s.npy, to out/s.energies.npy).");
  refused({"--energies", "e.npy", "--output", "s.csv"}, extra + "the last column, 'energy', of s.csv).");
  refused({"--energies", "e.npy", "--output", "s.h5"}, extra + "the dataset 'energies' of s.h5).");
  refused({"--energies", "e.npy", "--output", "s.fasta"}, extra + "in the names of the sequences of s.fasta).");
  refused({"--energies=e.npy", "--output", "s.npy"},
          "sample: --energies takes no value: energies are written beside --output FILE.npy, to FILE.energies.npy.");
  refused({"e.npy", "--output", "s.npy"}, "sample: 'e.npy' is one word too many.");
}

TEST_CASE("draw names the command that draws the curves of several runs") {
  const ScratchFolder folder;
  const auto refused = [&](const Words& words, const char* why) {
    Words all{"draw"};
    all.insert(all.end(), words.begin(), words.end());
    check_refusal(run(folder, all), 2, std::string(why) + " See 'harmonium draw --help'.");
  };
  refused({"a", "b", "--what", "curves"},
          "draw: 'b' is one word too many (curves of several runs are drawn by 'harmonium compare a b --output "
          "curves.svg').");
  refused({"a", "--what=curves", "b", "c", "--output", "all.png"},
          "draw: 'b' is one word too many (curves of several runs are drawn by 'harmonium compare a b c --output "
          "all.png').");
  refused({"a", "b", "--what", "filters"}, "draw: 'b' is one word too many (data is given as --data FILE).");
}

TEST_CASE("options may stand anywhere behind the command, with a blank or an equals sign") {
  const CliFolder folder;
  CHECK(
      run(folder, {"train", "--quiet", "--seed=4", "--set=training.num_epochs=1", "small.toml", "--output=a"}).status ==
      0);
  CHECK(run(folder, {"train", "--set", "training.num_epochs=1", "--seed", "4", "--output", "b", "--", "small.toml"})
            .status == 0);
  CHECK(content_of(folder / "a/config.toml") == content_of(folder / "b/config.toml"));
  CHECK(content_of(folder / "a/metrics.jsonl") == content_of(folder / "b/metrics.jsonl"));
}

TEST_CASE("--set takes TOML values, else strings, and the last one counts") {
  const CliFolder folder;
  const Outcome outcome =
      run(folder,
          {"train", "small.toml", "--output", "a", "--set", "training.num_epochs=1", "--set", "training.num_epochs=2",
           "--set", "optimizer={type=\"adam\", learning_rate=2e-3}", "--set", "estimator.type=cd", "--set",
           "estimator={type=\"cd\", gibbs_steps=2}", "--set", "regularizers=[{type=\"l2\"}]"});
  CHECK(outcome.err == "");
  const std::string config = content_of(folder / "a/config.toml");
  for (const char* line : {"num_epochs = 2\n", "type = \"adam\"\n", "learning_rate = 0.002\n", "gibbs_steps = 2\n",
                           "type = \"l2\"\n", "start = \"data\"\n"})
    CHECK_MESSAGE(config.find(line) != std::string::npos, line);
}

TEST_CASE("a list of one component may be its name, its table, or a list of names") {
  const CliFolder folder;
  folder.write("small.toml", small_config);
  for (const char* given : {"regularizers=l2", "regularizers={type=\"l2\"}", "regularizers=[\"l2\"]"}) {
    CAPTURE(given);
    REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--overwrite", "--set", given}).status == 0);
    CHECK(content_of(folder / "run/config.toml").find("[[regularizers]]\ntype = \"l2\"\nstrength = 0.0001\n") !=
          std::string::npos);
  }
  check_refusal(run(folder, {"train", "small.toml", "--output", "other", "--set", "regularizers=3"}), 2,
                "*'regularizers' must be a list of tables: write [[regularizers]].");
}

TEST_CASE("a setting that cannot be meant is refused with its own words as the place") {
  const CliFolder folder;
  folder.trained();
  folder.write("d.npy", npy_bytes(4, 9, bit_rows(4, 9)));
  const auto refused = [&](Words words, const std::string& setting, const std::string& pattern) {
    words.insert(words.end(), {"--set", setting});
    check_refusal(run(folder, words), 2, "--set " + setting + ": " + pattern);
  };
  const Words train{"train", "small.toml", "--output", "new"};
  refused(train, "foo", "there is no '='. Write KEY=VALUE, *");
  refused(train, "=3", "a part of the key is empty. Write KEY=VALUE, *");
  refused(train, "modell.num_hidden=3", "unknown section 'modell' (did you mean 'model'?). Known: *.");
  refused(train, "model.num_hiden=3",
          "model 'rbm': unknown option 'num_hiden' (did you mean 'num_hidden'?). Known: *.");
  refused(train, "model.num_hidden=-1", "model 'rbm': option 'num_hidden' = -1 is not allowed: it must be at least 1.");
  refused(train, "model.num_hidden=2.5", "model 'rbm': option 'num_hidden' must be an integer, not a number*");
  refused(train, "model.type=rmb", "model 'rmb' is not registered*. Known: *rbm*");
  refused(train, "model.hidden_units=500",
          "model 'rbm': component 'hidden_units' must be a table with a 'type', or the name of a type such as "
          "'binary', not an integer. How many there are says 'num_hidden'.");
  refused(train, "model.visible_units=9", "*such as 'binary', not an integer. How many there are says 'num_visible'.");
  refused(train, "model.hidden_units=true", "*or the name of a type such as 'binary', not true or false.");
  refused(train, "estimator=cd-1", "estimator 'cd-1' is not registered (did you mean 'cd'?). Known: *");
  refused(train, "seed.x=3", "*'seed' is an integer, not a table*");
  refused(train, "precision=float16", "option 'precision' must be \"float32\" or \"float64\".");
  refused(train, "optimizer.learning_rate=-1", "optimizer 'sgd': option 'learning_rate' = -1 is not allowed: *");
  refused(train, "optimizer.learning_rate=nan", "optimizer 'sgd': option 'learning_rate' = nan is not allowed: *");
  refused(train, "optimizer.learning_rate=fast",
          "optimizer 'sgd': option 'learning_rate' must be a number, not a string.");
  refused(train, "estimator.gibbs_steps=0",
          "estimator 'pcd': option 'gibbs_steps' = 0 is not allowed: it must be at least 1.");
  refused(train, "training.batch_size=0", "training: option 'batch_size' = 0 is not allowed: it must be at least 1.");
  refused(train, "data.side=99",
          "data 'bars_and_stripes': option 'side' = 99 is not allowed: it must be from 1 to 12.");
  refused(train, "data=5", "[data] must be a table, or the name of a type, not an integer.");
  refused(train, "num_epochs=5", "unknown section 'num_epochs' (did you mean 'training.num_epochs'?). Known: *.");
  refused(train, "num_hidden=5", "unknown section 'num_hidden' (did you mean 'model.num_hidden'?). Known: *.");
  refused(train, "optimizer.lr=0.1", "optimizer 'sgd': unknown option 'lr' (did you mean 'learning_rate'?). Known: *");
  refused(train, "training.learning_rate=0.1",
          "training: unknown option 'learning_rate' (did you mean 'optimizer.learning_rate'?).");
  refused(train, "optimizer.weight_decay=0.1",
          "optimizer 'sgd': unknown option 'weight_decay' (penalties stand by themselves: regularizers = [{ type = "
          "\"l2\" }]). Known: *");
  refused(train, "model.terms=[]",
          "model 'rbm': unknown option 'terms' (they are options of the model 'layered'). Known: num_visible*");
  for (const char* option : {"visible_bias=false", "hidden_bias=false", "bias=false"})
    refused(train, fmt::format("model.{}", option),
            "model 'rbm': unknown option '*' (a layer has no biases where it says bias = false, in a model of type "
            "'layered'; what biases begin with, the initializer says). Known: num_visible*");
  refused(train, "l1=0.1",
          "unknown section 'l1' (penalties stand by themselves: regularizers = [{ type = \"l1\" }]). *");
  refused(train, "training.optimizer.learning_rate=0.1",
          "'optimizer' is a section of its own: its options stand below a line [optimizer], and not below [training].");
  refused(train, "training.lr=0.1", "training: unknown option 'lr' (did you mean 'optimizer.learning_rate'?).");
  refused(train, "training.epochs=3", "training: unknown option 'epochs' (did you mean 'num_epochs'?). Known: *");
  refused(train, "lr=0.1", "unknown section 'lr' (did you mean 'optimizer.learning_rate'?). Known: *.");
  refused(train, "training.clip_norm=",
          "'training.clip_norm' is not set, so there is nothing to take back. An empty text is written --set "
          "training.clip_norm='\"\"'.");
  refused(train, "observers=[{type=\"foo\"}]", "observer 'foo' is not registered*");
  refused(train, "plugins=[\"nothing\"]", "plugin 'nothing' is not found: *");

  const Words sample{"sample", "run/model.h5", "--num-samples", "1", "--steps", "1", "--output", "s.npy"};
  refused(sample, "sampler.tiles=8", "sampler 'gibbs': unknown option 'tiles' (did you mean 'tile'?). Known: *");
  refused(sample, "sampler=exact", "'sampler' is a table of options. Write --set sampler.NAME=VALUE.");
  refused(sample, "data.scale=1", "no file is read. Name one by --clamp, or leave data out.");
  refused({"evaluate", "run/model.h5"}, "log_z.max_bit=3",
          "log_partition 'exact': unknown option 'max_bit' (did you mean 'max_bits'?). Known: max_bits.");
  refused({"evaluate", "run/model.h5"}, "sampler.tile=8", "this command takes settings of data, log_z only.");
  refused({"evaluate", "run/model.h5", "--data", "d.npy"}, "data.binarise=threshold",
          "data 'npy': unknown option 'binarise' (did you mean 'binarize'?). Known: *");
  refused({"evaluate", "run/model.h5", "--data", "d.npy"}, "data.binarize=soft",
          "data 'npy': option 'binarize' = 'soft' is not known. Known: *");
  const Words gradient{"gradient", "run/model.h5", "--data", "d.npy", "--estimator", "cd", "--output", "g.h5"};
  refused(gradient, "estimater.gibbs_steps=3",
          "this command takes settings of data, estimator, against only (did you mean 'estimator'?).");
  refused(gradient, "estimator.num_chains=3", "estimator 'cd': unknown option 'num_chains'. Known: *");
  check_refusal(run(folder, {"gradient", "run/model.h5", "--data", "d.npy", "--estimator", "cd", "--output", "g.h5",
                             "--set", "against.max_bits=3"}),
                2, "--set against.NAME: nothing is compared. Add --against NAME, such as --against exact.");
  CHECK(files_below(folder.path()).front() == "d.npy");
  for (const char* made : {"new", "s.npy", "g.h5", "runs"}) CHECK(!std::filesystem::exists(folder / made));
}

TEST_CASE("help may be asked for by a word, of the program and of a command") {
  const ScratchFolder folder;
  CHECK(run(folder, {"help"}).out == run(folder, {"--help"}).out);
  CHECK(run(folder, {"help", "train"}).out == run(folder, {"train", "--help"}).out);
  check_refusal(run(folder, {"help", "trian"}), 2, "there is no command 'trian' (did you mean 'train'?). Commands: *.");
}

TEST_CASE("the tables of a configuration that are no components are described too") {
  const ScratchFolder folder;
  CHECK(like(run(folder, {"describe", "training"}).out,
             "section 'training' (of every configuration)\n*\n    num_epochs *"));
  CHECK(like(run(folder, {"describe", "section", "pictures"}).out, "section 'pictures' *\n    which *"));
}

TEST_CASE("a name stands for a component of that type, and its options may be set") {
  const ScratchFolder folder;
  folder.write("r.toml",
               "data = { type = \"bars_and_stripes\", side = 3 }\nestimator = \"pcd\"\noptimizer = \"adam\"\n"
               "model = { type = \"rbm\", num_visible = 9, num_hidden = 4 }\n");
  const auto explained = [&](const Words& set) {
    Words words{"explain", "r.toml", "--no-timing"};
    for (const std::string& s : set) words.insert(words.end(), {"--set", s});
    Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome;
  };
  CHECK(explained({}).out.find("type = \"adam\"") != std::string::npos);
  CHECK(explained({"estimator.gibbs_steps=7"}).out.find("gibbs_steps = 7") != std::string::npos);
  CHECK(explained({"estimator=exact"}).out.find("type = \"exact\"") != std::string::npos);
  // Taken back, the default holds.
  CHECK(explained({"data.side=4", "model.num_visible=16", "optimizer="}).out.find("type = \"sgd\"") !=
        std::string::npos);
  CHECK(explained({"training.num_epochs=3", "training.num_epochs="}).out.find("num_epochs = 10\n") !=
        std::string::npos);
}

TEST_CASE("explain says how units that wait for each other are drawn") {
  const ScratchFolder folder;
  folder.write("r.toml",
               "data = { type = \"bars_and_stripes\", side = 9 }\nestimator = \"pcd\"\n"
               "model = { type = \"fully_visible\", num_visible = 81 }\n");
  const std::string words = "\n# draws of visible, one unit after the other in order, of 32 chains together: ";
  const Outcome coupled = run(folder, {"explain", "r.toml", "--no-timing"});
  CAPTURE(coupled.err);
  CHECK(coupled.out.find(words) != std::string::npos);
  const Outcome machine =
      run(folder, {"explain", "r.toml", "--no-timing", "--set", "model=rbm", "--set", "model.num_hidden=9"});
  CHECK(machine.out.find("fields of hidden from bits of visible") != std::string::npos);
  CHECK(machine.out.find(words) == std::string::npos);
}

TEST_CASE("another type from the command line leaves the options of the file's behind, and says so") {
  const ScratchFolder folder;
  folder.write("r.toml",
               "data = { type = \"bars_and_stripes\", side = 3 }\nestimator = { type = \"pcd\", num_chains = 20 }\n"
               "model = { type = \"rbm\", num_visible = 9, num_hidden = 4 }\ntraining = { num_epochs = 1 }\n");
  const Outcome outcome = run(folder, {"train", "r.toml", "--output", "run", "--set", "model.type=fully_visible",
                                       "--set", "estimator.type=cd"});
  CHECK(outcome.status == 0);
  CHECK(like(
      outcome.err,
      "*--set model.type=fully_visible: 'num_hidden' (r.toml:3:*) is no option of 'fully_visible', and is left out.\n"
      "*--set estimator.type=cd: 'num_chains' (r.toml:2:*) is no option of 'cd', and is left out.\n*"));
  // A name alone does the same: what both know stays.
  const std::string named =
      run(folder, {"explain", "r.toml", "--set", "estimator.centering=true", "--set", "estimator=cd"}).out;
  CHECK(named.find("'cd' is short for") != std::string::npos);
  CHECK(named.find("centering = true") != std::string::npos);
  CHECK(like(run(folder, {"explain", "r.toml", "--set", "estimator=cd"}).err,
             "*--set estimator=cd: 'num_chains' (r.toml:2:*) is no option of 'cd', and is left out.\n*"));
  // What the command line itself gives is not left out.
  check_refusal(run(folder, {"explain", "r.toml", "--set", "estimator.type=cd", "--set", "estimator.num_chains=5"}), 2,
                "--set estimator.num_chains=5: estimator 'cd': unknown option 'num_chains'*");
}

TEST_CASE("a component that does not exist is refused by the flag that named it") {
  const CliFolder folder;
  folder.trained();
  folder.write("d.npy", npy_bytes(4, 9, bit_rows(4, 9)));
  check_refusal(run(folder, {"sample", "run/model.h5", "--num-samples", "1", "--steps", "1", "--output", "s.npy",
                             "--sampler", "gibs"}),
                2, "--sampler gibs: sampler 'gibs' is not registered (did you mean 'gibbs'?). Known: *");
  check_refusal(run(folder, {"evaluate", "run/model.h5", "--log-z", "exat"}), 2,
                "--log-z exat: log_partition 'exat' is not registered (did you mean 'exact'?). Known: *");
  check_refusal(run(folder, {"gradient", "run/model.h5", "--data", "d.npy", "--estimator", "pcdd", "--output", "g.h5"}),
                2, "--estimator pcdd: estimator 'pcdd' is not registered (did you mean 'pcd'?). Known: *");
  check_refusal(run(folder, {"gradient", "run/model.h5", "--data", "d.npy", "--estimator", "pcd", "--output", "g.h5",
                             "--against", "exakt"}),
                2, "--against exakt: estimator 'exakt' is not registered (did you mean 'exact'?). Known: *");
}

}  // namespace command_line_test
