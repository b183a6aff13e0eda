#include <filesystem>

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
           "*/run/best.h5.\n"));
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

TEST_CASE("a run that stopped early has nothing left to do, however long it may be") {
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
  CHECK(run(folder, {"train", "--resume", "run", "--epochs", "60"}).status == 0);
  CHECK(content_of(folder / "run/metrics.jsonl") == log);
}

TEST_CASE("a run that stopped early between two of its checkpoints knows it too, and keeps its best model") {
  const CliFolder folder;
  Words words = decaying;
  words.insert(words.end(), {"--set", "training.checkpoint_every=3", "--set", "optimizer.schedule=linear"});
  REQUIRE(run(folder, words).status == 0);
  const auto best = [&] {
    return Hdf5File::open(folder / "run/best.h5").read<double>("parameters/weight.visible.hidden").values;
  };
  const std::vector<double> before = best();
  const std::string log = content_of(folder / "run/metrics.jsonl");
  const Outcome longer = run(folder, {"train", "--resume", "run", "--epochs", "200"});
  CHECK(longer.status == 0);
  CHECK(longer.err.find("stopped early, after epoch 4 of 200") != std::string::npos);
  CHECK(longer.err.find("the schedule of the learning rate") == std::string::npos);
  CHECK(best() == before);
  CHECK(content_of(folder / "run/metrics.jsonl") == log);
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

TEST_CASE("figures that cannot be followed are refused when the run is assembled") {
  const CliFolder folder;
  const auto refused = [&](const std::string& setting, std::string_view pattern) {
    check_refusal(run(folder, {"train", "small.toml", "--output", "new", "--set", setting}), 2, pattern);
    CHECK_FALSE(fs::exists(folder / "new"));
  };
  refused(
      "training.stop_early=validation_log_likelihood",
      "--set training.stop_early=validation_log_likelihood: training: 'stop_early' is 'validation_log_likelihood', "
      "which this run does not measure*. Measured: log_likelihood, log_z, pseudo_log_likelihood, "
      "reconstruction_error, gradient_norm, norm.bias.visible, norm.bias.hidden, norm.weight.visible.hidden. Take one "
      "of these, or add its observer; figures of validation and test rows take such rows.");
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
      "9 epochs, and the run has 4. Set its observer's 'every'.");
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

TEST_CASE("a best model whose figure is not due at the last epoch is told of") {
  const ScratchFolder folder;
  const Words settings{"training.keep_best=log_likelihood", "observers=[{type=\"log_likelihood\", every=3}]"};
  const auto with = [&](const char* name, const char* epochs) {
    Words all = settings;
    all.push_back(std::string("training.num_epochs=") + epochs);
    return trained(folder, name, all);
  };
  const char* const words =
      "training.keep_best: log_likelihood is due once in 3 epochs, so that after epoch 6 of 8 no model";
  CHECK(told(with("a", "8"), words));
  CHECK(!told(with("b", "9"), "is due once in"));
}

}  // namespace early_stopping_test
