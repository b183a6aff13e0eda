#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/sha256.hpp>

#include "files.hpp"

namespace start_from_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

std::vector<double> weights_of(const fs::path& model) {
  return Hdf5File::open(model).read<double>("parameters/weight.visible.hidden").values;
}

/// The command that trains from `from`, in the folder "next".
Words from(const std::string& model, const Words& more = {}) {
  Words words{"train", "small.toml", "--output", "next", "--from", model};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Steps so short that the parameters stay those that the training starts with.
const Words still{"--epochs", "1", "--set", "optimizer.learning_rate=1e-300"};

const std::string of_new_chains =
    "harmonium: note: new chains begin at rows of the data and move 10 steps before the first update.\n";

}  // namespace

TEST_CASE(
    "a training starts from the parameters of a model, or of a run, which its configuration tells with a checksum") {
  const CliFolder folder;
  folder.trained();
  const fs::path model = fs::canonical(folder / "run/model.h5");
  for (const char* name : {"run/model.h5", "run", "./run/"}) {
    CAPTURE(name);
    Words words = from(name, still);
    words.emplace_back("--overwrite");
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == of_new_chains);
    REQUIRE(outcome.status == 0);
    CHECK(weights_of(folder / "next/model.h5") == weights_of(model));
    const std::string config = content_of(folder / "next/config.toml");
    CHECK(config.find("[start_from]\npath = \"" + model.string() + "\"\nsha256 = \"" + sha256_of_file(model) +
                      "\"\nburn_in = 10\n") != std::string::npos);
  }
  REQUIRE(run(folder, {"train", "next/config.toml", "--output", "again"}).status == 0);
  CHECK(content_of(folder / "again/model.h5") == content_of(folder / "next/model.h5"));
}

TEST_CASE("a start from a run takes that run's configuration where none is given, and says so") {
  const CliFolder folder;
  folder.trained();
  for (const char* name : {"run", "run/model.h5"}) {
    CAPTURE(name);
    const Outcome outcome = run(folder, {"train", "--from", name, "--epochs", "1", "--output", "next", "--overwrite"});
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
    CHECK(outcome.err.find("harmonium: note: the configuration is run/config.toml, that of the run of --from.\n") == 0);
    const std::string config = content_of(folder / "next/config.toml");
    CHECK(config.find("num_epochs = 1\n") != std::string::npos);
    CHECK(config.find("num_chains = 8\n") != std::string::npos);
  }
  fs::copy(folder / "run/model.h5", folder / "alone.h5");
  check_refusal(
      run(folder, {"train", "--from", "alone.h5", "--output", "x"}), 2,
      "train: CONFIG.toml is missing, and alone.h5 stands in no folder of a run, whose configuration could be "
      "taken.");
}

TEST_CASE("a start from a model that was trained on rows which the run sets aside is told") {
  const CliFolder folder;
  std::vector<double> rows = bit_rows(40, 9);
  folder.write("d.npy", npy_bytes(40, 9, rows));
  const Words data{"--set", "data={type=\"npy\", path=\"d.npy\", validation=10}"};
  const auto trained = [&](Words words, const Words& more) {
    words.insert(words.end(), data.begin(), data.end());
    words.insert(words.end(), more.begin(), more.end());
    return run(folder, words);
  };
  REQUIRE(trained({"train", "small.toml", "--output", "first"}, {"--seed", "2"}).status == 0);
  const Outcome other = trained(from("first", still), {"--overwrite", "--seed", "3"});
  CHECK(other.status == 0);
  CHECK(like(
      other.err,
      of_new_chains +
          "harmonium: note: */first/model.h5 was trained on other rows of the same data (dealt by seed 2, validation "
          "10.0, test 0.0): rows that this run sets aside were among them, * Set data_seed=2 and these shares.\n"));
  CHECK(trained(from("first", still), {"--overwrite", "--seed", "2"}).err == of_new_chains);
  CHECK(trained(from("first", still), {"--overwrite", "--seed", "3", "--set", "data.validation=0"}).err ==
        of_new_chains);
  // Rows are dealt by data_seed where there is one, whatever the seed.
  CHECK(trained(from("first", still), {"--overwrite", "--seed", "3", "--set", "data_seed=2"}).err == of_new_chains);
  REQUIRE(trained({"train", "small.toml", "--output", "dealt"}, {"--seed", "3", "--set", "data_seed=5"}).status == 0);
  CHECK(trained(from("dealt", still), {"--overwrite", "--seed", "4", "--set", "data_seed=5"}).err == of_new_chains);
  CHECK(
      like(trained(from("dealt", still), {"--overwrite", "--seed", "3"}).err, of_new_chains + "*(dealt by seed 5, *"));
}

