// What a run says of the likelihood of all its rows at its end.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/tests/support/recorder.hpp>
#include <harmonium/tests/support/runs.hpp>

#include "exclusive_or.hpp"

namespace final_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

nlohmann::json final_of(const fs::path& run_folder) {
  return nlohmann::json::parse(content_of(run_folder / "final.jsonl"));
}

}  // namespace

TEST_CASE("a run ends with the exact likelihood of all its rows, which evaluate and compare tell too") {
  const ScratchFolder folder;
  const Outcome outcome = trained(folder, "run", {"training.num_epochs=3"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const nlohmann::json found = final_of(folder / "run");
  CHECK(found["epoch"] == 3);
  const nlohmann::json judged = nlohmann::json::parse(run(folder, {"evaluate", "run", "--json"}).out)["splits"];
  for (const std::string part : {"training", "validation"}) {
    CAPTURE(part);
    const std::string name = (part == "training" ? "" : "validation_") + std::string("log_likelihood");
    CHECK(found[name].get<double>() == doctest::Approx(judged[part]["log_likelihood"].get<double>()).epsilon(1e-12));
    CHECK(found[name + "_error"].get<double>() ==
          doctest::Approx(judged[part]["rows_error"].get<double>()).epsilon(1e-9));
  }
  // 1,120 rows are more than the 1,000 that figures along the run are of.
  REQUIRE(trained(folder, "other", {"training.num_epochs=3", "estimator=cd"}).status == 0);
  const nlohmann::json compared = nlohmann::json::parse(run(folder, {"compare", "run", "other", "--json"}).out);
  CHECK(compared[0]["figures"]["all_rows.log_likelihood"]["value"] == found["log_likelihood"]);
  CHECK(compared[0]["figures"]["all_rows.log_likelihood"]["error"].get<double>() ==
        doctest::Approx(found["log_likelihood_error"].get<double>()).epsilon(1e-9));
}

TEST_CASE("where rows have weights, train and evaluate say that likelihoods weigh all alike") {
  const ScratchFolder folder;
  folder.write("d.csv", "a,b\n1,1\n0,1\n0,0\n1,0\n");
  folder.write("w.csv", "3\n1\n1\n2\n");
  folder.write(
      "c.toml",
      "data = { type = \"csv\", path = \"d.csv\" }\nmodel = { type = \"rbm\", num_visible = 2, num_hidden = 2 }\n"
      "estimator = \"exact\"\ntraining = { num_epochs = 1, batch_size = 4 }\n");
  const auto told = [&](const char* name, const std::string& weights) {
    const Outcome outcome = run(folder, {"train", "c.toml", "--output", name, "--set", "data.weights=" + weights});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.err + run(folder, {"evaluate", name}).err;
  };
  const std::string of_run = "; all rows weigh alike in it, whatever data.weights",
                    of_rows = "the run gave its rows weights (data.weights), and the figures of rows weigh all alike.";
  const std::string weighed = told("weighed", "w.csv"), alike = told("alike", "\"\"");
  for (const std::string& remark : {of_run, of_rows}) {
    CHECK(weighed.find(remark) != std::string::npos);
    CHECK(alike.find(remark) == std::string::npos);
  }
}

TEST_CASE("a run that lacks its last likelihood is given it, and one that is made longer has another") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "run", {"training.num_epochs=3", "training.checkpoint_every=1"}).status == 0);
  const std::string whole = content_of(folder / "run/final.jsonl");
  fs::remove(folder / "run/final.jsonl");  // as a kill leaves it that comes after the model
  REQUIRE(run(folder, {"resume", "run", "--quiet"}).status == 0);
  CHECK(content_of(folder / "run/final.jsonl") == whole);
  REQUIRE(run(folder, {"resume", "run", "--epochs", "5", "--quiet"}).status == 0);
  CHECK(final_of(folder / "run")["epoch"] == 5);
  REQUIRE(trained(folder, "straight", {"training.num_epochs=5"}).status == 0);
  CHECK(content_of(folder / "run/final.jsonl") == content_of(folder / "straight/final.jsonl"));
}

TEST_CASE("log Z that a run has found exactly after its last epoch is not found once more") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "run", {"training.num_epochs=3", "training.checkpoint_every=1"}).status == 0);
  const std::string before = content_of(folder / "run/final.jsonl"), log = content_of(folder / "run/metrics.jsonl");
  const auto at = log.rfind("\"log_z\":") + 8;
  const std::string digits = log.substr(at, log.find_first_of(",}", at) - at);
  // One less, by which all likelihoods are one more.
  folder.write("run/metrics.jsonl",
               log.substr(0, at) + fmt::format("{:.17g}", std::stod(digits) - 1.0) + log.substr(at + digits.size()));
  fs::remove(folder / "run/final.jsonl");
  REQUIRE(run(folder, {"resume", "run", "--quiet"}).status == 0);
  const double whole = nlohmann::json::parse(before)["log_likelihood"].get<double>();
  CHECK(final_of(folder / "run")["log_likelihood"].get<double>() == doctest::Approx(whole + 1.0).epsilon(1e-9));
}

