// No run is the best by figures that are not of the same units or rows.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace compare_unlike_test {

using namespace harmonium;
using namespace harmonium::testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// A folder that looks like a run which finished.
void write_run(const ScratchFolder& folder, const std::string& name, const std::string& config,
               const std::string& figures) {
  fs::create_directories(folder / name);
  folder.write(name + "/config.toml", config);
  folder.write(name + "/metrics.jsonl", "{\"epoch\":1,\"update\":5," + figures + "}\n");
  folder.write(name + "/model.h5", "");
}

std::string likelihood(double value) { return fmt::format("\"validation_log_likelihood\":{}", value); }

std::string compared(const ScratchFolder& folder, Words words) {
  words.insert(words.begin(), "compare");
  const Outcome outcome = run(folder, words);
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  return outcome.out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Of a table with a column of words and two of numbers, the last of that kind.
std::string table(const char* kind, bool standardize = true) {
  return fmt::format(
      "seed = 1\n[data]\ntype = \"table\"\npath = \"t.csv\"\nstandardize = {}\n[[data.kinds]]\ncolumn = \"word\"\nkind "
      "= \"categorical\"\n[[data.kinds]]\ncolumn = \"age\"\nkind = \"real\"\n[[data.kinds]]\ncolumn = \"kids\"\nkind = "
      "\"{}\"\n",
      standardize, kind);
}

std::string array(const std::string& settings) {
  return "seed = 1\n[data]\ntype = \"csv\"\npath = \"d.csv\"\n" + settings;
}

/// What a comparison of two runs with these configurations names as that in which their units differ; "none", where it names a best
/// run and no such thing.
std::string unlike(const std::string& one, const std::string& other) {
  const ScratchFolder folder;
  write_run(folder, "one", one, likelihood(-3));
  write_run(folder, "two", other, likelihood(-2));
  const std::string out = compared(folder, {"one", "two"});
  const std::string begin =
      "Note: likelihoods, pseudo likelihoods, bounds and squared errors are in units of each run's own data (";
  const std::size_t at = out.find(begin);
  if (has(out, "\nBest by validation_log_likelihood: two\n")) return at == std::string::npos ? "none" : "both";
  CHECK(!has(out, "Best by "));
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return out.substr(from, out.find(" differ", from) - from);
}

}  // namespace

TEST_CASE("the units of likelihoods differ by what is set of the numbers of the data, and by nothing else") {
  CHECK(unlike(table("real"), table("count")) == "data.kinds");
  CHECK(unlike(table("real"), table("real", false)) == "data.standardize");
  CHECK(unlike(array("standardize = true\n"), array("")) == "data.standardize");
  CHECK(unlike(array("scale = 0.5\n"), array("scale = 1.0\n")) == "data.scale");
  CHECK(unlike(array("whiten = \"zca\"\n"), array("")) == "data.whiten");
  CHECK(unlike(array("whiten = \"zca\"\nwhiten_epsilon = 0.1\n"), array("whiten = \"zca\"\nwhiten_epsilon = 0.2\n")) ==
        "data.whiten_epsilon");
  CHECK(unlike(array("binarize = \"threshold\"\n"), array("")) == "data.binarize");
  CHECK(unlike(array("standardize = true\nscale = 2\n"), array("")) == "data.standardize, data.scale");
  // Probabilities of states and of counts have no units, nor have numbers that are left as they are.
  CHECK(unlike(table("categorical"), table("count")) == "none");
  CHECK(unlike(table("real", false), table("count", false)) == "none");
  // An option that is written at its default, or that does nothing.
  CHECK(unlike(array("standardize = false\nscale = 1\nwhiten = \"none\"\nwhiten_epsilon = 0.1\n"), array("")) ==
        "none");
  CHECK(unlike(array("binarize = \"threshold\"\nscale = 2\n"), array("binarize = \"threshold\"\n")) == "none");
}

