#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <hdf5.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/sha256.hpp>

#include "exclusive_or.hpp"
#include "files.hpp"

namespace early_stopping_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// Weights decay so fast that their norm is smaller after every epoch, and never again what it was after the first.
const Words decaying{
    "train",    "small.toml",
    "--output", "run",
    "--epochs", "50",
    "--set",    "initializer.std=1",
    "--set",    "optimizer.learning_rate=0.05",
    "--set",    "regularizers=[{type=\"l2\", strength=1}]",
    "--set",    "training.stop_early={metric=\"norm.weight.visible.hidden\", goal=\"greater\", patience=3}",
    "--set",    "training.keep_best={metric=\"norm.weight.visible.hidden\", goal=\"greater\"}"};

/// The files of a run and what is in them.
Words contents(const ScratchFolder& folder) {
  Words all;
  for (const std::string& file : files_below(folder / "run"))
    if (fs::is_regular_file(folder / "run" / file)) all.push_back(file + content_of(folder / "run" / file));
  return all;
}

}  // namespace

TEST_CASE("a run that stops early tells why, and which model was the best") {
  const CliFolder folder;
  const Outcome outcome = run(folder, decaying);
  CHECK(outcome.status == 0);
  CHECK(
      like(outcome.err,
           "harmonium: note: stopped early, after epoch 4 of 50: norm.weight.visible.hidden has not become better than "
           "* of epoch 1 in 3 values.\n"
           "harmonium: note: best model: norm.weight.visible.hidden = * after epoch 1, update 2. It is kept in "
           "*/run/best.h5.\n"
           "harmonium: note: log likelihood of all rows, exact, in nats: *; of the best model, after epoch 1: *\n"));
  CHECK(like(outcome.out, "*/run/model.h5\n"));
  const std::string config = content_of(folder / "run/config.toml");
  CHECK(config.find(
            "[training.stop_early]\nmetric = \"norm.weight.visible.hidden\"\ngoal = \"greater\"\npatience = 3\n") !=
        std::string::npos);
  CHECK(config.find("[training.keep_best]\nmetric = \"norm.weight.visible.hidden\"\ngoal = \"greater\"\n") !=
        std::string::npos);
  const Hdf5File best = Hdf5File::open(folder / "run/best.h5");
  CHECK(best.string_attribute("best_metric") == "norm.weight.visible.hidden");
  CHECK(best.integer_attribute("best_epoch") == 1);
  CHECK(best.integer_attribute("best_update") == 2);
  const std::string log = content_of(folder / "run/metrics.jsonl");
  const auto first = nlohmann::json::parse(log.substr(0, log.find('\n')));
  CHECK(std::stod(best.string_attribute("best_value")) == first["norm.weight.visible.hidden"].get<double>());
  CHECK(first["best.epoch"] == 1);
  CHECK(check_checksum(folder / "run/best.h5") == Checksum::matches);
  CHECK(run(folder, {"evaluate", "run/best.h5"}).status == 0);
  // What the run wrote is a configuration that repeats it.
  REQUIRE(run(folder, {"train", "run/config.toml", "--output", "again"}).status == 0);
  CHECK(content_of(folder / "again/best.h5") == content_of(folder / "run/best.h5"));
  CHECK(content_of(folder / "again/model.h5") == content_of(folder / "run/model.h5"));
  // A new run takes the best model of the old one away.
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--overwrite"}).status == 0);
  CHECK_FALSE(fs::exists(folder / "run/best.h5"));
  CHECK_FALSE(fs::exists(folder / "run/best.h5.sha256"));
}