TEST_CASE("those who watch are told the likelihood of all rows, or what rows the figures were of") {
  const ScratchFolder folder;
  const auto notes = [&](const char* name, const char* model) {
    Recorder recorder;
    TrainRequest request;
    request.config = parse_toml(std::string("data = { type = \"diagonal\", size = 1500 }\nestimator = \"cd\"\n"
                                            "training = { num_epochs = 1 }\npictures = { which = [] }\nmodel = ") +
                                    model,
                                "run.toml");
    request.output = (folder / name).string();
    request.display = &recorder;
    train(request, builtin());
    std::string all;
    for (const std::string& line : recorder.warnings) all += line + "\n";  // which a log has, too
    return all;
  };
  const std::string small = notes("small", "{ type = \"rbm\", num_visible = 1500, num_hidden = 3 }\n");
  CHECK(like(
      small,
      "*log likelihood of all rows, exact, in nats: -*(*) of 1501 training rows. Figures along the run are of 1000 "
      "rows of each part, pseudo log likelihoods of * units of each row.*"));
  CHECK(fs::exists(folder / "small/final.jsonl"));
  const std::string large = notes("large", "{ type = \"rbm\", num_visible = 1500, num_hidden = 40 }\n");
  CHECK(like(
      large,
      "*figures along the run are of 1000 rows of each part, pseudo log likelihoods of * units of each row; 'harmonium "
      "evaluate *large' takes all, and finds or estimates the log likelihood.*"));
  // Where all units are taken there is nothing to say of them.
  CHECK(like(notes("all",
                   "{ type = \"rbm\", num_visible = 1500, num_hidden = 3 }\n"
                   "observers = [{ type = \"pseudo_likelihood\", units = 0, rows = 1000 }]\n"),
             "*Figures along the run are of 1000 rows of each part.\n*"));
  CHECK(!fs::exists(folder / "large/final.jsonl"));
}

TEST_CASE(
    "a log that has no likelihood of all rows, or one of a part of them, is given it, and that of the best model") {
  const ScratchFolder folder;
  const Words seldom{"training.num_epochs=30", "training.batch_size=100",
                     "observers=[{type=\"log_likelihood\", every=29}, {type=\"pseudo_likelihood\", units=0}]"};
  // 1,000 training rows are what figures along the run are of, and 200 validation rows too.
  Words words = seldom;
  words.insert(words.end(), {"data.validation=200", "training.keep_best=log_likelihood"});
  const Outcome outcome = trained(folder, "seldom", words);
  REQUIRE(outcome.status == 0);
  const std::string of_all = "*harmonium: note: log likelihood of all rows, exact, in nats: -*(*) of ";
  CHECK(like(outcome.err, of_all + "1000 training rows, -*(*) of 200 validation rows*"));
  CHECK(!told(outcome, "Figures along"));
  const nlohmann::json last = final_of(folder / "seldom");
  const nlohmann::json best =
      nlohmann::json::parse(run(folder, {"evaluate", "seldom/best.h5", "--json"}).out)["splits"]["training"];
  // The last model is judged by keep_best too, and is the best unless it is worse than that of epoch 29.
  const bool other = best["log_likelihood"].get<double>() > last["log_likelihood"].get<double>() + 1e-9;
  CHECK(told(outcome, "of the best model, after epoch 29: ") == other);
  // A model that is kept by another figure, of which the first value is the best.
  words = seldom;
  words.insert(words.end(),
               {"data.validation=200", "training.keep_best={metric=\"norm.weight.visible.hidden\", goal=\"less\"}",
                "initializer={type=\"normal\", std=0.01}", "optimizer.learning_rate=1.0"});
  CHECK(like(trained(folder, "kept", words).err,
             of_all +
                 "1000 training rows, -*(*) of 200 validation rows; of the best model, after epoch *: -*(*) of 1000 "
                 "training rows, -*(*) of 200 validation rows.\n*"));
  // More validation rows than are looked at along the run.
  CHECK(like(
      trained(folder, "larger", {"training.num_epochs=3", "data.validation=1100", "training.batch_size=50"}).err,
      of_all +
          "100 training rows, -*(*) of 1100 validation rows. Figures along the run are of 1000 rows of each part.\n*"));
  // What the last line of the log has is not said again.
  CHECK(!told(trained(folder, "often", {"training.num_epochs=30", "training.batch_size=100", "data.validation=200"}),
              "log likelihood of all rows"));
}

TEST_CASE("couplings that say nothing of the rows are told, and those that do are not") {
  const ScratchFolder folder;
  const Outcome flat = trained(folder, "flat", {"training.num_epochs=100", "optimizer.learning_rate=0.01"});
  CHECK(told(flat, "the log likelihood of the training rows, -2.079"));
  CHECK(told(flat, "is no more than that of independent columns, -2.079"));
  const Outcome learned =
      trained(folder, "learned",
              {"training.num_epochs=500", "optimizer.learning_rate=1.0", "initializer={type=\"normal\", std=0.3}"});
  REQUIRE(learned.status == 0);
  CHECK(!told(learned, "independent columns"));
  CHECK(final_of(folder / "learned")["log_likelihood"] > -1.45);  // the law itself has -log 4 = -1.386
}

TEST_CASE("init proposes for few columns what finds more than pairs") {
  const ScratchFolder folder;
  folder.write("x.csv", exclusive_or(40));
  REQUIRE(run(folder, {"init", "x.csv", "--output", "x.toml"}).status == 0);
  for (const char* seed : {"1", "2", "3"}) {
    CAPTURE(std::string(seed));
    REQUIRE(run(folder, {"train", "x.toml", "--output", seed, "--seed", seed, "--quiet"}).status == 0);
    CHECK(final_of(folder / seed)["log_likelihood"] > -1.45);
  }
  // With its class named it is the same law.
  REQUIRE(run(folder, {"init", "x.csv", "--output", "named.toml", "--set", "data.label_column=last"}).status == 0);
  REQUIRE(run(folder, {"train", "named.toml", "--output", "named", "--quiet"}).status == 0);
  CHECK(final_of(folder / "named")["log_likelihood"] > -1.45);
  // With another estimator its usual rate.
  REQUIRE(run(folder, {"init", "x.csv", "--output", "cd.toml", "--set", "estimator=cd"}).status == 0);
  CHECK(content_of(folder / "cd.toml").find("learning_rate = 0.05\n") != std::string::npos);
}

}  // namespace final_likelihood_test