TEST_CASE("no run is the best by a likelihood in different units, and an accuracy that has none takes its place") {
  const ScratchFolder folder;
  const std::string accuracy = ",\"validation_accuracy\":";
  write_run(folder, "tab", table("real"), likelihood(-3) + accuracy + "0.5");
  write_run(folder, "tab2", table("count"), likelihood(-2) + accuracy + "0.25");
  CHECK(has(compared(folder, {"tab", "tab2"}), "\nBest by validation_accuracy: tab\n"));
  const std::string sorted = compared(folder, {"tab", "tab2", "--sort", "validation_log_likelihood"});
  CHECK(
      sorted.starts_with("Runs sorted by validation_log_likelihood, the greatest first; without it last; the values "
                         "are not all of one unit\n\n"));
  CHECK(has(sorted,
            "\nNo best run is named by validation_log_likelihood: the runs take their data in different units "
            "(data.kinds).\n"));
  CHECK(has(sorted,
            " (data.kinds differs), and do not tell which model is better across these: 'harmonium evaluate A "
            "--against B' compares likelihoods in the data's own units, or says why it cannot.\n"));
  CHECK(!has(compared(folder, {"tab", "tab2", "--sort", "validation_accuracy"}), "one unit"));
  Json json = Json::parse(compared(folder, {"tab", "tab2", "--json"}));
  CHECK(json[0]["best_by"] == "validation_accuracy");
  // Runs that cannot be the best, for they go on, do not keep others from it.
  write_run(folder, "tab3", table("real"), likelihood(-4) + accuracy + "0.125");
  fs::remove(folder / "tab2/model.h5");
  CHECK(has(compared(folder, {"tab", "tab2", "tab3", "--sort", "validation_log_likelihood"}),
            "\nBest by validation_log_likelihood: tab\n"));
}

TEST_CASE("means over seeds are of one unit for all seeds of a setting, and name no best across units") {
  const ScratchFolder folder;
  Words words{"--means", "--json"};
  const auto write = [&](const char* kind, int rate, int seed, double value) {
    std::string config = table(kind);
    config.replace(0, 8, fmt::format("seed = {}", seed));
    config.insert(config.find("[data]"), "data_seed = 1\n");
    words.push_back(fmt::format("run{}", words.size()));
    write_run(folder, words.back(), fmt::format("{}[optimizer]\nlearning_rate = 0.{}\n", config, rate),
              likelihood(value));
  };
  for (const int seed : {1, 2}) {
    write("real", 1, seed, -3);
    write("real", 2, seed, -2);
  }
  Json json = Json::parse(compared(folder, words));
  REQUIRE(json.size() == 2);
  CHECK(json[1]["best_by"] == "validation_log_likelihood");
  for (const int seed : {1, 2}) write("count", 3, seed, -1);
  json = Json::parse(compared(folder, words));
  REQUIRE(json.size() == 3);
  const std::string none =
      "No best setting is named: they take their data in different units (data.kinds), and so their values of "
      "validation_log_likelihood do not compare.";
  for (const Json& setting : json) {
    CHECK(setting["best_by"].is_null());
    CHECK(setting["no_best"] == none);
  }
  words.erase(words.begin() + 1);
  CHECK(has(compared(folder, words), "(data.kinds differs)"));
  CHECK(has(compared(folder, words), "\n\n" + none + "\n"));
}

