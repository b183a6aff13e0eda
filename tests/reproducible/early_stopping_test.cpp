#include <algorithm>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace early_stopping_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

std::vector<nlohmann::json> records_of(const std::filesystem::path& run) {
  std::ifstream file(run / "metrics.jsonl");
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(file, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

/// The same without one more of the last epoch, of a likelihood that was not due then.
std::vector<nlohmann::json> records_along(const std::filesystem::path& run) {
  std::vector<nlohmann::json> all = records_of(run);
  if (all.size() > 1 && all.back()["epoch"] == all[all.size() - 2]["epoch"]) all.pop_back();
  return all;
}

/// A configuration with further options of [training].
std::string with_training(std::string config, const std::string& more) {
  const std::string mark = "[training]\n";
  return config.insert(config.find(mark) + mark.size(), more);
}

/// A run of at most 60 epochs that overfits: 42 rows are learned, and 150 validate.
Setup overfitting() {
  Setup setup = setups().at(1);
  setup.data = "type = \"labeled_shifter\"\nbits = 6\nvalidation = 150\n";
  setup.optimizer = "type = \"adam\"\nlearning_rate = 0.03\n";
  setup.batch_size = 20;
  return setup;
}

constexpr const char* followed =
    "stop_early = { metric = \"validation_pseudo_log_likelihood\", patience = 5 }\n"
    "keep_best = \"validation_pseudo_log_likelihood\"\n";

std::vector<std::string> with_best(std::vector<std::string> files) {
  files.insert(files.end(), {"best.h5", "best.h5.sha256"});
  return files;
}

}  // namespace

// What is told is recomputed from the figures of the whole run, which early stopping must not change.
TEST_CASE(
    "a run stops where its figures say so, with the figures and the model of the longer run, and keeps the best") {
  const ScratchFolder scratch;
  const std::string plain = config_of(overfitting(), 60, 1);
  train_in(scratch / "plain", plain);
  const TrainOutcome early = train_in(scratch / "early", with_training(plain, followed));
  const auto all = records_along(scratch / "plain"), records = records_along(scratch / "early");
  double best = all[0]["validation_pseudo_log_likelihood"];
  std::size_t best_at = 0, end = 0;
  for (std::size_t i = 1; end == 0 && i < all.size(); ++i) {
    const double value = all[i]["validation_pseudo_log_likelihood"];
    if (value > best) best = value, best_at = i;
    else if (i - best_at == 5) end = i + 1;
  }
  REQUIRE(end > 0);  // else there was nothing to stop for
  REQUIRE(end < all.size());
  REQUIRE(best_at > 0);
  REQUIRE(records.size() == end);
  for (std::size_t i = 0; i < end; ++i)
    for (const auto& item : all[i].items()) CHECK(records[i][item.key()] == item.value());
  CHECK(records.back()["best.epoch"] == best_at + 1);
  CHECK(records.back()["best.value"] == best);
  const std::uint64_t per_epoch = early.updates / end;
  CHECK_FALSE(early.stopped);
  const auto plain_at = [&](std::size_t epochs) {
    return tensors_of(scratch / "plain" / "checkpoints" / fmt::format("{}.h5", epochs * per_epoch));
  };
  CHECK(tensors_of(scratch / "early/model.h5") == plain_at(end));
  CHECK(tensors_of(scratch / "early/best.h5") == plain_at(best_at + 1));
}

TEST_CASE("a run that stops early is the same on any number of threads, broken off anywhere, and resumed at its end") {
  const ScratchFolder scratch;
  const std::string config = with_training(config_of(overfitting(), 60, 5), followed);
  const TrainOutcome whole = train_in(scratch / "whole", config);
  const auto files = with_best(files_of(scratch / "whole"));
  const std::uint64_t in_all = 60 * (whole.updates / records_along(scratch / "whole").size());
  REQUIRE(whole.updates < in_all);
  train_in(scratch / "threads", config, {.threads = 3});
  CHECK(differences(scratch / "whole", scratch / "threads", files) == "");
  const double share = static_cast<double>(whole.updates) / static_cast<double>(in_all);
  for (const double part : {0.0, 0.3, 0.8, 0.999}) {
    CAPTURE(part);
    const std::string folder = std::to_string(part);
    REQUIRE(train_in(scratch / folder, config, {.stop_after = part * share}).stopped);
    std::filesystem::remove(scratch / folder / "best.h5");  // a kill may leave the best model of a later epoch, or none
    CHECK(train_in(scratch / folder, config, {.resume = true}).updates == whole.updates);
    CHECK(differences(scratch / "whole", scratch / folder, files) == "");
  }
  train_in(scratch / "whole", config, {.resume = true});
  CHECK(differences(scratch / "threads", scratch / "whole", files) == "");
}

// The figure is due after epochs 3 and 6, and judges the model of epoch 8 at the end.
TEST_CASE("a run whose last model is judged is the same broken off anywhere, and leaves a longer run as it is") {
  const ScratchFolder scratch;
  Setup setup = overfitting();
  setup.more += "[[observers]]\ntype = \"pseudo_likelihood\"\nevery = 3\n";
  const auto config = [&](int epochs) {
    return with_training(config_of(setup, epochs, 1),
                         "keep_best = { metric = \"pseudo_log_likelihood\", goal = \"greater\" }\n");
  };
  train_in(scratch / "whole", config(8));
  const auto records = records_of(scratch / "whole");
  REQUIRE(records.size() == 9);
  CHECK(records[8]["epoch"] == 8);
  CHECK(records[8]["update"] == records[7]["update"]);
  CHECK_FALSE(records[7].contains("pseudo_log_likelihood"));
  double best = records[2]["pseudo_log_likelihood"];
  for (const std::size_t line : {5, 8}) best = std::max(best, records[line]["pseudo_log_likelihood"].get<double>());
  CHECK(records[8]["best.value"] == best);
  const auto files = with_best(files_of(scratch / "whole"));
  for (const double part : {0.3, 0.8, 0.9}) {
    CAPTURE(part);
    const std::string folder = std::to_string(part);
    REQUIRE(train_in(scratch / folder, config(8), {.stop_after = part}).stopped);
    train_in(scratch / folder, config(8), {.resume = true});
    CHECK(differences(scratch / "whole", scratch / folder, files) == "");
  }
  train_in(scratch / "killed", config(8));
  for (const char* file : {"model.h5", "model.h5.sha256", "best.h5", "best.h5.sha256"})
    std::filesystem::remove(scratch / "killed" / file);
  for (int again = 0; again < 2; ++again) {  // the second time the run is complete
    train_in(scratch / "killed", config(8), {.resume = true});
    CHECK(differences(scratch / "whole", scratch / "killed", files) == "");
  }
  train_in(scratch / "straight", config(10));
  train_in(scratch / "killed", config(10), {.resume = true});
  CHECK(differences(scratch / "straight", scratch / "killed", {"metrics.jsonl", "model.h5", "best.h5"}) == "");
}

// The checkpoint of the update at which the run stopped knows that it is over: no update is made from there.
TEST_CASE("a run that is killed between its last checkpoint and its model gets the model that it lacked") {
  const ScratchFolder scratch;
  const std::string config = with_training(config_of(overfitting(), 60, 1), followed);
  train_in(scratch / "whole", config);
  train_in(scratch / "killed", config);
  for (const char* file : {"model.h5", "model.h5.sha256", "best.h5", "best.h5.sha256"})
    std::filesystem::remove(scratch / "killed" / file);
  train_in(scratch / "killed", config, {.resume = true});
  CHECK(differences(scratch / "whole", scratch / "killed", with_best(files_of(scratch / "whole"))) == "");
}

TEST_CASE("the figures that a run records are those that may be followed") {
  for (Setup setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    // Gibbs chains, which mixing looks at, are not to be had of a stack.
    const bool stack = setup.model.find("\"stack\"") != std::string::npos;
    if (!stack && setup.more.find("[[observers]]") == std::string::npos)
      setup.more += "[[observers]]\ntype = \"mixing\"\nevery = 2\nsteps = 100\n";
    setup.more += "[[observers]]\ntype = \"acceptance\"\n[[observers]]\ntype = \"tempering\"\n";
    const std::string config = config_of(setup, 2, 0);
    std::string said;
    try {
      train_in(scratch / "refused", with_training(config, "keep_best = \"?\"\n"));
    } catch (const ConfigError& error) {
      said = error.what();
    }
    const auto begin = said.find("Measured: ") + 10, end = said.find(". Take one of these");
    REQUIRE(end != std::string::npos);
    std::set<std::string> measured;
    for (std::string_view rest = std::string_view(said).substr(begin, end - begin); !rest.empty();) {
      const auto comma = std::min(rest.find(", "), rest.size());
      CHECK(measured.emplace(rest.substr(0, comma)).second);
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    train_in(scratch / "run", config);
    for (const auto& record : records_of(scratch / "run"))
      for (const auto& item : record.items()) {
        const std::string& name = item.key();
        CAPTURE(name);
        // Ends of intervals and errors are no goals.
        const bool beside = name == "epoch" || name == "update" || name.ends_with("_low") || name.ends_with("_high") ||
                            name.ends_with("_error");
        if (!beside || name == "reconstruction_error") CHECK(measured.contains(name));
      }
    const std::string bias = stack ? "norm.machine1.bias.visible" : "norm.bias.visible";
    for (const std::string& always : {std::string("gradient_norm"), bias}) CHECK(measured.contains(always));
  }
}

}  // namespace early_stopping_test