TEST_CASE("a run that stopped early has nothing left to do, and is made no longer") {
  const CliFolder folder;
  Words words = decaying;
  words.insert(words.end(), {"--set", "training.checkpoint_every=1"});
  REQUIRE(run(folder, words).status == 0);
  const std::string model = content_of(folder / "run/model.h5"), log = content_of(folder / "run/metrics.jsonl");
  const Outcome outcome = run(folder, {"train", "--resume", "run"});
  CHECK(outcome.status == 0);
  CHECK(like(
      outcome.err,
      "harmonium: note: */run stopped early: norm.weight.visible.hidden has not become better than * of epoch 1 in "
      "3 values. 'harmonium train CONFIG.toml --from */run' starts from its model.\n"
      "harmonium: note: */run holds a run that is complete: only its pictures are drawn again.\n"));
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(content_of(folder / "run/metrics.jsonl") == log);
  // Its own length is no other.
  CHECK(run(folder, {"resume", "run", "--epochs", "50"}).status == 0);
  CHECK(content_of(folder / "run/model.h5") == model);

  const Words before = contents(folder);
  const auto refused = [&](const Words& longer, const std::string& asks) {
    check_refusal(
        run(folder, longer), 2,
        "--resume */run: the run stopped early: norm.weight.visible.hidden has not become better than * of "
        "epoch 1 in 3 values. It is over at any length, and " +
            asks +
            " updates in place of 100. Leave the length as it was; 'harmonium train CONFIG.toml --from */run' "
            "starts from its model.");
  };
  refused({"resume", "run", "--epochs", "60"}, "--epochs 60 asks for 120");
  refused({"train", "--resume", "run", "--epochs", "60"}, "--epochs 60 asks for 120");
  refused({"resume", "run", "--epochs", "3"}, "--epochs 3 asks for 6");
  CHECK(contents(folder) == before);
  REQUIRE(run(folder, {"train", "run/config.toml", "--output", "again"}).status == 0);
  CHECK(content_of(folder / "again/model.h5") == model);

  std::string config = content_of(folder / "run/config.toml");
  config.replace(config.find("num_epochs = 50"), 15, "num_epochs = 70");
  folder.write("run/config.toml", config);
  refused({"resume", "run"}, "config.toml asks for 140");
  CHECK(content_of(folder / "run/model.h5") == model);
}

TEST_CASE("a run that stopped early without a checkpoint has nothing left to do either, and is made no longer") {
  const CliFolder folder;
  REQUIRE(run(folder, decaying).status == 0);
  CHECK(Hdf5File::open(folder / "run/model.h5").integer_attribute("updates") == 8);
  const auto check = [&] {
    const Words before = contents(folder);
    const auto refused = [&](const Words& words, const std::string& asks) {
      check_refusal(run(folder, words), 2,
                    "--resume */run: the run stopped early, after update 8 of 100. It is over at any length, and " +
                        asks +
                        " updates in place of 100. Leave the length as it was; 'harmonium train CONFIG.toml --from "
                        "*/run' starts from its model.");
    };
    refused({"resume", "run", "--epochs", "60"}, "--epochs 60 asks for 120");
    refused({"train", "--resume", "run", "--epochs", "60"}, "--epochs 60 asks for 120");
    refused({"resume", "run", "--epochs", "3"}, "--epochs 3 asks for 6");
    std::string config = content_of(folder / "run/config.toml");
    const std::string whole = config;
    config.replace(config.find("num_epochs = 50"), 15, "num_epochs = 70");
    folder.write("run/config.toml", config);
    refused({"resume", "run"}, "config.toml asks for 140");
    folder.write("run/config.toml", whole);
    CHECK(contents(folder) == before);
    // The log of times is written by whoever trains.
    const Words files{"model.h5", "best.h5", "metrics.jsonl", "timing.jsonl", "config.toml"};
    Words made;
    for (const std::string& file : files) made.push_back(content_of(folder / "run" / file));
    for (const Words& words : {Words{"resume", "run"}, Words{"resume", "run", "--epochs", "50"}}) {
      const Outcome outcome = run(folder, words);
      CHECK(outcome.status == 0);
      CHECK(like(outcome.err,
                 "harmonium: note: */run stopped early, after update 8 of 100. 'harmonium train CONFIG.toml --from "
                 "*/run' starts from its model.\n"
                 "harmonium: note: */run holds a run that is complete: only its pictures are drawn again.\n"));
      for (std::size_t i = 0; i < files.size(); ++i) CHECK(content_of(folder / "run" / files[i]) == made[i]);
    }
  };
  check();
  // A file of an earlier version does not say after which update; the log does.
  const hid_t file = H5Fopen((folder / "run/model.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  CHECK(H5Adelete(file, "updates") >= 0);
  H5Fclose(file);
  write_checksum(folder / "run/model.h5");
  check();
}

TEST_CASE("a run that stopped early between two of its checkpoints knows it too, and keeps its best model") {
  const CliFolder folder;
  Words words = decaying;
  words.insert(words.end(), {"--set", "training.checkpoint_every=3", "--set", "optimizer.schedule=linear"});
  REQUIRE(run(folder, words).status == 0);
  const auto best = [&] {
    return Hdf5File::open(folder / "run/best.h5").read<double>("parameters/weight.visible.hidden").values;
  };
  const std::vector<double> values = best();
  const Words before = contents(folder);
  check_refusal(run(folder, {"train", "--resume", "run", "--epochs", "200"}), 2,
                "--resume */run: the run stopped early: *");
  CHECK(contents(folder) == before);
  // As a kill between the checkpoint and the model leaves it.
  const std::string model = content_of(folder / "run/model.h5");
  fs::remove(folder / "run/model.h5");
  CHECK(run(folder, {"resume", "run"}).status == 0);
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(best() == values);
}

TEST_CASE("a run with rows set aside that follows a figure of training rows is told of the other") {
  const CliFolder folder;
  const auto told = [&](const char* metric) {
    const Outcome outcome = run(folder, {"train", "small.toml", "--output", "run", "--overwrite", "--set",
                                         "data.validation=4", "--set", fmt::format("training.keep_best={}", metric)});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    return outcome.err.find(
               "training.keep_best follows reconstruction_error, which is of training rows. "
               "validation_reconstruction_error is "
               "that of the 4 rows set aside.") != std::string::npos;
  };
  CHECK(told("reconstruction_error"));
  CHECK_FALSE(told("validation_reconstruction_error"));
}

TEST_CASE("a figure by its name alone is followed the way that is known of it") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--set", "training.stop_early=reconstruction_error",
                       "--set", "training.keep_best=pseudo_log_likelihood"})
              .status == 0);
  const std::string config = content_of(folder / "run/config.toml");
  CHECK(config.find("metric = \"reconstruction_error\"\ngoal = \"less\"\npatience = 5\n") != std::string::npos);
  CHECK(config.find("metric = \"pseudo_log_likelihood\"\ngoal = \"greater\"\n") != std::string::npos);
  CHECK(fs::exists(folder / "run/best.h5"));
}