TEST_CASE(
    "that rows which a run sets aside were trained on before stays with the run, and every figure of them is told so") {
  const CliFolder folder;
  std::vector<double> rows = bit_rows(40, 9);
  folder.write("d.npy", npy_bytes(40, 9, rows));
  const auto made = [&](const std::string& name, const Words& more) {
    Words words{"train", "small.toml", "--output",
                name,    "--quiet",    "--epochs",
                "2",     "--set",      "data={type=\"npy\", path=\"d.npy\", validation=10}"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  };
  made("first", {"--seed", "2"});
  made("alike", {"--seed", "2", "--from", "first"});
  made("other", {"--seed", "2", "--from", "first", "--set", "optimizer.learning_rate=0.01"});
  made("leak", {"--seed", "3", "--from", "first"});
  made("heir", {"--seed", "3", "--from", "leak"});  // dealt as its start was, which had seen those rows
  const std::string seen =
                        "rows that the run sets aside were among those that */first/model.h5 was trained on (dealt "
                        "by seed 2, validation 10.0, test 0.0)",
                    told = seen + ": figures of these are too good.";
  CHECK(!fs::exists(folder / "alike/leak.txt"));
  for (const char* name : {"leak", "heir"}) {
    CAPTURE(name);
    CHECK(like(content_of(folder / name / "leak.txt"), seen + "\n"));
    const auto note = [&](const Words& more) {
      Words words{"evaluate", name};
      words.insert(words.end(), more.begin(), more.end());
      return run(folder, words).err;
    };
    CHECK(like(note({}), fmt::format("*harmonium: note: {}: {}\n*", name, told)));
    CHECK(like(note({"--split", "validation"}), fmt::format("*harmonium: note: {}: {}\n*", name, told)));
    CHECK(note({"--split", "training"}).find("too good") == std::string::npos);
    CHECK(note({"--data", "d.npy"}).find("too good") == std::string::npos);
  }
  CHECK(run(folder, {"evaluate", "alike"}).err.find("too good") == std::string::npos);
  const std::string compared = run(folder, {"compare", "alike", "other", "leak"}).out;
  CHECK(like(compared, "*\nNote: leak: " + told + " No such run is named the best.\n"));
  CHECK(compared.find("likelihood: leak") == std::string::npos);
  CHECK(run(folder, {"compare", "leak", "alike"}).out.find("Best by") == std::string::npos);
  REQUIRE(run(folder, {"report", "leak", "--output", "r.html", "--quiet"}).status == 0);
  const std::string page = content_of(folder / "r.html");
  CHECK(page.find("Not to be believed: figures of validation and test rows") != std::string::npos);
  CHECK(page.find("There is no sign of overfitting") == std::string::npos);
  CHECK(page.find("Nothing that was looked at speaks against") == std::string::npos);
  // A run that is made longer keeps it, and one that takes its place does not.
  REQUIRE(run(folder, {"train", "--resume", "leak", "--epochs", "3", "--quiet"}).status == 0);
  CHECK(fs::exists(folder / "leak/leak.txt"));
  made("leak", {"--seed", "2", "--from", "first", "--overwrite"});
  CHECK(!fs::exists(folder / "leak/leak.txt"));
}

TEST_CASE("a path in the configuration starts at its folder, and one of the command line at the present one") {
  const CliFolder folder;
  folder.trained();
  fs::create_directories(folder / "deep");
  folder.write("deep/c.toml", "start_from = \"../run\"\n" + std::string(small_config));
  CHECK(run(folder, {"train", "deep/c.toml", "--output", "a"}).status == 0);
  CHECK(run(folder, {"train", "small.toml", "--output", "b", "--set", "start_from.path=run/model.h5"}).status == 0);
  CHECK(content_of(folder / "a/model.h5") == content_of(folder / "b/model.h5"));
}

TEST_CASE("a latent layer may be larger than that of the model that is started from") {
  const CliFolder folder;
  folder.trained();
  Words words = from("run", still);
  words.insert(words.end(), {"--set", "model.num_hidden=7"});
  // In a log too: the size may be a slip.
  const Outcome outcome = run(folder, words);
  REQUIRE(outcome.status == 0);
  CHECK(like(outcome.err, "*harmonium: note: layer hidden: 5 to 7 units (2 new)\n*"));
  const auto old = weights_of(folder / "run/model.h5"), grown = weights_of(folder / "next/model.h5");
  REQUIRE(grown.size() == 9 * 7);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 5; ++j) CHECK(grown[i * 7 + j] == old[i * 5 + j]);
}

