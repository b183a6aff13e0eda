#include <doctest/doctest.h>

#include "files.hpp"

namespace help_test {

using namespace harmonium::testing;

namespace {

std::string answer(const ScratchFolder& folder, const Words& arguments) {
  const Outcome outcome = run(folder, arguments);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  return outcome.out;
}

}  // namespace

TEST_CASE("--help of the program and of each command is as it is kept") {
  const ScratchFolder folder;
  check_golden("help", answer(folder, {"--help"}));
  check_golden("help", answer(folder, {"-h"}));
  for (const char* command :
       {"train",  "resume",   "sweep",     "stack",    "init",     "inspect",  "explain", "import",  "export",
        "sample", "evaluate", "transform", "diagnose", "observe",  "gradient", "draw",    "compare", "report",
        "watch",  "study",    "recipe",    "list",     "describe", "plugins",  "check"})
    check_golden(std::string("help_") + command, answer(folder, {command, "--help"}));
}

TEST_CASE("no line of help is longer than a wide terminal") {
  const ScratchFolder folder;
  for (const char* command :
       {"",       "train",  "resume",   "sweep",     "stack",    "init",     "inspect",  "explain", "import",
        "export", "sample", "evaluate", "transform", "diagnose", "observe",  "gradient", "draw",    "compare",
        "report", "watch",  "study",    "recipe",    "list",     "describe", "plugins",  "check"}) {
    const std::string text = answer(folder, *command ? Words{command, "--help"} : Words{"--help"});
    for (std::size_t from = 0, to = 0; (to = text.find('\n', from)) != std::string::npos; from = to + 1) {
      CHECK_MESSAGE(to - from <= 120, text.substr(from, to - from));
    }
  }
}

TEST_CASE("an unknown command is refused with the nearest one, where help on it is asked for too") {
  const ScratchFolder folder;
  const auto refused = [&](const Words& words, const std::string& meant) {
    check_refusal(run(folder, words), 2,
                  "there is no command '" + words[0] + "'" + meant + ". Commands: train, *. See 'harmonium --help'.");
  };
  for (const Words& words :
       {Words{"eval"}, {"eval", "run"}, {"eval", "--help"}, {"eval", "run", "-h", "--threads", "2"}})
    refused(words, " (did you mean 'evaluate'?)");
  refused({"evalute", "--help"}, " (did you mean 'evaluate'?)");
  refused({"training", "r.toml"}, " (did you mean 'train'?)");
  refused({"ex", "--help"}, " (did you mean 'explain' or 'export'?)");
  for (const char* word : {"frobnicate", "x", "e"}) refused({word, "--help"}, "");
}

TEST_CASE("every command takes --threads, and tells it where it computes with them") {
  const ScratchFolder folder;
  for (const char* command : {"list", "describe", "plugins", "compare", "export", "watch"}) {
    CAPTURE(command);
    CHECK(answer(folder, {command, "--help"}).find("--threads") == std::string::npos);
    check_refusal(run(folder, {command, "--threads", "0"}), 2, "--threads: '0' is not allowed: *");
  }
  CHECK(answer(folder, {"list", "sampler", "--threads", "2"}) == answer(folder, {"list", "sampler"}));
  CHECK(answer(folder, {"describe", "--threads", "2", "pcd"}) == answer(folder, {"describe", "pcd"}));
  check_refusal(run(folder, {"export", "--threads", "2"}), 2, "export: MODEL.h5|RUN is missing. *");
  check_refusal(run(folder, {"compare", "--threads", "2"}), 2, "compare: RUN is missing. *");
}

TEST_CASE("--version names the program and its version") {
  const ScratchFolder folder;
  CHECK(like(answer(folder, {"--version"}), "harmonium *.*.* (*)\n"));
}

TEST_CASE("list tells every component, or those of one kind") {
  const ScratchFolder folder;
  const std::string all = answer(folder, {"list"});
  for (const char* kind : {"model", "unit", "initializer", "sampler", "phase", "estimator", "log_partition",
                           "optimizer", "schedule", "regularizer", "observer", "data"}) {
    const std::string one = answer(folder, {"list", kind});
    CHECK(one.starts_with(std::string(kind) + "\n  "));
    CHECK(all.find(one) != std::string::npos);
  }
  check_golden("list_schedule", answer(folder, {"list", "schedule"}));
}

TEST_CASE("describe tells the options of every component that list names") {
  const ScratchFolder folder;
  const std::string all = answer(folder, {"list"});
  std::string kind;
  for (std::size_t from = 0, to = 0; (to = all.find('\n', from)) != std::string::npos; from = to + 1) {
    const std::string line = all.substr(from, to - from);
    if (line.empty()) continue;
    if (!line.starts_with(' ')) {
      kind = line;
      continue;
    }
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    CAPTURE(line);
    CHECK(like(answer(folder, {"describe", kind, name}), kind + " '" + name + "' (built in)\n*"));
  }
}

TEST_CASE("describe gives type, limits, default and meaning of each option") {
  const ScratchFolder folder;
  check_golden("describe_pcd", answer(folder, {"describe", "pcd"}));
  check_golden("describe_sgd", answer(folder, {"describe", "optimizer", "sgd"}));
  check_golden("describe_npy", answer(folder, {"describe", "data", "npy"}));
  // Without a kind: all components of the name.
  const std::string exact = answer(folder, {"describe", "exact"});
  for (const char* kind : {"sampler", "phase", "estimator", "log_partition"})
    CHECK(like(exact, "*" + std::string(kind) + " 'exact' (built in)\n*"));
}

TEST_CASE("a kind may be in the plural, and describe lists what there is of a kind alone") {
  const ScratchFolder folder;
  for (const auto& names : {std::pair{"sampler", "samplers"}, std::pair{"study", "studies"}}) {
    const std::string kind = names.first, kinds = names.second;
    CAPTURE(kind);
    const std::string listed = answer(folder, {"list", kind});
    CHECK(answer(folder, {"list", kinds}) == listed);
    const std::string described = answer(folder, {"describe", kind});
    CHECK(
        described.starts_with(listed + "\n'harmonium describe " + kind + " NAME' tells the options of one of them.\n"));
    CHECK(answer(folder, {"describe", kinds}) == described);
  }
  // Whose option it is besides.
  CHECK(like(answer(folder, {"describe", "sampler"}), "*\nan option of *'chains'*\n    sampler  *"));
  CHECK(answer(folder, {"describe", "samplers", "gibbs"}) == answer(folder, {"describe", "sampler", "gibbs"}));
}

TEST_CASE("list and describe refuse what there is not, with the nearest name") {
  const ScratchFolder folder;
  check_refusal(run(folder, {"list", "smaplers"}), 2,
                "there is no kind of component called 'smaplers' (did you mean 'sampler'?). Kinds: model, *.");
  check_refusal(run(folder, {"describe", "gibs"}), 2,
                "there is no component or option called 'gibs' (did you mean 'gibbs'?). See 'harmonium list'.");
  // Of an option everything that has it, once where it is the same.
  const std::string option = run(folder, {"describe", "gibbs_steps"}).out;
  CHECK(like(option, "an option of *estimator 'cd'*\n    gibbs_steps           integer, at least 1; default *"));
  CHECK(like(run(folder, {"describe", "sampler", "num_rungs"}).out, "an option of sampler 'parallel_tempering'*\n*"));
  check_refusal(run(folder, {"describe", "sampler", "exct"}), 2,
                "there is no sampler called 'exct' (did you mean 'exact'?). See 'harmonium list sampler'.");
  check_refusal(run(folder, {"describe", "smapler", "gibbs"}), 2, "there is no kind of component called 'smapler'*");
  check_refusal(run(folder, {"describe", "data", "sampler", "gibbs"}), 2,
                "describe: it takes a name, or a kind and a name. See 'harmonium describe --help'.");
  check_refusal(run(folder, {"describe"}), 2, "describe: NAME is missing. See 'harmonium describe --help'.");
  check_refusal(run(folder, {"list", "data", "model"}), 2,
                "list: 'model' is one word too many. See 'harmonium list --help'.");
}

}  // namespace help_test