TEST_CASE("no run is the best by rows that other runs do not have, and by rows of one file one is") {
  const ScratchFolder folder;
  const std::string data = "[data]\ntype = \"csv\"\npath = \"d.csv\"\n", aside = data + "validation = 0.25\n";
  const std::string test = ",\"test_log_likelihood\":";
  const auto told = [&](const std::string& one, const std::string& other, const char* sort = nullptr) {
    write_run(folder, "one", one, likelihood(-3) + test + "-2,\"log_likelihood\":-1");
    write_run(folder, "two", other, likelihood(-2) + test + "-3,\"log_likelihood\":-2");
    Words words{"one", "two"};
    if (sort) words.insert(words.end(), {"--sort", sort});
    return compared(folder, words);
  };
  const std::string best = "\nBest by validation_log_likelihood: two\n",
                    none =
                        "\nNo best run is named by validation_log_likelihood: the runs have different validation "
                        "rows. Give all the same data_seed and data.validation; --sort FIGURE names the best by a "
                        "figure of rows that all share, such as test rows of one file.\n";
  const std::string other_seed = told("seed = 1\n" + aside, "seed = 2\n" + aside);
  CHECK(has(other_seed, none));
  const Json json = Json::parse(compared(folder, {"one", "two", "--json"}));
  for (const Json& run : json) CHECK(run["no_best"].get<std::string>() + "\n" == none.substr(1));
  CHECK(!has(other_seed, "Best by "));
  CHECK(has(told("seed = 1\ndata_seed = 3\n" + aside, "seed = 1\ndata_seed = 4\n" + aside), none));
  CHECK(has(told("seed = 1\n" + aside, "seed = 1\n" + data + "validation = 0.5\n"), none));
  CHECK(has(told("seed = 1\ndata_seed = 1\n" + aside, "seed = 2\ndata_seed = 1\n" + aside), best));
  // Rows that are trained on do not move those that are set aside.
  CHECK(has(told("seed = 1\n" + aside, "seed = 1\n" + aside + "test = 0.125\nrows = 5\n"), best));
  CHECK(has(told("seed = 1\n" + data, "seed = 2\n" + data), best));
  // Of one file, whatever else is dealt by the seed.
  const std::string file = "validation_path = \"v.csv\"\n";
  CHECK(has(told("seed = 1\n" + data + file + "test = 0.25\n", "seed = 2\n" + data + file + "test = 0.25\n"), best));
  const std::string of_file = aside + "test_path = \"e.csv\"\n";
  CHECK(has(told("seed = 1\n" + of_file, "seed = 2\n" + of_file, "test_log_likelihood"),
            "\nBest by test_log_likelihood: one\n"));
  const std::string training = told("seed = 1\n" + of_file, "seed = 2\n" + of_file, "log_likelihood");
  CHECK(has(training,
            "\nNo best run is named by log_likelihood: the runs have different training rows. Give all the "
            "same data_seed and data.validation, data.test and data.rows; "));
}

TEST_CASE("no run is the best by rows of other data, such as the hidden states that a stack passes up") {
  const ScratchFolder folder;
  const auto told = [&](const std::string& one, const std::string& other) {
    write_run(folder, "one", "seed = 1\n[data]\n" + one, likelihood(-3));
    write_run(folder, "two", "seed = 1\n[data]\n" + other, likelihood(-2));
    return compared(folder, {"one", "two"});
  };
  const std::string
      best = "\nBest by validation_log_likelihood: two\n",
      none =
          "\nNo best run is named by validation_log_likelihood: the validation rows are of different "
          "data. 'harmonium evaluate A --against B' compares models of the same data, and a stack as a whole "
          "by its folder.\n";
  const auto csv = [](const std::string& path, const std::string& more) {
    return "type = \"csv\"\npath = \"" + path + "\"\n" + more;
  };
  const std::string share = "validation = 0.25\n", file = "validation_path = \"v.csv\"\n";
  CHECK(has(told(csv("d.csv", share), csv("d.csv", share)), best));
  CHECK(has(told(csv("d.csv", share), csv("e.csv", share)), none));
  CHECK(has(told(csv("d.csv", share), csv("e.csv", file)), none));
  CHECK(has(told(csv("d.csv", file), csv("e.csv", file)), best));
  const std::string bars = "type = \"bars_and_stripes\"\nvalidation = 0.25\n";
  CHECK(has(told(bars + "side = 4\n", bars + "side = 4\n"), best));
  CHECK(has(told(bars + "side = 4\n", bars + "side = 5\n"), none));
}