TEST_CASE("a run's own configuration, in which a preset is spelled out, grows by the preset's name of the size") {
  const CliFolder folder;
  folder.trained();
  const auto next = [&](const std::string& config) {
    Words words{"train", config, "--output", "next", "--overwrite", "--from", "run", "--set", "model.num_hidden=7"};
    words.insert(words.end(), still.begin(), still.end());
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return weights_of(folder / "next/model.h5");
  };
  const auto grown = next("small.toml");
  REQUIRE(grown.size() == 9 * 7);
  CHECK(next("run/config.toml") == grown);
}

TEST_CASE("a model that does not fit is refused with what differs") {
  const CliFolder folder;
  folder.trained();
  const auto refused = [&](const Words& words, std::string_view pattern) {
    check_refusal(run(folder, words), 2, pattern);
    CHECK_FALSE(fs::exists(folder / "next"));
  };
  const std::string remedy =
      " Give [model] the layers of that file ('harmonium explain */run/model.h5' shows them), or start from another "
      "model.";
  refused(from("run", {"--set", "model.num_hidden=4"}),
          "--from run: start_from: */run/model.h5: its layer 'hidden' has 5 units, and the configuration's 4: a latent "
          "layer may have more units than the file's, not fewer." +
              remedy);
  refused(from("run", {"--set", "model.num_visible=16", "--set", "data.side=4"}),
          "--from run: start_from: */run/model.h5: its layer 'visible' has 9 units, and the configuration's 16: only "
          "latent layers may grow." +
              remedy);
  refused(
      from("run", {"--set", "model.type=semi_restricted"}),
      "--from run: start_from: */run/model.h5: it has no tensor 'weight.visible.visible', which the configuration's "
      "model has." +
          remedy);
  refused(from("none"),
          "--from none: start_from: there is no file */none. Name a model file, or the folder of a run that ended.");
  fs::create_directories(folder / "empty");
  refused(from("empty"),
          "--from empty: start_from: there is no file */empty/model.h5. Name a model file, or the folder "
          "of a run that ended.");
  check_refusal(run(folder, from("small.toml")), 2, "*/small.toml: a configuration, not a model: *");
  refused({"train", "small.toml", "--output", "next", "--set", "start_from=3"},
          "--set start_from=3: 'start_from' must be the path of a model, or a table with it, not an integer.");
  refused({"train", "small.toml", "--output", "next", "--set", "start_from.sha256=abc"},
          "--set start_from.sha256=abc: start_from: 'path' is missing. Name a model file, or the folder of a run.");
  check_refusal(
      run(folder, {"train", "--resume", "run", "--from", "run"}), 2,
      "--resume RUN goes on with what the folder holds: give no configuration, --output, --overwrite, --from, "
      "--set or --seed with it. --epochs N alone may change the length of the run. With other settings: train "
      "CONFIG.toml "
      "--from "
      "RUN --output NEW.");
}

