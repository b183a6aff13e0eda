#include <cmath>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace splits_test {

using namespace harmonium::testing;

namespace {

nlohmann::json figures(const ScratchFolder& folder, const Words& more) {
  Words words{"evaluate"};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back("--json");
  const Outcome outcome = run(folder, words);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out);
}

/// 40 rows of which 10 are for validation and 10 for a test, in files of their own, and a run on the first.
void make_run(const CliFolder& folder) {
  const std::vector<double> rows = bit_rows(40, 9);
  const auto part = [&](std::size_t first, std::size_t count) {
    return npy_bytes(count, 9,
                     {rows.begin() + static_cast<std::ptrdiff_t>(first * 9),
                      rows.begin() + static_cast<std::ptrdiff_t>((first + count) * 9)});
  };
  folder.write("train.npy", part(0, 20));
  folder.write("valid.npy", part(20, 10));
  folder.write("test.npy", part(30, 10));
  REQUIRE(
      run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set",
                   "data={type=\"npy\", path=\"train.npy\", validation_path=\"valid.npy\", test_path=\"test.npy\"}"})
          .status == 0);
}

}  // namespace

TEST_CASE("a run's folder without --data has the figures of its training, validation and test rows") {
  const CliFolder folder;
  make_run(folder);
  const auto all = figures(folder, {"run"});
  REQUIRE(all["splits"].size() == 3);
  const std::pair<const char*, const char*> parts[] = {
      {"training", "train.npy"}, {"validation", "valid.npy"}, {"test", "test.npy"}};
  for (const auto& part : parts) {
    CAPTURE(part.first);
    auto alone = figures(folder, {"run", "--data", part.second});
    CHECK(alone["splits"].is_null());
    alone.erase("splits");
    alone.erase("beta");  // which is told once
    CHECK(all["splits"][part.first] == alone);
  }
  CHECK(all["splits"]["training"]["log_likelihood"] != all["splits"]["test"]["log_likelihood"]);
  auto model = figures(folder, {"run/model.h5"});
  CHECK(model["splits"].is_null());
  model.erase("splits");
  for (const auto& [key, value] : model.items())
    if (key != "reasons") CHECK(all[key] == value);
  CHECK(all["reasons"]["log_likelihood"] == "there is one for each part of the run's data: see splits.");

  const std::string text = run(folder, {"evaluate", "run"}).out;
  CHECK(like(text,
             "log_z *nats\n*\n\n* training * validation * test\nnum_samples * 20 * 10 * 10  rows\nlog_likelihood *"));
}

TEST_CASE("what is to be added for the data's own units is that of each part of the data, where entries are missing") {
  const ScratchFolder folder;
  // Each row that is whole is one of two columns times 0.1; a row of a single column has half of its logarithm.
  folder.write("train.csv", "1,2\n3,4\n5,6\n7,8\n");
  folder.write("test.csv", "1,nan\nnan,4\n5,nan\n7,8\n");
  folder.write("c.toml",
               "precision = \"float64\"\n[data]\ntype = \"csv\"\npath = \"train.csv\"\ntest_path = \"test.csv\"\n"
               "missing = \"nan\"\nscale = 0.1\n[model]\ntype = \"rbm\"\nnum_visible = 2\nnum_hidden = 1\n"
               "visible_units = \"gaussian\"\n[estimator]\ntype = \"pcd\"\n[training]\nnum_epochs = 1\n");
  const Outcome trained = run(folder, {"train", "c.toml", "--output", "run", "--quiet"});
  INFO(trained.err);
  REQUIRE(trained.status == 0);
  const auto all = figures(folder, {"run"})["splits"];
  CHECK(all["training"]["log_jacobian"].get<double>() == doctest::Approx(2.0 * std::log(0.1)).epsilon(1e-12));
  CHECK(all["test"]["log_jacobian"].get<double>() == doctest::Approx(1.25 * std::log(0.1)).epsilon(1e-12));
  CHECK(run(folder, {"evaluate", "run"})
            .out.find(
                "units: data times its scale; log_jacobian -4.605170 (training), -2.878231 (test) nats a sample, to "
                "be added for the data's own units\n") != std::string::npos);
  REQUIRE(run(folder, {"report", "run"}).status == 0);
  const std::string page = content_of(folder / "report.html");
  const std::size_t at =
      page.find("to be added for the data&#39;s own units (the model&#39;s are data times its scale)");
  REQUIRE(at != std::string::npos);
  CHECK(like(page.substr(at, page.find("</tr>", at) - at), "*>-4.6052<*>-2.8782<*"));
}

