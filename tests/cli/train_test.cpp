#include <fstream>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/files/sha256.hpp>

#include "files.hpp"

namespace train_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// The records of a log, without times.
std::vector<nlohmann::json> records(const fs::path& path) {
  std::ifstream file(path);
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

}  // namespace

TEST_CASE("a run leaves its configuration, logs and model, and says where") {
  const CliFolder folder;
  const Outcome outcome = run(folder, {"train", "small.toml", "--output", "run"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(outcome.out == (fs::canonical(folder.path()) / "run/model.h5").string() + "\n");
  CHECK(files_below(folder / "run") == Words{"checkpoints", "checkpoints.jsonl", "config.toml", "final.jsonl",
                                             "metrics.jsonl", "model.h5", "model.h5.sha256", "pictures",
                                             "pictures/chains.png", "pictures/curves.svg", "pictures/data.png",
                                             "pictures/filters.png", "pictures/index.html",
                                             "pictures/reconstructions.png", "timing.jsonl", "verdict.txt"});
  const auto metrics = records(folder / "run/metrics.jsonl");
  REQUIRE(metrics.size() == 4);
  CHECK(metrics[3]["epoch"] == 4);
  CHECK(metrics[3]["update"] == 8);
  CHECK(records(folder / "run/timing.jsonl").size() == 4);
}

TEST_CASE("--quiet prints the path of the model, and nothing else") {
  const CliFolder folder;
  for (const Words& words : {Words{"train", "small.toml", "--quiet"}, Words{"resume", "runs/small-1", "--quiet"}}) {
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == (fs::canonical(folder.path()) / "runs/small-1/model.h5").string() + "\n");
    CHECK(outcome.err == "");
    CHECK(outcome.epochs == "");
  }
}

TEST_CASE("without --output runs are numbered, each the next free number") {
  const CliFolder folder;
  for (const char* number : {"1", "2", "3"}) {
    CHECK(run(folder, {"train", "small.toml"}).status == 0);
    CHECK(fs::exists(folder / ("runs/small-" + std::string(number) + "/model.h5")));
  }
  fs::remove_all(folder / "runs/small-2");
  CHECK(run(folder, {"train", "small.toml"}).status == 0);
  CHECK(fs::exists(folder / "runs/small-2/model.h5"));
}

TEST_CASE("runs that start together take folders of their own") {
  const CliFolder folder;
  {
    const Surroundings here{.folder = folder.path()};
    Running a({"train", "small.toml"}, here), b({"train", "small.toml"}, here), c({"train", "small.toml"}, here),
        d({"train", "small.toml"}, here);
    for (Running* running : {&a, &b, &c, &d}) CHECK(running->wait().status == 0);
  }
  for (const char* number : {"1", "2", "3", "4"}) {
    CHECK(fs::exists(folder / ("runs/small-" + std::string(number) + "/model.h5")));
    CHECK(records(folder / ("runs/small-" + std::string(number) + "/metrics.jsonl")).size() == 4);
  }
}

TEST_CASE("a folder that holds a run is refused without --overwrite, and replaced with it") {
  const CliFolder folder;
  folder.trained();
  folder.write("run/notes.txt", "mine");
  const std::string model = content_of(folder / "run/model.h5");
  const Words again{"train", "small.toml", "--output", "run", "--seed", "9"};
  check_refusal(
      run(folder, again), 2,
      "--output */run: the folder holds a run already (config.toml). Take another folder, or add --overwrite to "
      "replace it.");
  CHECK(content_of(folder / "run/model.h5") == model);
  Words overwriting = again;
  overwriting.push_back("--overwrite");
  CHECK(run(folder, overwriting).status == 0);
  CHECK(content_of(folder / "run/model.h5") != model);
  CHECK(records(folder / "run/metrics.jsonl").size() == 4);
  CHECK(content_of(folder / "run/notes.txt") == "mine");
}

TEST_CASE("a mistake in the configuration leaves an earlier run as it was, even with --overwrite") {
  const CliFolder folder;
  folder.trained();
  const std::string model = content_of(folder / "run/model.h5");
  CHECK(run(folder, {"train", "small.toml", "--output", "run", "--overwrite", "--set", "data.side=4"}).status == 2);
  CHECK(content_of(folder / "run/model.h5") == model);
  CHECK(records(folder / "run/metrics.jsonl").size() == 4);
}

TEST_CASE("a folder that holds other things, or none, becomes the run's") {
  const CliFolder folder;
  fs::create_directories(folder / "mine");
  folder.write("mine/notes.txt", "mine");
  CHECK(run(folder, {"train", "small.toml", "--output", "mine"}).status == 0);
  CHECK(run(folder, {"train", "small.toml", "--output", "deep/er/run/"}).status == 0);
  CHECK(fs::exists(folder / "deep/er/run/model.h5"));
}

TEST_CASE("the effective configuration repeats the run to the last bit, from any folder") {
  const CliFolder folder;
  folder.write("d.npy", npy_bytes(14, 9, bit_rows(14, 9)));
  folder.write("file.toml", std::string(small_config) + "[[observers]]\ntype = \"weight_norms\"\n");
  CHECK(run(folder, {"train", "file.toml", "--output", "a", "--set", "data={type=\"npy\", path=\"d.npy\"}"}).status ==
        0);
  fs::create_directories(folder / "elsewhere");
  const Outcome outcome =
      run(Surroundings{.folder = folder / "elsewhere"}, {"train", "../a/config.toml", "--output", "../b"});
  CHECK(outcome.err == "");
  for (const char* file : {"config.toml", "metrics.jsonl", "model.h5"})
    CHECK_MESSAGE(content_of(folder / "a" / file) == content_of(folder / "b" / file), file);
}

TEST_CASE("the configuration of a run says which data were read, in a comment that sha256sum checks") {
  const ScratchFolder folder;
  const std::string odd = "rows\nseed = 9.csv";
  for (const std::string& file : {std::string("rows.csv"), odd}) folder.write(file, "0,1\n1,0\n1,1\n");
  folder.write("held.csv", "0,0\n");
  const auto reading = [](const std::string& path) {
    return "data = { type = \"csv\", path = \"" + path +
           "\", validation_path = \"held.csv\" }\nmodel = { type = \"rbm\", " +
           "num_visible = 2, num_hidden = 2 }\nestimator = { type = \"exact\" }\ntraining = { num_epochs = 2 }\n";
  };
  folder.write("c.toml", reading("rows.csv"));
  folder.write("odd.toml", reading("rows\\nseed = 9.csv"));
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const auto line = [&](const std::string& file) {
    return "# " + harmonium::sha256_of_file(folder / file) + "  " + (folder / file).string() + "\n";
  };
  const std::string end =
      "\n# The files of data that the run read, with their SHA-256:\n" + line("rows.csv") + line("held.csv");
  const std::string first = content_of(folder / "run/config.toml");
  CHECK(first.ends_with(end));
  // It stays where the run is repeated or made longer, and a name cannot end it.
  REQUIRE(run(folder, {"train", "run/config.toml", "--output", "again", "--quiet"}).status == 0);
  CHECK(content_of(folder / "again/config.toml") == first);
  REQUIRE(run(folder, {"resume", "run", "--epochs", "3", "--quiet"}).status == 0);
  CHECK(content_of(folder / "run/config.toml").ends_with(end));
  REQUIRE(run(folder, {"train", "odd.toml", "--output", "odd", "--quiet"}).status == 0);
  CHECK(content_of(folder / "odd/config.toml").find("/rows?seed = 9.csv\n# ") != std::string::npos);
  REQUIRE(run(folder, {"train", "odd/config.toml", "--output", "odd2", "--quiet"}).status == 0);
  CHECK(content_of(folder / "odd2/model.h5") == content_of(folder / "odd/model.h5"));
}

TEST_CASE("a run whose configuration leaves all open is the same file when it is repeated by what it wrote") {
  const CliFolder folder;
  folder.write("open.toml",
               "[data]\ntype = \"bars_and_stripes\"\nside = 2\n[model]\ntype = \"rbm\"\nnum_visible = 4\n"
               "num_hidden = 2\n[estimator]\ntype = \"cd\"\n");
  REQUIRE(run(folder, {"train", "open.toml", "--output", "a"}).status == 0);
  REQUIRE(run(folder, {"train", "a/config.toml", "--output", "b"}).status == 0);
  for (const char* file : {"config.toml", "metrics.jsonl", "model.h5"})
    CHECK_MESSAGE(content_of(folder / "a" / file) == content_of(folder / "b" / file), file);
}

TEST_CASE("data that holds one value only is told of") {
  const CliFolder folder;
  folder.write("levels.csv", "0,16,3\n5,0,1\n");
  folder.write("flat.toml",
               "[data]\ntype = \"csv\"\npath = \"levels.csv\"\nbinarize = \"threshold\"\n[model]\ntype = \"rbm\"\n"
               "num_visible = 3\nnum_hidden = 2\n[estimator]\ntype = \"cd\"\n");
  const Outcome outcome = run(folder, {"train", "flat.toml", "--output", "flat"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "harmonium: note: every value of the training rows is 0: there is nothing to learn. *\n"));
  CHECK(run(folder, {"train", "flat.toml", "--set", "data.range=[0, 16]", "--output", "levels"}).err == "");
}

TEST_CASE("relative paths are taken from the configuration's folder, on the command line from the current one") {
  const CliFolder folder;
  fs::create_directories(folder / "configs");
  fs::create_directories(folder / "here");
  folder.write("configs/d.npy", npy_bytes(14, 9, bit_rows(14, 9)));
  folder.write("here/e.npy", npy_bytes(14, 9, bit_rows(14, 9)));
  std::string config = small_config;
  config.replace(config.find("type = \"bars_and_stripes\"\nside = 3"), 34, "type = \"npy\"\npath = \"d.npy\"\n");
  folder.write("configs/file.toml", config);
  const Surroundings here{.folder = folder / "here"};
  const std::string root = fs::canonical(folder.path()).string();
  CHECK(run(here, {"train", "../configs/file.toml", "--output", "a"}).err == "");
  CHECK(like(content_of(folder / "here/a/config.toml"), "*path = \"" + root + "/configs/d.npy\"*"));
  CHECK(run(here, {"train", "../configs/file.toml", "--output", "b", "--set", "data.path=e.npy"}).err == "");
  CHECK(like(content_of(folder / "here/b/config.toml"), "*path = \"" + root + "/here/e.npy\"*"));
  check_refusal(run(here, {"train", "../configs/file.toml", "--output", "c", "--set", "data.path=d.npy"}), 2,
                "[data] path '*/here/d.npy': no such file");
}

TEST_CASE("the number of threads changes no number") {
  const CliFolder folder;
  CHECK(run(folder, {"train", "small.toml", "--output", "a", "--threads", "1"}).status == 0);
  CHECK(run(folder, {"train", "small.toml", "--output", "b", "--threads", "2"}).status == 0);
  CHECK(content_of(folder / "a/model.h5") == content_of(folder / "b/model.h5"));
  CHECK(content_of(folder / "a/metrics.jsonl") == content_of(folder / "b/metrics.jsonl"));
}

TEST_CASE("--seed changes the run and is written to its configuration") {
  const CliFolder folder;
  CHECK(run(folder, {"train", "small.toml", "--output", "a", "--seed", "9223372036854775807"}).status == 0);
  CHECK(run(folder, {"train", "small.toml", "--output", "b"}).status == 0);
  CHECK(content_of(folder / "a/config.toml").starts_with("seed = 9223372036854775807\n"));
  CHECK(content_of(folder / "a/metrics.jsonl") != content_of(folder / "b/metrics.jsonl"));
}

TEST_CASE("a configuration that cannot be read is refused with line and column") {
  const CliFolder folder;
  folder.trained();
  const auto refused = [&](const std::string& config, std::string_view pattern) {
    folder.write("bad.toml", config);
    check_refusal(run(folder, {"train", "bad.toml", "--output", "new"}), 2, pattern);
  };
  refused("seed = \n", "bad.toml:1:8: not valid TOML: *");
  refused("seed = 1\nseed = 2\n", "bad.toml:2:8: not valid TOML: *seed*");
  refused("[model]\ntype = \"rbm\"\ndata = \"bars_and_stripes\"\n",
          "bad.toml:3:8: 'data' stands below [model], and is taken for a part of that. Write it above, or as a table "
          "[data].");
  refused("", "bad.toml:1:1: the table [data] is missing: say what to train on, with a 'type'.");
  refused("[data]\ntype = \"diagonal\"\n",
          "bad.toml:1:1: the table [model] is missing: say what to train, with a 'type'.");
  refused("[data]\ntype = \"diagonal\"\n[model]\ntype = \"rbm\"\nnum_visible = 6\nnum_hidden = 2\n",
          "bad.toml:1:1: the table [estimator] is missing: *");
  refused("[data]\nsize = 6\n", "bad.toml:1:1: data: *'type'*");
  refused(std::string(small_config) + "[trainning]\n",
          "bad.toml:*: unknown section 'trainning' (did you mean 'training'?). *");
  refused(
      std::string(small_config) + "num_updates = 4\n",
      "bad.toml:*:1: training: 'num_epochs' and 'num_updates' are both given, and only one can be meant. Remove one.");
  check_refusal(run(folder, {"train", "none.toml"}), 2, "none.toml: there is no such file.");
  check_refusal(run(folder, {"train", "."}), 2, ".: this is a folder. Name the TOML file in it.");
  check_refusal(
      run(folder, {"train", "run/model.h5"}), 2,
      "run/model.h5: an HDF5 file, such as a model, not a configuration. To use a model: harmonium evaluate, sample "
      "or gradient.");
  CHECK(!fs::exists(folder / "new"));
  CHECK(!fs::exists(folder / "runs"));
}

TEST_CASE("sizes that do not fit the data are refused before anything is written") {
  const CliFolder folder;
  const auto refused = [&](const char* setting, std::string_view pattern) {
    check_refusal(run(folder, {"train", "small.toml", "--output", "new", "--set", setting}), 2, pattern);
  };
  refused("model.num_visible=8", "[data] bars_and_stripes has 9 columns, but the model has 8 observed ones. *");
  refused("training.batch_size=15", "*training: 'batch_size' is 15, but there are 14 training rows. *");
  refused("data.validation=0.99", "*14 rows for validation * leave none of 14 to train on. Lower data.validation *");
  CHECK(!fs::exists(folder / "new"));
}

TEST_CASE("more than any memory is one line, not a crash") {
  const CliFolder folder;
  const auto outcome =
      run(folder, {"train", "small.toml", "--output", "new", "--set", "model.num_hidden=1000000000000000000"});
  check_refusal(
      outcome, 2,
      "small.toml:8:1: model 'rbm': with the tensor 'weight.visible.hidden' of 9 x 1000000000000000000 numbers "
      "its parameters are more than any memory holds. Take a smaller model.");
  CHECK(!fs::exists(folder / "new"));
}

TEST_CASE("a run that diverges keeps its last good model and leaves no model.h5") {
  const CliFolder folder;
  const auto diverges = [&](const Words& more) {
    Words words{"train", "small.toml", "--output", "run", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(
        run(folder, words), 1,
        "the run diverged *: * is *. Lower optimizer.learning_rate, or set training.clip_norm. The model as it was "
        "at update * is kept in */run/checkpoints/last_good.h5.");
    CHECK(!fs::exists(folder / "run/model.h5"));
    CHECK(run(folder, {"evaluate", "run/checkpoints/last_good.h5", "--set", "data.side=3"}).status == 0);
  };
  folder.trained();  // whose model must not stand for the run that replaced it
  diverges({"--set", "optimizer.learning_rate=1e12"});
  diverges({"--set", "optimizer.learning_rate=1e300"});
  diverges({"--set", "precision=float32", "--set", "optimizer.learning_rate=1e38"});
  diverges({"--set", "training.max_parameter=0.5", "--set", "optimizer.learning_rate=10"});
}

TEST_CASE("an option that would have no effect is refused") {
  const CliFolder folder;
  const auto refused = [&](const Words& settings, std::string_view pattern) {
    Words words{"train", "small.toml", "--output", "new"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    check_refusal(run(folder, words), 2, pattern);
  };
  refused({"optimizer.momentum_type=nesterov"},
          "--set optimizer.momentum_type=nesterov: optimizer 'sgd': 'momentum_type' says how momentum enters, but "
          "'momentum' is 0. Set momentum, such as 0.5.");
  refused(
      {"estimator.offset_rate=0.5"},
      "small.toml:13:1: estimator 'pcd': 'offset_rate' is the rate of centering's offsets, but nothing is centered. "
      "Set centering = true.");
  refused({"estimator={type=\"contrastive\", negative={start=\"data\", num_chains=5}}"},
          "--set estimator=*: phase 'chains': 'num_chains' is 5, but chains that start at the data are as many as the "
          "batch has rows. Remove it, or set start = \"persistent\".");
  CHECK(!fs::exists(folder / "new"));
}

TEST_CASE("what is wrong with an option beside the data is told with the option's place") {
  const CliFolder folder;
  const auto refused = [&](const std::string& setting, std::string_view pattern) {
    check_refusal(run(folder, {"train", "small.toml", "--output", "new", "--set", setting}), 2, pattern);
  };
  refused("optimizer.factors=[{parameter=\"bais\", factor=2}]",
          "--set optimizer.factors=*: optimizer 'sgd': factors: the model has no parameter 'bais'*");
  refused("training.batch_size=15",
          "--set training.batch_size=15: training: 'batch_size' is 15, but there are 14 training rows. Set batch_size "
          "to at most that.");
  refused("training.num_epochs=9223372036854775807",
          "--set training.num_epochs=9223372036854775807: training: 'num_epochs' is 9223372036854775807, and with 2 "
          "batches an epoch the updates cannot be counted (2^63 and more). Lower it.");
  CHECK(!fs::exists(folder / "new"));
}

TEST_CASE("an empty list of observers measures nothing, and another one adds to what every run measures") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "none", "--set", "observers=[]"}).status == 0);
  CHECK(content_of(folder / "none/metrics.jsonl").find("likelihood") == std::string::npos);
  CHECK(content_of(folder / "none/metrics.jsonl").find("norm") == std::string::npos);
  REQUIRE(
      run(folder, {"train", "small.toml", "--output", "some", "--set", "observers=[{type=\"acceptance\"}]"}).status ==
      0);
  CHECK(content_of(folder / "some/metrics.jsonl").find("gradient_norm") != std::string::npos);
}

}  // namespace train_test