TEST_CASE("a run is repeated from the same model alone") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, from("run")).status == 0);
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--overwrite", "--seed", "9"}).status == 0);
  check_refusal(
      run(folder, {"train", "next/config.toml", "--output", "again"}), 2,
      "next/config.toml:*: start_from: */run/model.h5 is not the file that is meant (its SHA-256 is *, and the "
      "configuration has *). Put that file back, or remove 'sha256' to start from the file as it is now.");
  CHECK(run(folder, {"train", "next/config.toml", "--output", "again", "--from", "run"}).status == 0);
}

TEST_CASE("the model that a run starts from is none that the run would replace") {
  const CliFolder folder;
  folder.trained();
  check_refusal(run(folder, {"train", "small.toml", "--output", "run", "--overwrite", "--from", "run"}), 2,
                "--output */run: the training starts from */run/model.h5 in this folder, which it would replace. Give "
                "another folder.");
  CHECK(fs::exists(folder / "run/model.h5"));
}

TEST_CASE("a run without a checkpoint goes on from its first update only with the model that it started from") {
  const CliFolder folder;
  folder.trained();
  REQUIRE(run(folder, from("run")).status == 0);
  fs::remove(folder / "next/model.h5");
  fs::remove(folder / "next/model.h5.sha256");
  const std::string model = content_of(folder / "run/model.h5");
  fs::remove(folder / "run/model.h5");
  check_refusal(
      run(folder, {"train", "--resume", "next"}), 2,
      "*next/config.toml:*: start_from: there is no file */run/model.h5. Name a model file, or the folder of a "
      "run that ended.");
  folder.write("run/model.h5", model);
  CHECK(run(folder, {"train", "--resume", "next"}).status == 0);
  fs::remove(folder / "run/model.h5");
  CHECK(run(folder, {"train", "--resume", "next"}).status == 0);  // it is complete
  check_refusal(run(folder, {"train", "--resume", "next", "--epochs", "9"}), 2,
                "--resume */next: the run holds no checkpoint, and */run/model.h5, which it started from, is gone or "
                "another file by now. Put it back, or start a new run.");
}

TEST_CASE("a start from a model of other units of the data is told") {
  const ScratchFolder folder;
  std::string rows;
  for (int r = 0; r < 20; ++r) rows += fmt::format("{},{}\n", 50 + r, r * r);
  folder.write("rows.csv", rows);
  folder.write(
      "c.toml",
      "[data]\ntype = \"csv\"\npath = \"rows.csv\"\nstandardize = true\n[model]\ntype = \"rbm\"\nnum_visible = "
      "2\nnum_hidden = 1\nvisible_units = \"gaussian\"\n[estimator]\ntype = \"cd\"\n[training]\nnum_epochs = "
      "1\n[optimizer]\nlearning_rate = 1e-3\n");
  REQUIRE(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
  const std::string told = "was trained on rows that were standardized or whitened otherwise than those of this run";
  const Outcome same = run(folder, {"train", "c.toml", "--output", "same", "--from", "run"});
  CHECK(same.status == 0);
  CHECK(same.err.find(told) == std::string::npos);
  const Outcome other =
      run(folder, {"train", "c.toml", "--output", "other", "--from", "run", "--set", "data.validation=5"});
  CHECK(other.status == 0);
  CHECK(other.err.find(told) != std::string::npos);
}

TEST_CASE("chains of a model that is trained already are burned in, where there are any that go on") {
  const CliFolder folder;
  folder.trained();
  const auto trained = [&](const Words& more) {
    Words words = from("run", {"--overwrite"});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.status == 0);
    return outcome.err;
  };
  CHECK(
      trained({"--set", "start_from.burn_in=7"}).find("new chains begin at rows of the data and move 7 steps before") !=
      std::string::npos);
  // What the entry sets holds for the file of --from too.
  CHECK(content_of(folder / "next/config.toml").find("burn_in = 7\n") != std::string::npos);
  for (const char* other : {"estimator=tempered_pcd", "estimator=fast_weights_pcd", "training.shards=2"})
    CHECK_MESSAGE(trained({"--set", other}).find(of_new_chains) != std::string::npos, other);
  CHECK(trained({"--set", "start_from.burn_in=0"}).find("new chains") == std::string::npos);
  CHECK(trained({"--set", "estimator=cd"}).find("new chains") == std::string::npos);
}