TEST_CASE("what else is set of a figure that is followed by its name alone stands beside that name") {
  const CliFolder folder;
  folder.write("named.toml", std::string(small_config) + "stop_early = \"reconstruction_error\"\n");
  for (const Words& words : {Words{"train", "named.toml"},
                             Words{"train", "small.toml", "--set", "training.stop_early=reconstruction_error"}}) {
    Words all = words;
    all.insert(all.end(), {"--output", "run", "--overwrite", "--set", "training.stop_early.patience=3"});
    const Outcome outcome = run(folder, all);
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
    CHECK(content_of(folder / "run/config.toml")
              .find("[training.stop_early]\nmetric = \"reconstruction_error\"\ngoal = \"less\"\npatience = 3\n") !=
          std::string::npos);
  }
}

TEST_CASE("early stopping by a figure of which a run has too few values is told of") {
  const ScratchFolder folder;
  const auto stopping = [&](const char* name, const char* every) {
    return trained(folder, name,
                   {"training.num_epochs=30", "training.stop_early={metric=\"validation_log_likelihood\", patience=3}",
                    std::string("observers=[{type=\"log_likelihood\", every=") + every + "}]"});
  };
  const char* const cannot = "training.stop_early cannot end this run";
  const Outcome rare = stopping("rare", "15");
  CHECK(rare.status == 0);
  CHECK(told(rare,
             "harmonium: note: training.stop_early cannot end this run: validation_log_likelihood is due once in 15 "
             "epochs, which makes 2 of its values in 30 epochs, and it takes 4 (patience = 3). Set its observer's "
             "'every' to 7 or less (--set 'observers=[{type=\"log_likelihood\",every=7}]'), or a smaller patience.\n"));
  CHECK(!told(stopping("often", "7"), cannot));
  // Where log Z sets its own pace, of 2^14 states, and where the figure comes as often as it can.
  const CliFolder small;
  const auto small_run = [&](const char* figure, const char* epochs) {
    return run(small, {"train", "small.toml", "--output", figure, "--epochs", epochs, "--set",
                       std::string("training.stop_early=") + figure, "--set", "data.side=4", "--set",
                       "model.num_visible=16", "--set", "model.num_hidden=14", "--set", "training.batch_size=15"});
  };
  CHECK(like(small_run("log_likelihood", "200").err,
             "*note: training.stop_early cannot end this run: log_likelihood is due once in * epochs, which makes * of "
             "its values in 200 epochs, and it takes 6 (patience = 5). Set its observer's 'every' to 33 or less "
             "(--set 'observers=[{type=\"log_likelihood\",every=33}]'), or a smaller patience.\n*"));
  CHECK(small_run("reconstruction_error", "5").err ==
        "harmonium: note: training.stop_early cannot end this run: reconstruction_error is due at each epoch, which "
        "makes 5 of its values in 5 epochs, and it takes 6 (patience = 5). Set a smaller patience, or train longer.\n");
}