TEST_CASE("parts that a run set aside are dealt as the run dealt them, whatever the seed of the command") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet", "--set", "data.validation=4", "--set",
                       "data.test=0.2", "--set", "training.batch_size=3"})
              .status == 0);
  const auto all = figures(folder, {"run"});
  CHECK(all["splits"]["training"]["num_samples"] == 7);
  CHECK(all["splits"]["validation"]["num_samples"] == 4);
  CHECK(all["splits"]["test"]["num_samples"] == 3);
  CHECK(figures(folder, {"run", "--seed", "99"}) == all);
  // The last line of the run's own measurements is of the same rows.
  const std::string log = content_of(folder / "run/metrics.jsonl");
  const std::size_t last = log.rfind('\n', log.size() - 2);
  const auto measured = nlohmann::json::parse(log.substr(last == std::string::npos ? 0 : last + 1));
  for (const std::string figure : {"pseudo_log_likelihood", "reconstruction_error"}) {
    CHECK(all["splits"]["training"][figure].get<double>() ==
          doctest::Approx(measured[figure].get<double>()).epsilon(1e-9));
    CHECK(all["splits"]["validation"][figure].get<double>() ==
          doctest::Approx(measured["validation_" + figure].get<double>()).epsilon(1e-9));
  }
  // A file of its own, and settings, are one set of rows.
  CHECK(figures(folder, {"run", "--set", "data.side=3"})["num_samples"] == 14);
}

TEST_CASE("rows that are set aside go by data_seed where it is given, whatever the seed of the run") {
  const CliFolder folder;
  // Without couplings and steps a model is the means of its training rows: all figures are those of the split.
  const auto found = [&](const char* seed, const char* data_seed) {
    Words words{"train", "small.toml", "--output", "run", "--overwrite", "--quiet", "--seed", seed};
    for (const char* setting :
         {"data.validation=4", "training.batch_size=5", "optimizer.learning_rate=0", "initializer.std=0"})
      words.insert(words.end(), {"--set", setting});
    if (*data_seed) words.insert(words.end(), {"--set", std::string("data_seed=") + data_seed});
    const Outcome trained = run(folder, words);
    CHECK(trained.err == "");
    REQUIRE(trained.status == 0);
    auto splits = figures(folder, {"run"})["splits"];
    return std::pair{splits["training"]["free_energy"].get<double>(),
                     splits["validation"]["free_energy"].get<double>()};
  };
  const auto first = found("1", "5");
  CHECK(found("2", "5") == first);
  CHECK(found("5", "") == first);  // by its own seed
  CHECK(found("1", "6") != first);
  CHECK(content_of(folder / "run/config.toml").find("\ndata_seed = 6\n") != std::string::npos);
  check_refusal(run(folder, {"train", "small.toml", "--set", "data_seed=-1"}), 2,
                "--set data_seed=-1: *option 'data_seed' = -1 is not allowed: it must be at least 0.");
}

TEST_CASE("data of a run that is gone or another now is refused with what to do") {
  const CliFolder folder;
  make_run(folder);
  const std::string valid = content_of(folder / "valid.npy");
  folder.write("valid.npy", npy_bytes(10, 9, bit_rows(10, 9)));
  check_refusal(
      run(folder, {"evaluate", "run"}), 1,
      "run/model.h5: the run began with other content of */valid.npy (its SHA-256 has changed). Put the old data "
      "back, or start a new run. To judge other rows add --data FILE; name model.h5 itself for log Z alone.");
  folder.write("valid.npy", valid);
  CHECK(run(folder, {"evaluate", "run"}).status == 0);
  std::filesystem::remove(folder / "train.npy");
  check_refusal(
      run(folder, {"evaluate", "run"}), 2,
      "[data] path '*/train.npy': no such file. To judge other rows add --data FILE; name model.h5 itself for log "
      "Z alone.");
}

}  // namespace splits_test