TEST_CASE("no run is the best by a likelihood that is of the class too in some of them") {
  const ScratchFolder folder;
  const std::string data = "seed = 1\n[data]\ntype = \"csv\"\npath = \"d.csv\"\nvalidation = 0.25\n",
                    layer = "[[model.layers]]\nname = \"{}\"\nrole = \"{}\"\n";
  const auto model = [&](const char* second, const char* role) {
    return data + fmt::format(fmt::runtime(layer), "visible", "observed") +
           fmt::format(fmt::runtime(layer), second, role);
  };
  const std::string accuracy = ",\"validation_accuracy\":0.5";
  write_run(folder, "joint", model("label", "observed"), likelihood(-3) + accuracy);
  write_run(folder, "rest", model("hidden", "latent"), likelihood(-2));
  write_run(folder, "other", model("hidden", "latent"), likelihood(-4));
  write_run(folder, "latent", model("label", "latent"), likelihood(-5));
  CHECK(has(compared(folder, {"rest", "other"}), "\nBest by validation_log_likelihood: rest\n"));
  CHECK(has(compared(folder, {"rest", "latent"}), "\nBest by validation_log_likelihood: rest\n"));
  const std::string told = compared(folder, {"joint", "rest"});
  CHECK(!has(told, "Best by"));
  CHECK(has(told,
            "\nNote: likelihoods, pseudo likelihoods, bounds and squared errors are of a row with its class where the "
            "model observes that, log p(x, y), and else of log p(x), and do not tell which model is better across "
            "these: 'harmonium evaluate A --against B' compares likelihoods in the data's own units, or says why it "
            "cannot; with --data FILE of rows without classes they are of log p(x) in both.\n"));
  CHECK(has(compared(folder, {"joint", "rest", "--sort", "validation_log_likelihood"}),
            "\nNo best run is named by validation_log_likelihood: the runs observe the class of a row or do not (log "
            "p(x, y), log p(x)).\n"));
}

TEST_CASE("a sweep and the report of its runs say where likelihoods are of different units") {
  const ScratchFolder folder;
  std::string rows;
  for (int r = 0; r < 24; ++r) rows += fmt::format("{},{}\n", 10 + (r * 7) % 5 + 0.5, 3 * ((r * 5) % 7));
  folder.write("d.csv", rows);
  folder.write("base.toml",
               "seed = 1\n[data]\ntype = \"csv\"\npath = \"d.csv\"\nstandardize = true\n[model]\ntype = "
               "\"rbm\"\nvisible_units = \"gaussian\"\nnum_visible = 2\nnum_hidden = 2\n[estimator]\ntype = "
               "\"cd\"\n[optimizer]\nlearning_rate = "
               "1e-6\n[training]\nnum_epochs = 1\nbatch_size = 8\n");
  folder.write("units.toml", "base = \"base.toml\"\n[grid]\n\"data.scale\" = [1.0, 0.5]\n\"model.num_hidden\" = [2]\n");
  const std::string note =
      "likelihoods, pseudo likelihoods, bounds and squared errors are in units of each run's own "
      "data (data.scale differs), ";
  const Outcome swept = run(folder, {"sweep", "units.toml", "--sort", "reconstruction_error"});
  REQUIRE_MESSAGE(swept.status == 0, swept.err);
  CHECK(has(swept.err, "harmonium: note: " + note));
  CHECK(has(swept.out,
            "sorted by reconstruction_error, the least first; without it last; the values are not all of one "
            "unit\n"));
  const Outcome reported =
      run(folder, {"report", "units", "--no-likelihood", "--no-diagnosis", "--quiet", "--output", "r.html"});
  REQUIRE_MESSAGE(reported.status == 0, reported.err);
  CHECK(has(content_of(folder / "r.html"), "(data.scale differs)"));
}

}  // namespace compare_unlike_test