TEST_CASE(
    "chains of a start that fits the data begin at its rows, and units beyond those of another model begin small") {
  const CliFolder folder;
  // Bits near two words that differ in all.
  std::string rows;
  for (int r = 0; r < 60; ++r)
    for (int i = 0; i < 9; ++i)
      rows += fmt::format("{}{}", (r % 3 == 0) != ((r * 7 + i * 5) % 11 == 0) ? 1 : 0, i < 8 ? "," : "\n");
  folder.write("rows.csv", rows);
  const Words low{"--set", "data={type=\"csv\", path=\"rows.csv\"}",
                  "--set", "initializer={type=\"low_rank\", rank=1}",
                  "--set", "estimator.type=pcd"};
  const auto trained = [&](const std::string& name, const Words& more) {
    Words words{"train", "small.toml", "--output", name};
    for (const Words& some : {low, still, more}) words.insert(words.end(), some.begin(), some.end());
    const Outcome outcome = run(folder, words);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    return outcome.err;
  };
  CHECK(trained("fitted", {}).find(of_new_chains) != std::string::npos);
  CHECK(trained("not", {"--set", "initializer={type=\"normal\"}"}).find("new chains") == std::string::npos);
  trained("grown", {"--from", "fitted", "--set", "model.num_hidden=7"});
  const auto old = weights_of(folder / "fitted/model.h5"), grown = weights_of(folder / "grown/model.h5");
  REQUIRE(grown.size() == 9 * 7);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 5; ++j) CHECK(grown[i * 7 + j] == old[i * 5 + j]);
    for (std::size_t j = 5; j < 7; ++j) {
      CHECK(grown[i * 7 + j] != 0.0);
      CHECK(std::abs(grown[i * 7 + j]) < 0.1);
    }
  }
}

// The machine is trained at a rate at which its chains could follow it because they began with it. Those that begin at the marginals
// lie where it has hardly any mass: over seeds the likelihood then falls by 0.5 (deviation 0.4) within 20 updates, and with
// chains that begin at the data it rises.
TEST_CASE(
    "a training that goes on from a trained machine does not make it worse, as it does with chains of a new one") {
  const CliFolder folder;
  folder.write("bars.toml",
               "precision = \"float64\"\nobservers = []\ndata = { type = \"bars_and_stripes\", side = 3 }\n"
               "model = { type = \"rbm\", num_visible = 9, num_hidden = 8 }\n"
               "initializer = { type = \"normal\", std = 0.1 }\nestimator = { type = \"pcd\", num_chains = 1000 }\n"
               "optimizer = { type = \"sgd\", learning_rate = 0.3 }\ntraining = { num_epochs = 3000 }\n"
               "pictures = { which = [] }\n");
  const auto likelihood = [&](const std::string& name, const std::string& seed, const Words& more) {
    Words words{"train", "bars.toml", "--output", name + seed, "--seed", seed, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(run(folder, words).status == 0);
    return nlohmann::json::parse(content_of(folder / (name + seed) / "final.jsonl"))["log_likelihood"].get<double>();
  };
  constexpr int seeds = 6;
  double gained = 0.0, gained_anew = 0.0;
  for (int k = 1; k <= seeds; ++k) {
    const std::string seed = std::to_string(k);
    const double before = likelihood("first", seed, {});
    const Words on{"--from", "first" + seed, "--epochs", "20"};
    gained += (likelihood("on", seed, on) - before) / seeds;
    Words anew = on;
    anew.insert(anew.end(), {"--set", "start_from.burn_in=0"});
    gained_anew += (likelihood("anew", seed, anew) - before) / seeds;
  }
  CHECK(gained > -0.03);
  CHECK(gained_anew < -0.1);
}

}  // namespace start_from_test