TEST_CASE("figures that cannot be followed are refused when the run is assembled") {
  const CliFolder folder;
  const auto refused = [&](const std::string& setting, std::string_view pattern) {
    check_refusal(run(folder, {"train", "small.toml", "--output", "new", "--set", setting}), 2, pattern);
    CHECK_FALSE(fs::exists(folder / "new"));
  };
  refused("training.stop_early=validation_log_likelihood",
          "--set training.stop_early=validation_log_likelihood: training: 'stop_early' is 'validation_log_likelihood', "
          "which is a figure of validation rows, and this run has none. Set data.validation=N, which sets N rows aside "
          "(below 1: that share of them), or data.validation_path to a file of them.");
  refused(
      "training.stop_early=energy_gap",
      "--set training.stop_early=energy_gap: training: 'stop_early' is 'energy_gap', which this run does not measure*. "
      "Measured: log_likelihood, log_z, pseudo_log_likelihood, reconstruction_error, gradient_norm, norm.bias.visible, "
      "norm.bias.hidden, norm.weight.visible.hidden. Take one of these, or add its observer; figures of validation and "
      "test rows take such rows (data.validation, data.test).");
  refused(
      "training.keep_best=gradient_norm",
      "--set training.keep_best=gradient_norm: training: 'keep_best' is 'gradient_norm', and neither more nor less of "
      "it is better as such. Set goal = \"greater\" or \"less\".");
  refused(
      "training.stop_early={patience=3}",
      "--set training.stop_early={patience=3}: training: option 'stop_early': 'patience' is given, and no figure that "
      "it is of. Set metric.");
  refused(
      "training.stop_early=true",
      "--set training.stop_early=true: training: option 'stop_early' must be the name of a figure, as in stop_early "
      "= \"pseudo_log_likelihood\", or a table with a 'metric', not true or false.");
  refused("training.keep_best={goal=\"less\"}",
          "*training: option 'keep_best': 'goal' is given, and no figure that it is of. Set metric.");
  refused("training.stop_early={metric=\"gradient_norm\", goal=\"more\"}",
          "*training: option 'stop_early.goal' = 'more' is not known*. Known: automatic, greater, less.");
  refused("training.stop_early={metric=\"log_likelihood\", patience=0}",
          "*training: option 'stop_early.patience' = 0 is not allowed: it must be at least 1.");
  check_refusal(
      run(folder, {"train", "small.toml", "--output", "new", "--set", "training.keep_best=log_likelihood", "--set",
                   "observers=[{type=\"log_likelihood\", every=9}]"}),
      2,
      "--set training.keep_best=log_likelihood: training: 'keep_best' is 'log_likelihood', which is due once in "
      "9 epochs, and the run has 4. Set its observer's 'every', as in --set "
      "'observers=[{type=\"log_likelihood\",every=1}]', or train longer.");
  // What is set so can be followed.
  CHECK(run(folder, {"train", "small.toml", "--output", "kept", "--quiet", "--set", "training.keep_best=log_likelihood",
                     "--set", "observers=[{type=\"log_likelihood\",every=1}]"})
            .status == 0);
}

