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

#include "files.hpp"

namespace final_likelihood_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

/// Rows of two bits and their exclusive or, each as often.
std::string exclusive_or(int rows) {
  std::string text;
  for (int r = 0; r < rows; ++r) text += fmt::format("{},{},{}\n", r % 2, r / 2 % 2, (r ^ r / 2) % 2);
  return text;
}

Outcome trained(const ScratchFolder& folder, const std::string& output, const Words& settings) {
  folder.write("x.csv", exclusive_or(1200));
  folder.write("x.toml",
               "data = { type = \"csv\", path = \"x.csv\", validation = 80 }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 4 }\n"
               "estimator = \"exact\"\npictures = { which = [] }\n");
  Words words{"train", "x.toml", "--output", output};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return run(folder, words);
}

nlohmann::json final_of(const fs::path& run_folder) {
  return nlohmann::json::parse(content_of(run_folder / "final.jsonl"));
}

bool told(const Outcome& outcome, const char* words) { return outcome.err.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a run ends with the exact likelihood of all its rows, which evaluate and compare tell too") {
  const ScratchFolder folder;
  const Outcome outcome = trained(folder, "run", {"training.num_epochs=3"});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const nlohmann::json found = final_of(folder / "run");
  CHECK(found["epoch"] == 3);
  const nlohmann::json judged = nlohmann::json::parse(run(folder, {"evaluate", "run", "--json"}).out)["splits"];
  for (const auto& [part, prefix] : {std::pair{"training", ""}, {"validation", "validation_"}}) {
    CAPTURE(std::string(part));
    const std::string name = std::string(prefix) + "log_likelihood";
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
    for (const std::string& note : recorder.notes) all += note + "\n";
    return all;
  };
  const std::string small = notes("small", "{ type = \"rbm\", num_visible = 1500, num_hidden = 3 }\n");
  CHECK(like(small, "*log likelihood of all rows, exact, in nats: -*(*) of 1501 training rows.*"));
  CHECK(fs::exists(folder / "small/final.jsonl"));
  const std::string large = notes("large", "{ type = \"rbm\", num_visible = 1500, num_hidden = 40 }\n");
  CHECK(like(
      large,
      "*figures along the run are of 1000 rows of each part of the data; 'harmonium evaluate *large' takes all.*"));
  CHECK(!fs::exists(folder / "large/final.jsonl"));
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

TEST_CASE("compare says which estimator starts its chains so") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "a", {"training.num_epochs=1", "estimator=cd"}).status == 0);
  REQUIRE(trained(folder, "b", {"training.num_epochs=1", "estimator=pcd"}).status == 0);
  const Outcome compared = run(folder, {"compare", "a", "b"});
  CHECK(like(compared.out, "*estimator.negative.start * data (cd) * persistent (pcd)*"));
  CHECK(like(compared.out, "*all_rows.log_likelihood * -2.* ± 0.* -2.* ± 0.*"));
}

TEST_CASE("transform without rows names those of the training, and evaluate tells of bits that were drawn") {
  const ScratchFolder folder;
  REQUIRE(trained(folder, "run", {"training.num_epochs=1"}).status == 0);
  check_refusal(
      run(folder, {"transform", "run", "--output", "h.npy"}), 2,
      "transform: DATA is missing. Name the rows behind the model, or by --data; the model was trained on rows "
      "of */x.csv.");
  folder.write("gray.csv", "0.5,0.25,1\n0.75,0,0\n");
  const Outcome drawn = run(folder, {"evaluate", "run", "--data", "gray.csv", "--set", "data.binarize=each_epoch",
                                     "--set", "data.range=[0,1]"});
  INFO(drawn.err);
  CHECK(told(drawn, "the rows are bits that were drawn once of gray values"));
  CHECK(!told(run(folder, {"evaluate", "run"}), "drawn once"));
}

TEST_CASE("samples of a model of sequences are sequences, and read back as the same states") {
  const ScratchFolder folder;
  std::string text;
  for (int r = 0; r < 40; ++r)
    text += fmt::format(">s{}\n{}{}{}\n", r, "ACGT"[r % 4], "ACGT"[r / 4 % 4], "ACGT-"[r % 5]);
  folder.write("d.fasta", text);
  REQUIRE(run(folder,
              {"init", "d.fasta", "--output", "d.toml", "--set", "data.alphabet=dna", "--set", "training.num_epochs=1"})
              .status == 0);
  REQUIRE(run(folder, {"train", "d.toml", "--output", "run", "--quiet"}).status == 0);
  for (const char* name : {"s.fasta", "s.csv"})
    REQUIRE(
        run(folder, {"sample", "run", "--num-samples", "30", "--steps", "5", "--energies", "--output", name}).status ==
        0);
  const std::string sequences = content_of(folder / "s.fasta");
  CHECK(like(sequences, ">sample1 energy=*\n*\n>sample2 energy=*"));
  // Of the same states the same figures.
  const auto figures = [&](const char* data) {
    const Outcome outcome = run(folder, {"evaluate", "run", "--data", data, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["log_likelihood"].get<double>();
  };
  REQUIRE(run(folder, {"sample", "run", "--num-samples", "30", "--steps", "5", "--output", "s.npy"}).status == 0);
  const double of_letters = figures("s.fasta");
  const Outcome of_states = run(folder, {"evaluate", "run", "--data", "s.npy", "--set", "data.type=npy", "--json"});
  INFO(of_states.err);
  CHECK(of_letters == nlohmann::json::parse(of_states.out)["log_likelihood"].get<double>());
  REQUIRE(trained(folder, "bits", {"training.num_epochs=1"}).status == 0);
  check_refusal(run(folder, {"sample", "bits", "--num-samples", "3", "--steps", "5", "--output", "b.fasta"}), 2,
                "--output b.fasta: the model was not trained on sequences*Write .csv.");
}

}  // namespace final_likelihood_test