TEST_CASE("a best model of a figure that never came is missing, and that is told") {
  const CliFolder folder;
  const Outcome outcome =
      run(folder, {"train", "small.toml", "--output", "run", "--set", "observers=[{type=\"acceptance\"}]", "--set",
                   "training.keep_best={metric=\"acceptance\", goal=\"greater\"}"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "harmonium: note: acceptance was never measured: there is no best model.\n");
  CHECK_FALSE(fs::exists(folder / "run/best.h5"));
}

TEST_CASE("a run that diverges keeps its best model too") {
  const CliFolder folder;
  const Outcome outcome =
      run(folder, {"train", "small.toml", "--output", "run", "--epochs", "50", "--set", "training.max_parameter=0.7",
                   "--set", "optimizer.learning_rate=0.5", "--set", "training.keep_best=pseudo_log_likelihood"});
  check_refusal(outcome, 1, "the run diverged at update *");
  CHECK_FALSE(fs::exists(folder / "run/model.h5"));
  CHECK(run(folder, {"evaluate", "run/best.h5"}).status == 0);
}

TEST_CASE("a configuration with early stopping is explained and checked as any other") {
  const CliFolder folder;
  folder.trained();
  const Words more{"--set", "training.stop_early=pseudo_log_likelihood", "--set", "start_from=run"};
  Words explain{"explain", "small.toml", "--no-timing"}, check{"check", "small.toml"};
  explain.insert(explain.end(), more.begin(), more.end());
  check.insert(check.end(), more.begin(), more.end());
  const Outcome said = run(folder, explain);
  CHECK(said.status == 0);
  for (const char* line :
       {"# the model whose parameters the training starts with, in place of the initializer's\n[start_from]\n",
        "# which way that figure is better; automatic: as is known of it (one of: automatic, greater, less; default "
        "\"automatic\")\ngoal = \"greater\"\n",
        "patience = 5\n"})
    CHECK_MESSAGE(said.out.find(line) != std::string::npos, line);
  CHECK(run(folder, check).status == 0);
}

TEST_CASE(
    "the likelihoods of all rows are those of the best model too, as evaluate tells them, and test rows choose none") {
  const ScratchFolder folder;
  const auto final_of = [&](const std::string& name) {
    return nlohmann::json::parse(content_of(folder / name / "final.jsonl"));
  };
  // Of weights that decay the first model has the greatest norm, and the last the least.
  for (const char* goal : {"less", "greater"})
    REQUIRE(trained(folder, goal,
                    {"training.num_epochs=5", "data.validation=200", "data.test=200",
                     "initializer={type=\"normal\", std=1}", "optimizer.learning_rate=0.05",
                     "regularizers=[{type=\"l2\", strength=1}]",
                     std::string("training.keep_best={metric=\"norm.weight.visible.hidden\", goal=\"") + goal + "\"}",
                     "observers=[{type=\"log_likelihood\", every=1, rows=100}, {type=\"weight_norms\"}]"})
                .status == 0);
  const nlohmann::json first = final_of("greater"), last = final_of("less");
  const nlohmann::json judged =
      nlohmann::json::parse(run(folder, {"evaluate", "greater/best.h5", "--split", "test", "--json"}).out);
  CHECK(first["best.test_log_likelihood"].get<double>() ==
        doctest::Approx(judged["log_likelihood"].get<double>()).epsilon(1e-9));
  CHECK(first["best.test_log_likelihood"] != first["test_log_likelihood"]);
  CHECK(last["best.test_log_likelihood"] == last["test_log_likelihood"]);
  CHECK(last["best.log_likelihood_error"] == last["log_likelihood_error"]);
  const auto json = nlohmann::json::parse(run(folder, {"compare", "greater", "less", "--json"}).out);
  const auto& figures = json[0]["figures"];
  CHECK(figures["all_rows.best.test_log_likelihood"]["value"] == first["best.test_log_likelihood"]);
  // Along the run it is of fewer rows, and of the epoch of best.h5.
  CHECK(figures["best.epoch"]["value"] == 1);
  CHECK(figures["test_log_likelihood"]["best"]["epoch"] == 1);
  CHECK(figures["best.test_log_likelihood"]["value"] == figures["test_log_likelihood"]["best"]["value"]);
  CHECK(!json[1]["figures"]["test_log_likelihood"].contains("best"));
}

// What is due at every epoch of another run says what the figure is at any.
TEST_CASE("a last model whose figure is not due is judged too, so that it is never better than the best") {
  const ScratchFolder folder;
  const auto with = [&](const char* name, const char* every, const char* epochs) {
    const Outcome outcome = trained(folder, name,
                                    {"training.keep_best=log_likelihood", std::string("training.num_epochs=") + epochs,
                                     std::string("observers=[{type=\"log_likelihood\", every=") + every + "}]"});
    REQUIRE(outcome.status == 0);
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder / name / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  };
  const auto seldom = with("seldom", "3", "8"), always = with("always", "1", "8");
  REQUIRE(always.size() == 8);
  REQUIRE(seldom.size() == 9);
  CHECK(seldom[8]["epoch"] == 8);
  CHECK(seldom[8]["log_likelihood"] == always[7]["log_likelihood"]);
  int best = 8;
  for (const int epoch : {6, 3})
    if (always[epoch - 1]["log_likelihood"] >= always[best - 1]["log_likelihood"]) best = epoch;
  CHECK(seldom[8]["best.epoch"] == best);
  CHECK(seldom[8]["best.value"] == always[best - 1]["log_likelihood"]);
  CHECK(with("due", "3", "9").size() == 9);
}

}  // namespace early_stopping_test
